import { assert, describe, it } from "@effect/vitest"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { PromptError, Template } from "effect-preamble"
import { scan, type Source } from "../../src/internal/scan.ts"
import { deep, patience, runs } from "../support/runs.ts"
import { fuzz, smallerTexts } from "./support/Fuzz.ts"
import { type Input, input } from "./support/templates.ts"
import { watched } from "./support/watchdog.ts"

const largest = deep ? 1_000_000 : 10_000

/** Each problem is an error with a place: of more, none but the first is asked for. */
const mostProblems = 500

const owner = { kind: "section", entry: "s", scope: "global" } as const

const isRenderError = Schema.is(
  Schema.Union([PromptError.UnknownVariable, PromptError.UndefinedVariable, PromptError.MalformedGroup])
)

/** A text that counts the characters that are read of it. */
const counting = (text: string) => {
  let read = 0
  const source: Source = {
    length: text.length,
    charCodeAt: (index) => {
      read++
      return text.charCodeAt(index)
    },
    indexOf: (what, from = 0) => {
      const found = text.indexOf(what, from)
      read += (found < 0 ? text.length : found + what.length) - Math.min(from, text.length)
      return found
    },
    slice: (start = 0, end = text.length) => {
      const part = text.slice(start, end)
      read += part.length
      return part
    }
  }
  return { source, read: () => read }
}

/** Reads of each character: two searches, a look for braces, a copy, and, where a group is malformed, 17 more for its two braces. */
const mostReads = 16

/** The segments lie end to end, and what they say of the text is so. */
const checkSegments = (text: string): ReadonlyArray<Template.Segment> => {
  const { read, source } = counting(text)
  const segments = scan(source)
  assert.isAtMost(read(), mostReads * text.length + 100, "reads")
  let end = 0
  for (const segment of segments) {
    const written = text.slice(segment.start, segment.end)
    if (segment.start !== end || written === "") assert.fail(`a gap, or nothing, at ${segment.start}`)
    if (segment._tag === "Literal") assert.strictEqual(segment.text, written)
    else if (segment._tag === "Reference") assert.strictEqual(`{{${segment.name}}}`, written)
    else if (!text.startsWith("{{", segment.start) || !text.startsWith("}}", segment.close)) assert.fail("no braces")
    end = segment.end
  }
  assert.strictEqual(end, text.length)
  return segments
}

const checkPlace = (text: string, error: PromptError.RenderError): void => {
  assert.isTrue(isRenderError(error))
  assert.isTrue(text.startsWith("{{", error.offset))
  // Computed otherwise than the library does it: backwards, from the place to the offset.
  const before = text.slice(0, error.offset)
  assert.strictEqual(error.line, before.length - before.replaceAll("\n", "").length + 1)
  assert.strictEqual(error.column, before.length - before.lastIndexOf("\n"))
  assert.isAtMost(error.excerpt.length, 120)
  assert.isAtMost(error.message.length, 20_000)
}

const hold = ({ text, values }: Input): ReadonlyArray<string> => {
  const segments = checkSegments(text)
  const rendered = Template.render(text, values, owner)
  const bad = segments.filter(
    (one) => one._tag === "Malformed" || (one._tag === "Reference" && values.get(one.name) === undefined)
  )
  assert.strictEqual(Result.isFailure(rendered), bad.length > 0)
  const problems = bad.length > mostProblems ? undefined : Template.problems(text, values, owner)
  if (problems !== undefined) {
    assert.deepStrictEqual(
      problems.map((one) => one.offset),
      bad.map((one) => one.start)
    )
    for (const problem of problems.slice(0, 50)) checkPlace(text, problem)
  }
  if (Result.isFailure(rendered)) {
    checkPlace(text, rendered.failure)
    assert.strictEqual(rendered.failure.offset, bad[0]?.start)
    if (problems !== undefined) assert.deepStrictEqual(rendered.failure, problems[0])
    return [rendered.failure._tag]
  }
  const expected = segments
    .map((one) => (one._tag === "Reference" ? values.get(one.name) : text.slice(one.start, one.end)))
    .join("")
  assert.strictEqual(rendered.success, expected)
  assert.isTrue(Option.isNone(Template.sourceAt(text, values, expected.length)))
  assert.strictEqual(Option.isSome(Template.sourceAt(text, values, expected.length - 1)), expected !== "")
  return [segments.some((one) => one._tag === "Reference") ? "interpolated" : "literal"]
}

describe("templates", () => {
  it(
    "render or fail with a place, whatever is in them",
    () => {
      fuzz<Input>({
        title: "templates",
        seed: 7,
        runs: runs(300, 20_000),
        input: (random) => input(random, largest),
        property: hold,
        *smaller(one) {
          for (const text of smallerTexts(one.text)) yield { ...one, text }
        },
        show: ({ text, values }) => ({ text, values: [...values] }),
        least: { MalformedGroup: 20, UnknownVariable: 2, UndefinedVariable: 0.3, interpolated: 3, literal: 5 }
      })
    },
    patience
  )

  describe(`of ${largest} characters end, and read each character a few times only`, () => {
    for (const piece of [
      "{",
      "}",
      "{{",
      "}}",
      "{{a}}",
      "{{A}}",
      "{{{",
      "{{ ",
      "{{a",
      "{ {{",
      "{{x}}{{",
      "{{}",
      "\n{{",
      "}}{{",
      "a\n"
    ]) {
      const name = JSON.stringify(piece)
      it(
        name,
        () => {
          const text = piece.repeat(largest / piece.length)
          for (const one of [text, `${text}}}`, `{{${text}`, `{{${text}}}`]) {
            watched(() => hold({ text: one, values: new Map([["a", "b"]]) }))
          }
        },
        patience
      )
    }
  })
})
