/** Runs the command, in this process or in one of its own. */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { ProcessEnv } from "../../src/cli/ProcessEnv.ts"
import { run } from "../../src/cli/run.ts"
import { Columns } from "../../src/cli/Style.ts"

export const root = fileURLToPath(new URL("../..", import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface World {
  readonly stdin?: string | Uint8Array
  readonly env?: { readonly [name: string]: string }
  /** The columns of the terminal that standard output is, if it is one. */
  readonly columns?: number
}

const bytesOf = (chunk: string | Uint8Array): Uint8Array =>
  typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk

const textOf = (chunks: ReadonlyArray<string | Uint8Array>): string =>
  new TextDecoder("utf-8", { ignoreBOM: true, fatal: true }).decode(Buffer.concat(chunks.map(bytesOf)))

export const preamble = (args: ReadonlyArray<string>, world: World = {}): Effect.Effect<Ended> =>
  Effect.suspend(() => {
    const out: Array<string | Uint8Array> = []
    const err: Array<string | Uint8Array> = []
    const into = (chunks: Array<string | Uint8Array>) => () =>
      Sink.forEach((chunk: string | Uint8Array) => Effect.sync(() => void chunks.push(chunk)))
    const stdio = Stdio.layerTest({
      stdout: into(out),
      stderr: into(err),
      stdoutIsTerminal: Effect.succeed(world.columns !== undefined),
      stdin: world.stdin === undefined ? Stream.empty : Stream.make(bytesOf(world.stdin))
    })
    return run(args).pipe(
      Effect.provide(Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, stdio)),
      Effect.provideService(ProcessEnv, world.env ?? {}),
      Effect.provideService(Columns, () => world.columns),
      Effect.map((code) => ({ code, stdout: textOf(out), stderr: textOf(err) }))
    )
  })

/** A JSON failure on stderr. */
export const errorOf = (ended: Ended): { readonly [field: string]: unknown } => JSON.parse(ended.stderr).error

/** In a process of its own, with everything read at once. */
export const spawned = (
  args: ReadonlyArray<string>,
  options: { readonly stdin?: string; readonly env?: NodeJS.ProcessEnv } = {}
): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = start(args, options.env)
    const out: Array<Buffer> = []
    const err: Array<Buffer> = []
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk))
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk))
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, stdout: textOf(out), stderr: textOf(err) }))
    child.stdin.end(options.stdin ?? "")
  })

export const start = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = process.env) =>
  spawn(process.execPath, [fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url)), ...args], {
    cwd: root,
    env
  })
