#!/usr/bin/env node
/**
 * The `preamble` command on Node.
 *
 * @since 0.1.0
 */
import { Buffer } from "node:buffer"
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
const sinkOf = (writable: Writable, method: string): Sink.Sink<void, string | Uint8Array, never, PlatformError> => {
  const toError = toPlatformError(method)
  return Sink.forEach((chunk: string | Uint8Array) =>
    Effect.callback<void, PlatformError>((resume) => {
      writable.write(Buffer.from(chunk), (error) =>
        resume(error === null || error === undefined ? Effect.void : Effect.fail(toError(error)))
      )
    })
  )
}

const ignoreError = (): void => {}

const stdio = Layer.sync(Stdio.Stdio, () => {
  for (const writable of [process.stdout, process.stderr]) writable.on("error", ignoreError)
  return Stdio.make({
    args: Effect.succeed(process.argv.slice(2)),
    stdout: () => sinkOf(process.stdout, "stdout"),
    stderr: () => sinkOf(process.stderr, "stderr"),
    stdin: NodeStream.fromReadable({
      evaluate: () => process.stdin,
      onError: toPlatformError("stdin"),
      closeOnDone: false
    })
  })
})

const services = Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, stdio)

// A plugin may have left a timer or a socket open, which must not keep the command from ending.
const teardown: Runtime.Teardown = (exit, onExit) =>
  Exit.isSuccess(exit) && typeof exit.value === "number"
    ? process.exit(exit.value)
    : Runtime.defaultTeardown(exit, onExit)

run(process.argv.slice(2)).pipe(
  Effect.provide(services),
  NodeRuntime.runMain({ disableErrorReporting: true, teardown })
)
