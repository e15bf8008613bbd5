/**
 * How the command ends: what a failure says, in which form, and the exit code.
 *
 * 0 done · 1 a typed failure · 2 wrong usage · 70 a bug of ours. With `--format json` a failure is one line
 * `{"error":{"_tag":…,"message":…,…}}` on stderr.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { PlatformError } from "effect/PlatformError"
import * as Schema from "effect/Schema"
import type * as Stdio from "effect/Stdio"
import * as CliError from "effect/cli/CliError"
import type { Composition } from "../composition/Composition.ts"
import { UnknownScope } from "../composition/CompositionScopes.ts"
import { format, formatCount, InvalidComposition, maxProblems } from "../composition/InvalidComposition.ts"
import { placesOf } from "../composition/Places.ts"
import type { Place } from "../composition/SourceFile.ts"
import { MalformedGroup, PromptError, UndefinedVariable, UnknownVariable } from "../PromptError.ts"
import { MissingPeer } from "../tokens/Gpt.ts"
import { FormatError } from "../session/format/FormatError.ts"
import { SessionError } from "../session/SessionError.ts"
import { StoreError } from "../session/store/StoreError.ts"
import { FileExists } from "./FileExists.ts"
import { NothingFound } from "./NothingFound.ts"
import { NoSuchEvent } from "./NoSuchEvent.ts"
import * as Output from "./Output.ts"
import * as StoreMessage from "./StoreMessage.ts"

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
export const CommandError = Schema.Union([
  PromptError,
  InvalidComposition,
  UnknownScope,
  MissingPeer,
  FileExists,
  NothingFound,
  NoSuchEvent,
  SessionError,
  FormatError,
  StoreError
])
export type CommandError = typeof CommandError.Type

/** An error and where in the files its cause is. */
interface Located {
  readonly error: CommandError
  readonly places: ReadonlyArray<Place>
}

/** What a command fails with once the composition is known: the errors, the first of them first, with their places. */
export class Failed extends Data.TaggedError("Failed")<{
  readonly problems: ReadonlyArray<Located>
  /** How many problems there are. The first of them are in `problems`. */
  readonly total: number
}> {}

/** The answer is written, and the exit code is part of it. It is no failure, and nothing is said on stderr. */
export class Verdict extends Data.TaggedError("Verdict")<{ readonly code: number }> {}

export const exit = { done: 0, failed: 1, usage: 2, bug: 70 } as const

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/** Looks up the places of errors in the files of a composition. */
export const locate = (composition: Composition, errors: ReadonlyArray<CommandError>): Failed =>
  new Failed({
    total: errors.length,
    // A place costs a walk through its file; what is not shown has none.
    problems: errors
      .slice(0, maxProblems)
      .map((error) => ({ error, places: isPromptError(error) ? placesOf(composition, error) : [] }))
  })

const isPromptError = Schema.is(PromptError)

/** Wrong usage that only the command itself can see. The help is shown first, as after any other. */
export const misuse = (command: string, message: string): CliError.ShowHelp =>
  new CliError.ShowHelp({ commandPath: ["preamble", command], errors: [new CliError.UserError({ cause: message })] })

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

const encode = Schema.encodeUnknownEffect(Schema.toCodecJson(CommandError))

const json = (error: object): string => JSON.stringify({ error })

/** A typed failure, with every field that it has and every place that is known. */
export const report = (failure: CommandError | Failed, as: Format): Effect.Effect<number, never, Stdio.Stdio> => {
  const failed = failure._tag === "Failed" ? failure : { problems: [{ error: failure, places: [] }], total: 1 }
  return as === "text" ? reportText(failed) : reportJson(failed)
}

type Problems = Pick<Failed, "problems" | "total">

const reportText = ({ problems, total }: Problems): Effect.Effect<number, never, Stdio.Stdio> => {
  const blocks = problems.map(formatLocated)
  // All problems of rendering are told; of assembling and the like there is never more than the first.
  const count = problems.some((one) => isRenderError(one.error)) ? [formatCount(total)] : []
  return Effect.as(Output.stderr([...blocks, ...count].join("\n\n")), exit.failed)
}

const formatLocated = ({ error, places: [first, ...rest] }: Located): string => {
  if (error._tag === "InvalidComposition") return format(error)
  const what = `${error._tag}: ${messageOf(error)}`
  if (first === undefined) return what
  return [`${showPlace(first)}: ${what}`, first.frame, ...rest.flatMap((one) => [showPlace(one), one.frame])].join("\n")
}

const isStoreError = Schema.is(StoreError)

/** What stores say is for those who call them. */
const messageOf = (error: CommandError): string => (isStoreError(error) ? StoreMessage.make(error) : error.message)

const showPlace = ({ column, file, line }: Place): string => `${file}:${line}:${column}`

const reportJson = Effect.fnUntraced(function* ({ problems, total }: Problems) {
  const encoded = yield* Effect.forEach(problems, encodeLocated)
  const all = problems.some((one) => isRenderError(one.error)) ? { total, problems: encoded } : undefined
  yield* Output.stderr(JSON.stringify({ error: encoded[0], ...all }))
  return exit.failed
})

const encodeLocated = Effect.fnUntraced(function* ({ error, places }: Located) {
  const fields = yield* encode(error).pipe(
    // A cause may be anything, also what no encoder survives.
    Effect.catchCause(() => Effect.succeed({}))
  )
  const { _tag } = error
  const message = messageOf(error)
  const known =
    places.length === 0 ? undefined : { places: places.map(({ file, line, column }) => ({ file, line, column })) }
  return { _tag, message, ...(typeof fields === "object" ? fields : {}), ...known }
})

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

/** A folder cannot be watched, for instance because the system watches too many already. */
export const reportUnwatched = (error: PlatformError, as: Format): Effect.Effect<number, never, Stdio.Stdio> => {
  const message = `cannot watch for changes: ${error.message}`
  return Effect.as(Output.stderr(as === "json" ? json({ _tag: error._tag, message }) : message), exit.failed)
}

/** A bug of ours. What is thrown may be anything. */
export const reportBug = (defect: unknown, as: Format): Effect.Effect<number, never, Stdio.Stdio> => {
  const what = defect instanceof Error ? (defect.stack ?? defect.message) : String(defect)
  const message = `This is a bug of preamble. Please report it, with the command and these lines:\n${what}`
  return Effect.as(Output.stderr(as === "json" ? json({ _tag: "Defect", message }) : message), exit.bug)
}
