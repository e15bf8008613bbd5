import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scheduler } from "effect"
import * as MemoryStore from "../../../src/session/store/MemoryStore.ts"
import { SessionStore } from "../../../src/session/store/SessionStore.ts"
import type { Subject } from "./program.ts"
import { conforms } from "./suite.ts"
import { headerOf } from "./support.ts"

/** Nothing outlives the process, so that a restart changes nothing that could be seen. */
const subject = Effect.map(Layer.build(Layer.fresh(MemoryStore.layer)), (services): Subject => {
  const store = Context.get(services, SessionStore)
  return { store, restart: Effect.succeed(store) }
})

conforms("in memory", subject, { writers: "one" })

describe("two fibers that create one session", () => {
  it.effect("wherever each of them pauses, only one does", () =>
    Effect.gen(function* () {
      const { store } = yield* subject
      const create = (id: string, operations: number) =>
        Effect.exit(Effect.scoped(store.create(headerOf(id)))).pipe(
          Effect.provideService(Scheduler.MaxOpsBeforeYield, operations)
        )
      // Fewer operations than three in a row, and a fiber goes nowhere.
      for (let one = 3; one < 20; one++) {
        for (let other = 3; other < 30; other++) {
          const id = `${one} ${other}`
          const exits = yield* Effect.all([create(id, one), create(id, other)], { concurrency: "unbounded" })
          assert.lengthOf(exits.filter(Exit.isSuccess), 1, id)
        }
      }
    })
  )
})
