/**
 * How the command ends: what a failure says, in which form, and the exit code.
 *
 * 0 done · 1 a typed failure · 2 wrong usage · 70 a bug of ours. With `--format json` a failure is one line
 * `{"error":{"_tag":…,"message":…,…}}` on stderr.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { PlatformError } from "effect/PlatformError"
import * as Schema from "effect/Schema"
import type * as Stdio from "effect/Stdio"
import type * as CliError from "effect/cli/CliError"
import type { Composition } from "../composition/Composition.ts"
import { UnknownScope } from "../composition/CompositionScopes.ts"
import { format, InvalidComposition } from "../composition/InvalidComposition.ts"
import * as Source from "../composition/Source.ts"
import { MalformedGroup, type Owner, PromptError, UndefinedVariable, UnknownVariable } from "../PromptError.ts"
import * as Output from "./Output.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

export const Format = Schema.Literals(["text", "json"])
export type Format = typeof Format.Type

/**
 * What a command may fail with when it was used rightly.
 *
 * @since 0.1.0
 * @category errors
 */
export const CommandError = Schema.Union([PromptError, InvalidComposition, UnknownScope])
export type CommandError = typeof CommandError.Type

export const exit = { done: 0, failed: 1, usage: 2, bug: 70 } as const

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

const encode = Schema.encodeUnknownEffect(Schema.toCodecJson(CommandError))

const json = (error: object): string => JSON.stringify({ error })

/** A typed failure, with every field that it has. */
export const report = (error: CommandError, as: Format): Effect.Effect<number, never, Stdio.Stdio> =>
  Effect.gen(function* () {
    if (as === "text") {
      yield* Output.stderr(error._tag === "InvalidComposition" ? format(error) : `${error._tag}: ${error.message}`)
    } else {
      const encoded = yield* encode(error).pipe(Effect.orElseSucceed(() => ({})))
      const { _tag, message } = error
      yield* Output.stderr(json({ _tag, message, ...(typeof encoded === "object" ? encoded : {}) }))
    }
    return exit.failed
  })

/** Where the text stands that cannot be rendered: the error itself knows its section, and a place in its text. */
export const showPlace = (composition: Composition, error: CommandError): Effect.Effect<void, never, Stdio.Stdio> => {
  const path = isRenderError(error) ? textPath(composition, error) : undefined
  if (path === undefined) return Effect.void
  const { document } = composition
  return Output.stderr(Source.showPlace(document.source, document.locate(path)))
}

const textPath = (composition: Composition, owner: Owner): Source.Path | undefined => {
  const contents = [composition.global, ...composition.scopes].find((one) => one.scope === owner.scope)
  const parts = owner.kind === "section" ? contents?.sections : contents?.contexts
  const part = parts?.find((one) => one.value.name === owner.entry)
  if (part !== undefined) return [...part.path, "text"]
  return owner.scope === "global" ? composition.builtIns.get(owner.entry) : undefined
}

const isRenderError = Schema.is(Schema.Union([UnknownVariable, UndefinedVariable, MalformedGroup]))

/** Wrong usage. In text the help has been shown already, by the presenter. */
export const reportUsage = (
  errors: ReadonlyArray<CliError.CliError>,
  as: Format
): Effect.Effect<number, never, Stdio.Stdio> => {
  const problems = errors.map((error) => ({ _tag: error._tag, message: error.message }))
  const message = problems.map((problem) => problem.message).join("\n")
  return as === "json"
    ? Effect.as(Output.stderr(json({ _tag: "WrongUsage", message, problems })), exit.usage)
    : Effect.succeed(exit.usage)
}

/** Standard output cannot be written to, for instance because the disk is full. */
export const reportUnwritten = (error: PlatformError, as: Format): Effect.Effect<number, never, Stdio.Stdio> => {
  const message = `cannot write the answer: ${error.message}`
  return Effect.as(Output.stderr(as === "json" ? json({ _tag: error._tag, message }) : message), exit.failed)
}

/** A bug of ours. What is thrown may be anything. */
export const reportBug = (defect: unknown, as: Format): Effect.Effect<number, never, Stdio.Stdio> => {
  const what = defect instanceof Error ? (defect.stack ?? defect.message) : String(defect)
  const message = `This is a bug of preamble. Please report it, with the command and these lines:\n${what}`
  return Effect.as(Output.stderr(as === "json" ? json({ _tag: "Defect", message }) : message), exit.bug)
}
