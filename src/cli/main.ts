#!/usr/bin/env node
/**
 * The `preamble` command on Node.
 *
 * @since 0.1.0
 */
import { Buffer } from "node:buffer"
import { writeSync } from "node:fs"
import type { Writable } from "node:stream"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime"
import * as NodeStream from "@effect/platform-node-shared/NodeStream"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { type PlatformError, systemError } from "effect/PlatformError"
import * as Runtime from "effect/Runtime"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import { run } from "./run.ts"

/** A reader that has gone is `WriteZero`; the event beside the callback would end the process with a stack trace. */
const toPlatformError = (method: string) => (cause: unknown) => {
  const closed = cause instanceof Error && "code" in cause && cause.code === "EPIPE"
  const description = cause instanceof Error ? cause.message : String(cause)
  return systemError({ module: "Stdio", method, _tag: closed ? "WriteZero" : "Unknown", description, cause })
}

/** Waits until each chunk is handed over, so that the process may end right after, however slow the reader is. */
const sinkOf = (
  write: Writable["write"],
  method: string
): Sink.Sink<void, string | Uint8Array, never, PlatformError> => {
  const toError = toPlatformError(method)
  return Sink.forEach((chunk: string | Uint8Array) =>
    Effect.callback<void, PlatformError>((resume) => {
      write(Buffer.from(chunk), (error) =>
        resume(error === null || error === undefined ? Effect.void : Effect.fail(toError(error)))
      )
    })
  )
}

const ignoreError = (): void => {}

const answer = process.stdout.write.bind(process.stdout)
const message = process.stderr.write.bind(process.stderr)

// Standard output is for the answer alone. What plugins print, by console.log for instance, are messages.
process.stdout.write = message

/** Set when the command ends by itself. A plugin that ends the process before must not make it look done. */
let ended = false
process.on("exit", () => {
  if (ended) return
  writeSync(2, "the process was ended before the command was done, most likely by a plugin that calls process.exit\n")
  process.exitCode = 1
})

const stdio = Layer.sync(Stdio.Stdio, () => {
  for (const writable of [process.stdout, process.stderr]) writable.on("error", ignoreError)
  return Stdio.make({
    args: Effect.succeed(process.argv.slice(2)),
    stdinIsTerminal: Effect.sync(() => process.stdin.isTTY === true),
    stdoutIsTerminal: Effect.sync(() => process.stdout.isTTY === true),
    stderrIsTerminal: Effect.sync(() => process.stderr.isTTY === true),
    stdout: () => sinkOf(answer, "stdout"),
    stderr: () => sinkOf(message, "stderr"),
    stdin: NodeStream.fromReadable({
      evaluate: () => process.stdin,
      onError: toPlatformError("stdin"),
      closeOnDone: false
    })
  })
})

const services = Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, stdio)

// A plugin may have left a timer or a socket open, which must not keep the command from ending.
const teardown: Runtime.Teardown = (exit, onExit) => {
  ended = true
  if (Exit.isSuccess(exit) && typeof exit.value === "number") process.exit(exit.value)
  Runtime.defaultTeardown(exit, onExit)
}

run(process.argv.slice(2)).pipe(
  Effect.provide(services),
  NodeRuntime.runMain({ disableErrorReporting: true, teardown })
)
