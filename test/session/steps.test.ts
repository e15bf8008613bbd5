import { assert, describe, it } from "@effect/vitest"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import { Arbitrary, Cause, Effect, Exit, FileSystem, Layer, Schema, Scope, Stream } from "effect"
import * as AgentStep from "../../src/session/AgentStep.ts"
import * as Session from "../../src/session/Session.ts"
import * as SessionLog from "../../src/session/SessionLog.ts"
import * as FileStore from "../../src/session/store/FileStore.ts"
import * as MemoryStore from "../../src/session/store/MemoryStore.ts"
import { SessionStore } from "../../src/session/store/SessionStore.ts"
import { AppendFailed } from "../../src/session/store/StoreError.ts"
import { check, Tally } from "../support/check.ts"
import { patience, runs } from "../support/runs.ts"
import { answer, appending, header, layer, plain, world } from "./support/agent.ts"
import { programs } from "./support/lives.ts"
import { act, Life } from "./support/steps.ts"
import { nesting, reread } from "./support/words.ts"

const files = Layer.merge(NodeFileSystem.layer, NodePath.layer)

/** The store has what the memory has, to the very objects. */
const agrees = Effect.fnUntraced(function* (log: SessionLog.SessionLog) {
  const stored = yield* SessionStore.use((store) => Stream.runCollect(store.read(log.header.id)))
  const events = SessionLog.events(log)
  assert.strictEqual(stored.length, events.length)
  for (const [i, event] of events.entries()) assert.strictEqual(stored[i], event)
})

describe("random lives of a session", () => {
  it.effect(
    "[260] log what is new and nothing else, and every request of them follows from the log",
    () => {
      const tally = new Tally()
      return Effect.map(
        check(
          programs,
          (program) =>
            Effect.suspend(() => {
              const own = world()
              return Effect.gen(function* () {
                const life = yield* Life.begin(own, tally)
                for (const action of program) {
                  yield* act(life, action)
                  yield* agrees(yield* life.log)
                }
                yield* life.check()
              }).pipe(Effect.provide(layer(own)))
            }),
          { runs: runs(70, 5_000), seed: 11, size: 40 }
        ),
        () =>
          // Of all that was counted: a step counts once, and each of its requests.
          tally.assertShares("lives", {
            step: 10,
            appended: 1,
            replaced: 1,
            series: 2,
            "tools told": 1,
            "equal step": 1,
            whole: 15,
            broken: 10,
            twin: 4,
            together: 2,
            retry: 2,
            moved: 0.1,
            "went on": 0.3,
            "the same again": 0.3,
            compaction: 4,
            "of a prompt": 0.2,
            "of a snapshot": 1,
            refused: 1,
            settled: 0.3,
            split: 0.3,
            interrupted: 1,
            failed: 1,
            unrendered: 1,
            places: 0.5,
            crash: 1,
            restart: 1
          })
      )
    },
    patience
  )
})

describe("random lives of a session in a file", () => {
  it.effect(
    "[260] go on from what the file says",
    () => {
      const tally = new Tally()
      return check(
        programs,
        (program) =>
          Effect.gen(function* () {
            const folder = yield* FileSystem.FileSystem.use((fs) => fs.makeTempDirectoryScoped())
            const own = world()
            yield* Effect.gen(function* () {
              const life = yield* Life.begin(own, tally)
              for (const action of program) {
                yield* act(life, action)
                if (action.c % 3 === 0) yield* life.restart()
              }
              yield* life.check()
              const stored = yield* SessionStore.use((store) => Stream.runCollect(store.read("s")))
              assert.deepStrictEqual(stored, SessionLog.events(yield* life.log))
            }).pipe(Effect.provide(layer(own, FileStore.layer({ folder, fsync: false }))))
          }).pipe(Effect.scoped, Effect.provide(files)),
        { runs: runs(10, 300), seed: 23, size: 40 }
      ).pipe(Effect.map(() => tally.assertShares("lives in files", { step: 10, compaction: 4, "equal step": 1 })))
    },
    patience
  )
})

// -----------------------------------------------------------------------------
// a store that fails
// -----------------------------------------------------------------------------

const faults = ["refuses", "breaks", "dies", "lies"] as const

/** Fails one append, in a way that a store may: before it writes, or after that without saying so. */
const failing = (fault: (typeof faults)[number], at: number) =>
  appending(MemoryStore.layer, (write, tried) => {
    if (tried !== at) return write
    const failed = (undone: boolean) =>
      Effect.fail(new AppendFailed({ log: "s", full: false, undone, cause: new Error("the disk is broken") }))
    switch (fault) {
      case "refuses":
        return failed(true)
      case "breaks":
        return Effect.andThen(Effect.yieldNow, failed(true))
      case "dies":
        return Effect.die("a bug")
      case "lies":
        return Effect.andThen(write, failed(false))
    }
  })

const arbitrary = Arbitrary.all([
  Arbitrary.schema(Schema.Literals(faults)),
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 11 }))),
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 })))
])

describe("a session whose store fails once", () => {
  it.effect(
    "has in memory what the store has, and goes on; or, where the store cannot say what it has, takes nothing more",
    () => {
      const tally = new Tally()
      return Effect.map(
        check(
          arbitrary,
          ([fault, at, cut]) =>
            Effect.suspend(() => {
              const own = world()
              return Effect.gen(function* () {
                const scope = yield* Scope.make()
                const session = yield* Session.create(header()).pipe(Scope.provide(scope))
                let failures = 0
                for (let i = 0; i < 6; i++) {
                  if (i === 3) own.persona = "You are Zinc."
                  const before = yield* session.state
                  const use = (step: AgentStep.AgentStep) =>
                    i === cut ? Effect.fail("no model") : Effect.asVoid(step.commit([answer(step)]))
                  const exit = yield* Effect.exit(
                    AgentStep.run<void, unknown, never>(session, { route: plain, said: [{ content: `${i}` }] }, use)
                  )
                  const after = yield* session.state
                  const causes = Exit.isFailure(exit) ? Cause.pretty(exit.cause) : ""
                  if (i === cut && failures === 0 && after.log.length > before.log.length) {
                    assert.include(causes, "no model", "also where the end fails, too")
                  }
                  if (/AppendFailed|UnexpectedSeq|a bug/.test(causes)) failures++
                  if (fault === "lies" && failures > 0) {
                    if (i < 5) continue
                    assert.match(causes, /UnexpectedSeq/)
                  } else {
                    yield* agrees(after.log)
                    if (Exit.isSuccess(exit)) assert.deepStrictEqual(nesting(after.log), ["turn"])
                  }
                }
                assert.strictEqual(failures > 0, true)
                if (fault !== "lies") assert.strictEqual(failures, 1)
                tally.count(fault, failures > 1 ? "more failed" : "one failed")
                yield* Scope.close(scope, Exit.void)
                const again = yield* Session.open("s")
                yield* AgentStep.run(again, { route: plain }, (step) => step.commit([answer(step)]))
                const log = yield* Session.log(again)
                yield* agrees(log)
                assert.deepStrictEqual(nesting(log), ["turn"])
                assert.deepStrictEqual(nesting(reread(log)), ["turn"])
              }).pipe(Effect.scoped, Effect.provide(layer(own, failing(fault, at))))
            }),
          { runs: runs(150, 5_000), seed: 5 }
        ),
        () =>
          tally.assertShares("faults", {
            refuses: 10,
            breaks: 10,
            dies: 10,
            lies: 10,
            "one failed": 50,
            "more failed": 10
          })
      )
    },
    patience
  )
})
