import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import * as Layer from "effect/Layer"
import { systemError } from "effect/PlatformError"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { run } from "../../src/cli/run.ts"

const withStdio = (args: ReadonlyArray<string>, stdio: Partial<Stdio.Stdio>, fs: Partial<FileSystem.FileSystem> = {}) =>
  Effect.suspend(() => {
    const messages: Array<string> = []
    const stderr = () =>
      Sink.forEach((chunk: string | Uint8Array) =>
        Effect.sync(() => void messages.push(typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk)))
      )
    const services = Layer.mergeAll(FileSystem.layerNoop(fs), NodePath.layer, Stdio.layerTest({ stderr, ...stdio }))
    return Effect.exit(run(args).pipe(Effect.provide(services))).pipe(
      Effect.map((exit) => ({ exit, stderr: messages.join("") }))
    )
  })

const stdin = Stream.make(new TextEncoder().encode("identity: x"))

describe("run", () => {
  it.effect("a bug of ours ends with 70 and asks for a report, in text and in JSON", () =>
    Effect.gen(function* () {
      const fs = { stat: () => Effect.die(new Error("a bug for this test")) }
      const text = yield* withStdio(["render", "a.yaml"], {}, fs)
      assert.deepStrictEqual(text.exit, Exit.succeed(70))
      assert.include(text.stderr, "This is a bug of preamble. Please report it")
      assert.include(text.stderr, "a bug for this test")
      const json = yield* withStdio(["render", "a.yaml", "--format", "json"], {}, fs)
      assert.deepStrictEqual(json.exit, Exit.succeed(70))
      assert.strictEqual(JSON.parse(json.stderr).error._tag, "Defect")
    })
  )

  const broken = (tag: "WriteZero" | "Unknown") => () =>
    Sink.forEach(() => Effect.fail(systemError({ module: "Stdio", method: "stdout", _tag: tag })))

  it.effect("a reader that has gone is no failure; another failure to write is one", () =>
    Effect.gen(function* () {
      const gone = yield* withStdio(["render", "-"], { stdin, stdout: broken("WriteZero") })
      assert.deepStrictEqual([gone.exit, gone.stderr], [Exit.succeed(0), ""])
      const full = yield* withStdio(["render", "-"], { stdin, stdout: broken("Unknown") })
      assert.deepStrictEqual(full.exit, Exit.succeed(1))
      assert.include(full.stderr, "cannot write")
    })
  )

  it.effect("interruption stays interruption", () =>
    Effect.gen(function* () {
      const { exit } = yield* withStdio(["render", "-"], { stdin: Stream.fromEffect(Effect.interrupt) })
      assert.isTrue(Exit.hasInterrupts(exit))
    })
  )

  it.effect("standard input that cannot be read is a typed failure", () =>
    Effect.gen(function* () {
      const failing = Stream.fail(systemError({ module: "Stdio", method: "stdin", _tag: "Unknown" }))
      const { exit, stderr } = yield* withStdio(["render", "-"], { stdin: failing })
      assert.deepStrictEqual(exit, Exit.succeed(1))
      assert.include(stderr, 'cannot read "-"')
    })
  )
})
