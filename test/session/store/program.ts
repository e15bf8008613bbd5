/** Random programs on a store, compared with plain lists of events. */
import { assert } from "@effect/vitest"
import { Effect, Stream } from "effect"
import type * as Event from "../../../src/session/Event.ts"
import type { SessionStore } from "../../../src/session/store/SessionStore.ts"
import type { Tally } from "../../support/check.ts"
import type { Random } from "../../support/random.ts"
import { untyped } from "../../support/untyped.ts"
import { anyEvent, headerOf } from "./support.ts"

type Store = SessionStore["Service"]

/** A new store without sessions. */
export interface Subject {
  readonly store: Store
  /** The same sessions in a store as it is after a restart of the process, if they outlive one. */
  readonly restart: Effect.Effect<Store>
}

export const collect = (store: Store, id: string, from?: number) => Stream.runCollect(store.read(id, { from }))

/** Runs random steps on a store and on lists. */
export const program = Effect.fnUntraced(function* (subject: Subject, random: Random, tally: Tally) {
  const ids = ["a", "b"] as const
  const model = new Map<string, Array<Event.Event>>()
  let { store } = subject

  const step = Effect.fnUntraced(function* (id: string) {
    const known = model.get(id)
    if (known === undefined && random.oneIn(3)) {
      tally.count("missing")
      assert.strictEqual((yield* Effect.flip(store.open(id)))._tag, "LogNotFound")
      return
    }
    if (known !== undefined && random.oneIn(6)) {
      tally.count("exists")
      assert.strictEqual((yield* Effect.flip(store.create(headerOf(id))))._tag, "LogExists")
      return
    }
    const seed = Array.from({ length: random.below(3) }, (_, i) => anyEvent(random, i))
    const writer = yield* known === undefined ? store.create(headerOf(id), Stream.fromArray(seed)) : store.open(id)
    const events = known ?? seed
    model.set(id, events)
    for (let i = random.below(5); i >= 0; i--) {
      assert.strictEqual(yield* writer.next, events.length)
      const from = events.length + (random.oneIn(5) ? random.pick([-1, 1, 2]) : 0)
      const given = Array.from({ length: random.below(4) }, (_, k) => anyEvent(random, Math.max(0, from) + k))
      const conflict = given[0] !== undefined && given[0].seq !== events.length
      const invalid = !conflict && given.length > 1 && random.oneIn(3)
      const last = given.length - 1
      if (invalid) given[last] = untyped({ ...given[last], data: undefined })
      const result = yield* Effect.result(writer.append(given))
      tally.count(conflict ? "conflict" : invalid ? "invalid" : "append")
      if (conflict || invalid) {
        assert.strictEqual(
          result._tag === "Failure" ? result.failure._tag : "none",
          conflict ? "UnexpectedSeq" : "InvalidEvent"
        )
      } else {
        assert.strictEqual(result._tag, "Success")
        events.push(...given)
      }
      if (random.oneIn(3)) {
        tally.count("read")
        const start = random.below(events.length + 2)
        assert.deepStrictEqual(yield* collect(store, id, start), events.slice(start))
      }
    }
  }, Effect.scoped)

  for (let i = 2 + random.below(5); i > 0; i--) {
    yield* step(random.pick(ids))
    if (random.oneIn(3)) {
      tally.count("restart")
      store = yield* subject.restart
    }
    assert.deepStrictEqual(yield* store.list, [...model.keys()].toSorted())
    for (const [id, events] of model) {
      assert.deepStrictEqual(yield* collect(store, id), events)
      assert.strictEqual((yield* store.inspect(id)).next, events.length)
    }
  }
})
