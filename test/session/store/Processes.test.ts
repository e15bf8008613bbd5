/** Logs that several processes write to, one after the other and at once. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Queue } from "effect"
import * as SessionFile from "../../../src/session/store/SessionFile.ts"
import { patience, Tally } from "../../support/check.ts"
import { seeded } from "../../support/random.ts"
import { runs } from "../../support/runs.ts"
import { batchAt, batchesOf } from "./batches.ts"
import { newLog, platform, readLog } from "./support.ts"

const script = fileURLToPath(new URL("./child.ts", import.meta.url))

// -----------------------------------------------------------------------------
// processes
// -----------------------------------------------------------------------------

interface Running {
  readonly child: ChildProcess
  /** What it has said, line by line; `undefined` when it has ended. */
  readonly said: Queue.Queue<string | undefined>
  /** Everything that it has said on stderr, once it has ended. */
  readonly complaint: Deferred.Deferred<string>
}

const run = (command: string, args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      const said = yield* Queue.unbounded<string | undefined>()
      const complaint = yield* Deferred.make<string>()
      const child = spawn(command, args)
      let rest = ""
      let errors = ""
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        const lines = (rest + text).split("\n")
        rest = lines.pop() ?? ""
        Queue.offerAllUnsafe(said, lines)
      })
      child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text))
      child.on("close", () => {
        Queue.offerUnsafe(said, undefined)
        Deferred.doneUnsafe(complaint, Effect.succeed(errors))
      })
      return { child, said, complaint } satisfies Running
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )

const node = (...args: ReadonlyArray<string>) => run(process.execPath, [script, ...args])

/** All lines that it still has to say. */
const remaining = Effect.fnUntraced(function* ({ said }: Running) {
  const lines: Array<string> = []
  for (;;) {
    const line = yield* Queue.take(said)
    if (line === undefined) return lines
    lines.push(line)
  }
})

// -----------------------------------------------------------------------------
// kill -9
// -----------------------------------------------------------------------------

type Moment = "running" | "half" | "written"

interface Life {
  /** The length of the log that was acknowledged. */
  readonly acknowledged: number
  readonly repaired: number
}

/**
 * Lets a process write, and kills it during or after the append of this count: somewhere, as it runs on; in the middle of
 * its write; or between its write and its fsync.
 */
const life = (log: string, length: number, count: number, moment: Moment) =>
  Effect.scoped(
    Effect.gen(function* () {
      const running = yield* node("write", log, String(length), String(count), moment)
      let acknowledged = 0
      let repaired = 0
      let appends = 0
      for (;;) {
        const line = yield* Queue.take(running.said)
        if (line === undefined) break
        const [word, first, second] = line.split(" ")
        if (word === "open") repaired = Number(second)
        if (word === "done") appends++
        if (word === "stalled") running.child.kill("SIGKILL")
        else acknowledged = Number(first)
        if (moment === "running" && appends === count) running.child.kill("SIGKILL")
      }
      assert.strictEqual(yield* Deferred.await(running.complaint), "")
      return { acknowledged, repaired } satisfies Life
    })
  )

