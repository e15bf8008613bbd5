/**
 * A store that keeps sessions in memory, for tests and for agents that need no yesterday.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { byCodeUnits } from "../../internal/codeUnits.ts"
import type { Event } from "../Event.ts"
import * as SessionHeader from "../SessionHeader.ts"
import { batch, eventAt } from "./internal/batch.ts"
import { owned } from "./internal/owned.ts"
import { type AppendError, SessionStore, type SessionWriter } from "./SessionStore.ts"
import { LogBusy, LogExists, LogNotFound, WriterUnusable } from "./StoreError.ts"

interface Session {
  readonly header: SessionHeader.SessionHeader
  readonly events: Array<Event>
}

/** Appends to a session until the scope closes. */
const writer = Effect.fnUntraced(function* ({ events, header }: Session) {
  const log = header.id
  let closed = false
  yield* Effect.addFinalizer(() => Effect.sync(() => (closed = true)))
  const append: SessionWriter["append"] = (given) =>
    Effect.suspend((): Effect.Effect<void, AppendError> => {
      if (given.length === 0) return Effect.void
      if (closed) return Effect.fail(new WriterUnusable({ log, reason: "its writer is closed" }))
      const taken = batch(log, given, events.length)
      if (Result.isFailure(taken)) return Effect.fail(taken.failure)
      for (const event of taken.success) events.push(event)
      return Effect.void
    })
  return { header, repaired: undefined, next: Effect.sync(() => events.length), append }
})

/** One store: nothing that it keeps outlives it. */
const make = (): SessionStore["Service"] => {
  const sessions = new Map<string, Session>()
  const busy = new Set<string>()

  const find = (id: string): Effect.Effect<Session, LogNotFound> =>
    Effect.suspend(() => {
      const session = sessions.get(id)
      return session === undefined ? Effect.fail(new LogNotFound({ log: id })) : Effect.succeed(session)
    })

  const lock = (id: string): Effect.Effect<void, LogBusy, Scope.Scope> =>
    Effect.acquireRelease(
      Effect.suspend(() => {
        if (busy.has(id)) return Effect.fail(new LogBusy({ log: id }))
        busy.add(id)
        return Effect.void
      }),
      () => Effect.sync(() => busy.delete(id))
    )

  const refuseExisting = (id: string) =>
    Effect.suspend(() => (sessions.has(id) ? Effect.fail(new LogExists({ log: id })) : Effect.void))

  return {
    create: Effect.fnUntraced(function* (given, seed) {
      const header = yield* Effect.fromResult(SessionHeader.fromUnknown(given))
      yield* refuseExisting(header.id)
      yield* lock(header.id)
      // Another one may have come and gone in between.
      yield* refuseExisting(header.id)
      const events: Array<Event> = []
      yield* Stream.runForEach(seed ?? Stream.empty, (given) =>
        Effect.map(Effect.fromResult(eventAt(given, events.length)), (event) => events.push(event))
      )
      const session = { header, events }
      sessions.set(header.id, session)
      return yield* writer(session)
    }, owned),
    open: Effect.fnUntraced(function* (id) {
      yield* find(id)
      yield* lock(id)
      return yield* Effect.flatMap(find(id), writer)
    }, owned),
    read: (id, options) =>
      Stream.unwrap(
        Effect.map(find(id), ({ events }) => {
          const from = options?.from ?? 0
          return Stream.fromArray(events.filter(({ seq }) => seq >= from))
        })
      ),
    inspect: (id) =>
      Effect.map(find(id), ({ events, header }) => ({
        header,
        next: events.length,
        torn: undefined,
        writable: true
      })),
    list: Effect.sync(() => [...sessions.keys()].toSorted(byCodeUnits))
  }
}

/**
 * A store of its own for each build of the layer, gone when nothing refers to it any more.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<SessionStore> = Layer.sync(SessionStore, make)
