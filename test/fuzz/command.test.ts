/** The same of the command: it never ends with 70, a bug of ours, and of a real file system it bears every name. */
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Stdio from "effect/Stdio"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import { InvalidComposition, load, loadFrom, Plugins } from "effect-preamble/composition"
import { ProcessEnv } from "../../src/cli/ProcessEnv.ts"
import { run } from "../../src/cli/run.ts"
import { Tally } from "../support/check.ts"
import { patience, runs } from "../support/runs.ts"
import { input } from "./support/compositions.ts"
import * as FakeFiles from "./support/FakeFiles.ts"
import { randomOf } from "./support/Fuzz.ts"
import { odd } from "./support/odd.ts"

const commands: readonly [ReadonlyArray<string>, ...ReadonlyArray<ReadonlyArray<string>>] = [
  ["check", "--no-plugins"],
  ["check", "--no-plugins", "--format", "json"],
  ["check", "--no-plugins", "--format", "sarif"],
  ["render", "--no-plugins"],
  ["render", "--no-plugins", "--format", "json"],
  ["explain", "--no-plugins"],
  ["tools", "--no-plugins"]
]

const ended = (args: ReadonlyArray<string>, content: string | Uint8Array, files: FakeFiles.FakeFiles) =>
  Effect.suspend(() => {
    const err: Array<string> = []
    const out: Array<string> = []
    const sink = (into: Array<string>) => () =>
      Sink.forEach((chunk: string | Uint8Array) =>
        Effect.sync(() => void into.push(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString()))
      )
    const stdin = Stream.make(typeof content === "string" ? new TextEncoder().encode(content) : content)
    const stdio = Stdio.layerTest({ stdin, stdout: sink(out), stderr: sink(err) })
    return run([...args, "-"]).pipe(
      Effect.provide(Layer.merge(files.layer, stdio)),
      Effect.provideService(ProcessEnv, { HOME: "/h" }),
      Effect.map((code) => ({ code, stdout: out.join(""), stderr: err.join("") }))
    )
  })

describe("the command", () => {
  it.effect(
    "ends with 0 or 1, whatever the file is",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        for (let i = 0; i < runs(60, 2_000); i++) {
          const random = randomOf(8, i)
          const command = random.pick(commands)
          const { content, files } = input(random, 10_000)
          const { code, stderr, stdout } = yield* ended(command, content, FakeFiles.make(files))
          const shown = typeof content === "string" ? JSON.stringify(content) : JSON.stringify([...content])
          const replay = `replay: randomOf(8, ${i}), preamble ${command.join(" ")} -`
          assert.include([0, 1], code, `${replay}\ninput: ${shown.slice(0, 4_000)}\n${stderr}`)
          if (code === 1) assert.isNotEmpty(stdout + stderr)
          tally.count(code === 0 ? "done" : "refused")
        }
        tally.assertShares("commands", { done: 2, refused: 30 })
      }),
    patience
  )
})

describe("names of files", () => {
  const names = [
    ...odd.paths.map((name) => name.replaceAll(/^['"]|['"]$/g, "")),
    "a\0b",
    "\ud800",
    "a?b#c%d",
    "data:text/plain,x",
    "node:fs"
  ]

  it.effect("are problems at their place, in a real file system", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      yield* fs.makeDirectory(`${folder}/guidance`)
      for (const name of names) {
        const quoted = JSON.stringify(name)
        const content = `sections: [{ name: s, order: 0, text: { file: ${quoted} } }]\ntools: [{ file: ${quoted} }]\n`
        const loaded = yield* Effect.exit(loadFrom({ file: "agent.yaml", content, folder }))
        if (loaded._tag === "Success" || name.includes("passwd")) continue
        for (const reason of loaded.cause.reasons) {
          assert.strictEqual(reason._tag, "Fail", `${quoted}: ${String(reason)}`)
          if (reason._tag === "Fail") assert.instanceOf(reason.error, InvalidComposition)
        }
        const itself = yield* Effect.exit(load(name))
        if (itself._tag === "Failure")
          assert.isTrue(
            itself.cause.reasons.every((one) => one._tag === "Fail"),
            quoted
          )
      }
    }).pipe(Effect.provide([NodeFileSystem.layer, NodePath.layer]))
  )

  it.effect("of plugins that cannot be imported are problems at their place", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      // Importing runs code, and reading a device has no end, as for whoever imports one by hand.
      for (const name of names.filter((name) => name !== "/dev/zero" && name !== "")) {
        const content = `plugins:\n  - ${JSON.stringify(name)}\n`
        const composition = yield* Effect.result(loadFrom({ file: "agent.yaml", content, folder }))
        if (composition._tag === "Failure") continue
        const error = yield* Effect.flip(Plugins.load(composition.success, { folder }))
        assert.deepStrictEqual(
          error.problems.map((one) => [one.line, one.column]),
          [[2, 5]],
          JSON.stringify(name)
        )
      }
    }).pipe(Effect.provide([NodeFileSystem.layer, NodePath.layer]))
  )
})