describe("a process that is killed", () => {
  it.effect(
    "at any moment loses no event that was acknowledged, shows no part of an append, and changes no order",
    () =>
      Effect.gen(function* () {
        const random = seeded(11)
        const log = yield* newLog
        const appends = runs(300, 3000)
        const length = batchesOf(4 * appends)
          .slice(0, appends)
          .reduce((sum, batch) => sum + batch.length, 0)
        const tally = new Tally()
        let before = 0
        let torn = 0
        const moments: ReadonlyArray<Moment> = ["half", "written", "running"]
        for (let lives = 0; before < length; lives++) {
          const moment = moments[lives % 3] ?? "half"
          const { acknowledged, repaired } = yield* life(log, length, 30 + random.below(50), moment)
          const inspection = yield* SessionFile.inspect(log)
          const events = yield* readLog(log)
          assert.strictEqual(repaired, torn, "what was cut off is what was torn")
          torn = inspection.torn?.bytes ?? 0
          assert.isAtLeast(acknowledged, before)
          assert.isAtLeast(events.length, acknowledged)
          assert.isAtMost(events.length - acknowledged, batchAt(acknowledged).length)
          assert.deepStrictEqual(events, batchesOf(events.length).flat())
          assert.strictEqual(inspection.next, events.length)
          const isNew = events.length > acknowledged
          tally.count(`killed ${moment}`, torn > 0 ? "torn" : isNew ? "whole, not acknowledged" : "acknowledged")
          before = events.length
        }
        tally.assertShares("lives of a writer", { torn: 15, "whole, not acknowledged": 15, "killed running": 15 })
      }).pipe(Effect.provide(platform)),
    runs(patience, 10 * patience)
  )

  it.effect(
    "lets go of the log at once",
    () =>
      Effect.gen(function* () {
        const log = yield* newLog
        const first = yield* node("hold", log)
        assert.strictEqual(yield* Queue.take(first.said), "open 0")
        const error = yield* Effect.flip(SessionFile.open(log))
        assert.strictEqual(error._tag, "LogBusy")
        const second = yield* node("hold", log)
        assert.deepStrictEqual(yield* remaining(second), ["LogBusy"])
        assert.deepStrictEqual(yield* readLog(log), [], "who only reads is not held up")
        first.child.kill("SIGKILL")
        yield* remaining(first)
        const writer = yield* SessionFile.open(log)
        yield* writer.append(batchAt(0))
        const third = yield* node("hold", log)
        assert.deepStrictEqual(yield* remaining(third), ["LogBusy"])
      }).pipe(Effect.provide(platform)),
    patience
  )
})

// -----------------------------------------------------------------------------
// a full disk
// -----------------------------------------------------------------------------

/** What `fill` says: the error, its message, and the log as it is then. */
const outcome = Effect.fnUntraced(function* (running: Running) {
  const [error = "{}", message = "", state = "{}", ...more] = yield* remaining(running)
  assert.strictEqual(yield* Deferred.await(running.complaint), "")
  return { error: JSON.parse(error), message, state: JSON.parse(state), more }
})

const isWhole = (length: number): boolean => batchesOf(length).flat().length === length

const unshare = "unshare"

/** A small file system, of which only the processes in it know. */
const small = ["-rm", "sh", "-c", 'mount -t tmpfs -o size=64k none "$0" && cd "$0" && exec "$@"'] as const

const canMount = spawnSync(unshare, [...small, "/tmp", "true"]).status === 0
if (!canMount) console.log("A full disk: no small file system can be mounted here, so that test is left out.")

describe("a full disk", () => {
  it.effect.skipIf(!canMount)(
    "is told, leaves the log as it was acknowledged, and the log goes on when there is room",
    () =>
      Effect.gen(function* () {
        const folder = (yield* newLog).replace(/\/[^/]*$/u, "")
        const ballast = 'head -c 32768 /dev/zero > ballast; exec "$@"'
        const running = yield* run(unshare, [
          ...small,
          folder,
          "sh",
          "-c",
          ballast,
          "sh",
          process.execPath,
          script,
          "fill",
          `${folder}/log`,
          `${folder}/ballast`
        ])
        const { error, message, more, state } = yield* outcome(running)
        assert.deepInclude(error, { _tag: "AppendFailed", full: true, undone: true })
        assert.include(message, "no space left")
        assert.include(message, "ENOSPC")
        assert.isAbove(state.acknowledged, 10)
        assert.deepInclude(state, { events: state.acknowledged, next: state.acknowledged, writable: true })
        assert.notProperty(state, "torn")
        assert.isTrue(isWhole(state.acknowledged))
        assert.deepStrictEqual(more, [`done ${state.acknowledged + batchAt(state.acknowledged).length}`])
      }).pipe(Effect.provide(platform)),
    patience
  )

  it.effect(
    "and a limit of the size of files, which every system has: the kernel writes a part and refuses the rest",
    () =>
      Effect.gen(function* () {
        const log = yield* newLog
        const running = yield* run("sh", ["-c", 'ulimit -f 50; exec "$@"', "sh", process.execPath, script, "fill", log])
        const { error, message, state } = yield* outcome(running)
        assert.deepInclude(error, { _tag: "AppendFailed", full: false, undone: true })
        assert.include(message, "EFBIG")
        assert.isAbove(state.acknowledged, 10)
        assert.deepInclude(state, { events: state.acknowledged, next: state.acknowledged })
        const events = yield* readLog(log)
        assert.deepStrictEqual(events, batchesOf(events.length).flat())
        assert.lengthOf(events, state.acknowledged)
      }).pipe(Effect.provide(platform)),
    patience
  )
})
