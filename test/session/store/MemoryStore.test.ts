import { Context, Effect, Layer } from "effect"
import * as MemoryStore from "../../../src/session/store/MemoryStore.ts"
import { SessionStore } from "../../../src/session/store/SessionStore.ts"
import type { Subject } from "./program.ts"
import { conforms } from "./suite.ts"

/** Nothing outlives the process, so that a restart changes nothing that could be seen. */
const subject = Effect.map(Layer.build(Layer.fresh(MemoryStore.layer)), (services): Subject => {
  const store = Context.get(services, SessionStore)
  return { store, restart: Effect.succeed(store) }
})

conforms("in memory", subject, { writers: "one" })
