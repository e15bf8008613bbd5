/**
 * What is promised of every composition file: it is loaded, or refused with places; and what was loaded is registered,
 * and each of its scopes renders or fails with an error of the library, whose places are in the files.
 */
import { assert } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { PromptError, PromptScope, SystemPrompt } from "effect-preamble"
import * as Check from "effect-preamble/check"
import {
  type Composition,
  CompositionScopes,
  InvalidComposition,
  layer,
  loadFrom,
  maxProblems,
  type Place,
  placesOf,
  Plugins
} from "effect-preamble/composition"
import { parseAllDocuments, visit } from "yaml"
import type { Input } from "./compositions.ts"
import * as FakeFiles from "./FakeFiles.ts"

const file = "agent.yaml"

/** Characters that the message of one problem may have, however large the file is: a reader and a log have to bear it. */
const longest = 2_000

const mostScopes = 4

const isPromptError = Schema.is(PromptError.PromptError)

const isInvalid = (error: unknown): error is InvalidComposition => error instanceof InvalidComposition

const textOf = (bytes: string | Uint8Array): string => {
  const text = typeof bytes === "string" ? bytes : new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
  return text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n")
}

type Named = Pick<Place, "file" | "line" | "column" | "frame">

/** Lines of a file under the name that messages give it. */
const linesOf = (input: Input, name: string): ReadonlyArray<string> => {
  const content = name === file ? input.content : input.files.get(pathOf(name))
  return content === undefined ? [] : textOf(content).split("\n")
}

const pathOf = (name: string): string => new URL(encodeURI(name), `file://${FakeFiles.folder}/`).pathname

const checkPlace = (input: Input, place: Named): void => {
  const lines = linesOf(input, place.file)
  assert.isAtLeast(place.line, 1)
  assert.isAtLeast(place.column, 1)
  if (lines.length === 0) return
  assert.isAtMost(place.line, lines.length, "a line of the file")
  assert.isAtMost(place.column, (lines[place.line - 1] ?? "").length + 1, "a column of the line")
  assert.isAtMost(place.frame.length, 2_000, "a frame fits a screen")
}

const checkInvalid = (input: Input, error: InvalidComposition): void => {
  assert.isAtLeast(error.problems.length, 1)
  assert.strictEqual(error.problems.length, Math.min(error.total, maxProblems))
  for (const problem of error.problems) {
    checkPlace(input, problem)
    assert.isNotEmpty(problem.message)
    assert.isAtMost(problem.message.length + problem.path.length, longest + 400, "a message is read")
  }
  assert.isTrue(Result.isSuccess(Schema.encodeResult(InvalidComposition)(error)))
}

/** Every text in the file, as a parser sees it that knows nothing of compositions. */
const textsIn = (content: string | Uint8Array): ReadonlySet<string> => {
  const texts = new Set<string>()
  const documents = parseAllDocuments(textOf(content), {
    uniqueKeys: false,
    resolveKnownTags: false,
    logLevel: "silent"
  })
  for (const document of Array.isArray(documents) ? documents : []) {
    visit(document, {
      Scalar: (_, node) => {
        if (typeof node.value === "string") texts.add(node.value)
      }
    })
  }
  return texts
}

/** Nothing is opened but what the file names. */
const checkTouched = (input: Input, touched: ReadonlySet<string>): void => {
  if (touched.size === 0) return
  const named = new Set([...textsIn(input.content)].map(resolved))
  for (const path of touched) assert.isTrue(named.has(path), `${JSON.stringify(path)} is named`)
}

const resolved = (name: string): string => {
  const steps: Array<string> = []
  for (const step of `${name.startsWith("/") ? "" : `${FakeFiles.folder}/`}${name}`.split("/")) {
    if (step === "..") steps.pop()
    else if (step !== "" && step !== ".") steps.push(step)
  }
  return `/${steps.join("/")}`
}

const renderAll = Effect.fnUntraced(function* (input: Input, composition: Composition) {
  const { scopes } = yield* CompositionScopes
  const prompt = yield* SystemPrompt
  const seen: Array<string> = []
  for (const scope of [...scopes.values()].slice(0, mostScopes)) {
    const rendered = yield* Effect.result(PromptScope.provide(scope)(prompt.render))
    const traced = yield* Effect.result(PromptScope.provide(scope)(prompt.trace))
    if (Result.isSuccess(traced)) {
      for (const warning of Check.trace(traced.success)) assert.isNotEmpty(warning.message)
    }
    if (Result.isSuccess(rendered)) {
      seen.push("rendered")
      continue
    }
    const error = rendered.failure
    assert.isTrue(isPromptError(error), String(error))
    assert.isNotEmpty(error.message)
    for (const place of placesOf(composition, error)) checkPlace(input, place)
    seen.push(error._tag)
  }
  return seen
})

const program = (input: Input) =>
  Effect.gen(function* () {
    const composition = yield* loadFrom({ file, content: input.content, folder: FakeFiles.folder })
    const plugins = yield* Plugins.refuse(composition)
    return yield* renderAll(input, composition).pipe(
      Effect.provide(layer(composition, { env: { HOME: "/h" }, plugins }))
    )
  })

/** Checks the promise; gives what became of the file. */
export const hold = (input: Input): ReadonlyArray<string> => {
  const files = FakeFiles.make(input.files)
  // Synchronous, since only so can a loop without end be ended.
  const exit = Effect.runSyncExit(Effect.provide(program(input), files.layer))
  checkTouched(input, files.touched)
  const opened = files.touched.size > 0 ? ["opens files"] : []
  if (Exit.isSuccess(exit)) return [...opened, input.family, "accepted", ...exit.value]
  const error = Cause.squash(exit.cause)
  if (!Cause.hasFails(exit.cause) || !isInvalid(error)) throw error
  checkInvalid(input, error)
  return [...opened, input.family, "refused"]
}
