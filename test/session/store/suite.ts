/** What every store must do, whatever it keeps the logs in. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Pull, Scope, Stream } from "effect"
import * as Event from "../../../src/session/Event.ts"
import type { SessionStore } from "../../../src/session/store/SessionStore.ts"
import { patience, Tally } from "../../support/check.ts"
import { seeded } from "../../support/random.ts"
import { runs } from "../../support/runs.ts"
import { untyped } from "../../support/untyped.ts"
import { collect, program, type Subject } from "./program.ts"
import { append, headerOf, note, notes } from "./support.ts"

type Store = SessionStore["Service"]

/** What differs between stores. */
export interface Features {
  /** Whether a log has one writer, so that a second one is refused; or several, of which the slower one conflicts. */
  readonly writers: "one" | "several"
}

const create = (store: Store, id: string, count: number) =>
  Effect.scoped(Effect.flatMap(store.create(headerOf(id)), (writer) => append(writer, count)))

export const conforms = (
  title: string,
  subject: Effect.Effect<Subject, never, Scope.Scope>,
  features: Features
): void => {
  const test = (name: string, body: (subject: Subject) => Effect.Effect<void, unknown, Scope.Scope>) =>
    it.effect(name, () => Effect.flatMap(subject, body), patience)

  describe(`${title}: sessions`, () => {
    test("are listed by id, and found under it after a restart", ({ restart, store }) =>
      Effect.gen(function* () {
        const ids = [
          "b",
          "a",
          "{{session:1}}",
          "..",
          ".",
          ".a",
          "a/b",
          "a\\b",
          "C:*?",
          "é",
          "\u{1f600}",
          "a b%20",
          "A ",
          "x".repeat(100)
        ]
        assert.deepStrictEqual(yield* store.list, [])
        for (const [i, id] of ids.entries()) yield* create(store, id, i)
        const again = yield* restart
        for (const one of [store, again]) {
          assert.deepStrictEqual(yield* one.list, ids.toSorted())
          for (const [i, id] of ids.entries()) {
            assert.deepStrictEqual(yield* one.inspect(id), {
              header: headerOf(id),
              next: i,
              torn: undefined,
              writable: true
            })
            assert.deepStrictEqual(yield* collect(one, id), notes(0, i))
          }
        }
      }))

    test("are not there before they are created", ({ store }) =>
      Effect.gen(function* () {
        const open = Effect.asVoid(store.open("a"))
        for (const effect of [open, Effect.asVoid(store.inspect("a")), Effect.asVoid(collect(store, "a"))]) {
          const error = yield* Effect.flip(effect)
          assert.strictEqual(error._tag, "LogNotFound")
          assert.include(error.message, "is not there")
        }
      }))

    test("are created once, and stay as they are", ({ store }) =>
      Effect.gen(function* () {
        yield* create(store, "a", 2)
        const error = yield* Effect.flip(store.create({ ...headerOf("a"), createdAt: 1 }, Stream.make(note(0, "x"))))
        assert.strictEqual(error._tag, "LogExists")
        assert.include(error.message, "already")
        assert.deepStrictEqual((yield* store.inspect("a")).header, headerOf("a"))
        assert.deepStrictEqual(yield* collect(store, "a"), notes(0, 2))
        // What was refused holds nothing.
        yield* store.open("a")
      }))

    test("keep members of the header that nobody knows, and refuse a header that could not be read again", ({
      store
    }) =>
      Effect.gen(function* () {
        const header = { ...headerOf("a"), cwd: "/w", crc: "0:00000000", more: [1, { deep: "\n" }] }
        yield* Effect.scoped(store.create(header))
        assert.deepStrictEqual((yield* store.inspect("a")).header, header)
        const error = yield* Effect.flip(store.create({ ...headerOf("b"), createdAt: Number.NaN }))
        assert.strictEqual(error._tag, "InvalidHeader")
        assert.deepStrictEqual(yield* store.list, ["a"])
      }))
  })

  describe(`${title}: a seed`, () => {
    test("is the beginning of the log", ({ restart, store }) =>
      Effect.gen(function* () {
        yield* Effect.scoped(
          Effect.gen(function* () {
            const writer = yield* store.create(headerOf("a"), Stream.fromArray(notes(0, 5)))
            assert.strictEqual(yield* writer.next, 5)
            yield* append(writer, 2)
          })
        )
        assert.deepStrictEqual(yield* collect(yield* restart, "a"), notes(0, 7))
      }))

    test("that is not all there leaves no session, and does not keep others from creating it", ({ restart, store }) =>
      Effect.gen(function* () {
        const started = yield* Deferred.make<void>()
        const some = Stream.fromArray(notes(0, 5))
        const failing = yield* Effect.flip(store.create(headerOf("a"), Stream.concat(some, Stream.fail("no more"))))
        assert.strictEqual(failing, "no more")
        const gap = yield* Effect.flip(store.create(headerOf("a"), Stream.concat(some, Stream.make(note(6)))))
        assert.deepInclude(gap, { _tag: "SurfaceViolation", rule: "dense-seq", seq: 6, seqs: [5] })
        const hanging = Stream.concat(
          some,
          Stream.fromEffect(Effect.andThen(Deferred.succeed(started, undefined), Effect.never))
        )
        const fiber = yield* Effect.forkChild(Effect.scoped(store.create(headerOf("a"), hanging)))
        yield* Deferred.await(started)
        yield* Fiber.interrupt(fiber)
        for (const one of [store, yield* restart]) {
          assert.deepStrictEqual(yield* one.list, [])
          assert.strictEqual((yield* Effect.flip(one.inspect("a")))._tag, "LogNotFound")
        }
        yield* create(store, "a", 1)
        assert.deepStrictEqual(yield* collect(store, "a"), notes(0, 1))
      }))
  })

  describe(`${title}: an append`, () => {
    test("keeps its events as they were when it was called", ({ restart, store }) =>
      Effect.gen(function* () {
        const data: { list: Array<number> } = { list: [1] }
        yield* Effect.scoped(
          Effect.gen(function* () {
            const writer = yield* store.create(headerOf("a"))
            yield* writer.append([untyped({ ...note(0), data })])
            data.list.push(2)
          })
        )
        for (const one of [store, yield* restart]) {
          const [event] = yield* collect(one, "a")
          assert.deepStrictEqual(event, note(0, { list: [1] }))
          assert.isTrue(Event.isEvent(event))
          assert.isTrue(Object.isFrozen(event?.data))
        }
      }))

    test("of nothing does nothing, whatever the state of the log", ({ store }) =>
      Effect.gen(function* () {
        const writer = yield* store.create(headerOf("a"))
        yield* writer.append([])
        assert.strictEqual(yield* writer.next, 0)
      }))

    test("that was made for another state of the log is refused with both numbers", ({ store }) =>
      Effect.gen(function* () {
        const writer = yield* store.create(headerOf("a"))
        yield* append(writer, 2)
        for (const seq of [0, 1, 3, 99]) {
          const error = yield* Effect.flip(writer.append(notes(seq, 2)))
          assert.deepInclude(error, { _tag: "UnexpectedSeq", expected: seq, actual: 2 })
          assert.include(error.message, `seq ${seq}`)
          assert.include(error.message, "seq 2")
        }
        assert.deepStrictEqual(yield* collect(store, "a"), notes(0, 2))
        yield* append(writer, 1)
        assert.deepStrictEqual(yield* collect(store, "a"), notes(0, 3))
      }))

    test("[274] with one event that cannot be kept keeps none; the next one gets the same seq", ({ store }) =>
      Effect.gen(function* () {
        const writer = yield* store.create(headerOf("a"))
        yield* append(writer, 1)
        const bad: ReadonlyArray<readonly [tag: string, event: object]> = [
          ["SurfaceViolation", note(4)],
          ["SurfaceViolation", note(2)],
          ["InvalidEvent", { ...note(3), data: undefined }],
          ["InvalidEvent", { ...note(3), data: [-0] }],
          ["InvalidEvent", { ...note(3), data: Number.NaN }],
          ["InvalidEvent", { ...note(3), crc: "0:00000000" }],
          ["InvalidEvent", { ...note(3), type: "user/message", surfaceOp: "append" }],
          ["SurfaceViolation", { ...note(3), surfaceOp: "append" }]
        ]
        for (const [tag, event] of bad) {
          const error = yield* Effect.flip(writer.append([note(1), note(2), untyped(event), note(4)]))
          assert.strictEqual(error._tag, tag, JSON.stringify(event))
          assert.strictEqual(yield* writer.next, 1)
        }
        assert.deepStrictEqual(yield* collect(store, "a"), notes(0, 1))
        yield* append(writer, 4)
        assert.deepStrictEqual(yield* collect(store, "a"), notes(0, 5))
      }))

    test("by a writer whose scope has closed is refused", ({ store }) =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const writer = yield* Scope.provide(store.create(headerOf("a")), scope)
        yield* append(writer, 1)
        yield* Scope.close(scope, Exit.void)
        const error = yield* Effect.flip(append(writer, 1))
        assert.strictEqual(error._tag, "WriterUnusable")
        assert.include(error.message, "closed")
        assert.deepStrictEqual(yield* collect(store, "a"), notes(0, 1))
      }))

    test("that is interrupted is there as a whole or not at all", ({ restart, store }) =>
      Effect.gen(function* () {
        const writer = yield* store.create(headerOf("a"))
        const tally = new Tally()
        for (let i = 0; i < runs(60, 600); i++) {
          const before = yield* writer.next
          const fiber = yield* Effect.forkChild(append(writer, 3))
          for (let turns = 0; turns < i % 12; turns++) yield* Effect.yieldNow
          yield* Fiber.interrupt(fiber)
          const after = yield* writer.next
          assert.include([before, before + 3], after)
          tally.count(after === before ? "nothing" : "all")
        }
        tally.assertShares(`${title}: interrupted appends`, { all: 5, nothing: 2 })
        const next = yield* writer.next
        for (const one of [store, yield* restart]) assert.deepStrictEqual(yield* collect(one, "a"), notes(0, next))
      }))

    test("of many at once: each is there as a whole and once, or has conflicted", ({ restart, store }) =>
      Effect.gen(function* () {
        const writer = yield* store.create(headerOf("a"))
        const tries = Array.from({ length: 60 }, (_, i) => i)
        const won = yield* Effect.forEach(
          tries,
          Effect.fnUntraced(function* (i) {
            for (let conflicts = 0; ; conflicts++) {
              const next = yield* writer.next
              yield* Effect.yieldNow
              const exit = yield* Effect.result(
                writer.append([note(next, { i, part: 0 }), note(next + 1, { i, part: 1 })])
              )
              if (exit._tag === "Success") return { i, next, conflicts }
              assert.strictEqual(exit.failure._tag, "UnexpectedSeq")
            }
          }),
          { concurrency: "unbounded" }
        )
        assert.isAbove(won.filter(({ conflicts }) => conflicts > 0).length, 30)
        const events = yield* collect(yield* restart, "a")
        assert.lengthOf(events, 120)
        for (const { i, next } of won) {
          assert.deepStrictEqual(events.slice(next, next + 2), [
            note(next, { i, part: 0 }),
            note(next + 1, { i, part: 1 })
          ])
        }
      }))
  })

  describe(`${title}: two writers of one log`, () => {
    if (features.writers === "one") {
      test("are one too many: the second is told at once, and comes when the first has gone", ({ restart, store }) =>
        Effect.gen(function* () {
          const again = yield* restart
          const scope = yield* Scope.make()
          const first = yield* Scope.provide(store.create(headerOf("a")), scope)
          yield* create(store, "b", 1)
          for (const one of [store, again]) {
            const error = yield* Effect.flip(one.open("a"))
            assert.strictEqual(error._tag, "LogBusy")
            assert.include(error.message, "a writer already")
          }
          yield* append(first, 1)
          yield* Scope.close(scope, Exit.void)
          const second = yield* again.open("a")
          yield* append(second, 1)
          assert.strictEqual((yield* Effect.flip(store.open("a")))._tag, "LogBusy")
          assert.deepStrictEqual(yield* collect(store, "a"), notes(0, 2))
        }))
    } else {
      test("may try: the slower one conflicts, and goes on with what the faster one has added", ({ store }) =>
        Effect.gen(function* () {
          yield* create(store, "a", 1)
          const first = yield* store.open("a")
          const second = yield* store.open("a")
          yield* append(first, 2)
          const error = yield* Effect.flip(second.append(notes(1, 1)))
          assert.deepInclude(error, { _tag: "UnexpectedSeq", expected: 1, actual: 3 })
          yield* append(second, 1)
          assert.deepStrictEqual(yield* collect(store, "a"), notes(0, 4))
        }))
    }
  })

  describe(`${title}: reading`, () => {
    test("goes on while there is a writer, and gives what was there when it began", ({ store }) =>
      Effect.gen(function* () {
        const writer = yield* store.create(headerOf("a"))
        const large = "x".repeat(200_000)
        for (let seq = 0; seq < 5; seq++) yield* writer.append([note(seq, large)])
        const pull = yield* Stream.toPull(store.read("a"))
        const seen = [...(yield* pull)]
        yield* append(writer, 1)
        yield* Pull.catchDone(Effect.forever(Effect.map(pull, (more) => seen.push(...more))), () => Effect.void)
        assert.deepStrictEqual(
          seen.map(({ seq }) => seq),
          [0, 1, 2, 3, 4]
        )
        assert.lengthOf(yield* collect(store, "a"), 6)
      }))

    test("begins where it is told to", ({ store }) =>
      Effect.gen(function* () {
        yield* create(store, "a", 5)
        for (const from of [0, 1, 4, 5, 6, -1]) {
          assert.deepStrictEqual(yield* collect(store, "a", from), notes(0, 5).slice(Math.max(0, from)), String(from))
        }
      }))
  })

  describe(`${title}: any program`, () => {
    const tally = new Tally()
    test("leaves what a plain list of events would hold", () =>
      Effect.gen(function* () {
        for (let seed = 0; seed < runs(40, 1500); seed++) {
          yield* Effect.scoped(Effect.flatMap(subject, (one) => program(one, seeded(seed), tally)))
        }
        tally.assertShares(`${title}: programs`, {
          append: 30,
          conflict: 5,
          invalid: 5,
          read: 5,
          restart: 3,
          exists: 1,
          missing: 1
        })
      }))
  })
}
