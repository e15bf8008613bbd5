/**
 * Where the command writes: the answer and nothing else to stdout, all else to stderr.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { PlatformError } from "effect/PlatformError"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"

const encoder = new TextEncoder()

/** Writes the bytes of a text and waits until they are handed over. */
export const stdout = (text: string): Effect.Effect<void, PlatformError, Stdio.Stdio> =>
  Effect.flatMap(Stdio.Stdio, (stdio) => Stream.run(Stream.make(encoder.encode(text)), stdio.stdout()))

/**
 * What could steer a terminal or hide from the eye: control characters other than tab and line break, and characters
 * that change the direction of text. As `\u` escapes they mean the same in JSON.
 */
const harmless = (text: string): string =>
  text.replace(
    /(?![\t\n])\p{Cc}|\p{Bidi_Control}/gu,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

/** Messages are lines. They quote what stands in files. Where not even they can be written, the exit code has to do. */
export const stderr = (text: string): Effect.Effect<void, never, Stdio.Stdio> =>
  Effect.flatMap(Stdio.Stdio, (stdio) =>
    Stream.run(Stream.make(encoder.encode(`${harmless(text)}\n`)), stdio.stderr())
  ).pipe(Effect.ignore)

/** Whether a failure says that the reader has gone, as `head` does: it has all it wants, so that is no failure. */
export const isClosed = (error: unknown): boolean =>
  error instanceof PlatformError && error.reason._tag === "WriteZero" && error.reason.module === "Stdio"
