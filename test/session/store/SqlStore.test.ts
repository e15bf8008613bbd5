/** A store of rows in a database, to see that the service suits one: it has no lock, and its key finds the conflicts. */
import { DatabaseSync } from "node:sqlite"
import { Effect, Result, Stream } from "effect"
import * as Event from "../../../src/session/Event.ts"
import * as SessionHeader from "../../../src/session/SessionHeader.ts"
import type { AppendError, SessionStore, SessionWriter } from "../../../src/session/store/SessionStore.ts"
import {
  AppendFailed,
  LogExists,
  LogNotFound,
  UnexpectedSeq,
  WriterUnusable
} from "../../../src/session/store/StoreError.ts"
import { batch, eventAt } from "../../../src/session/store/internal/batch.ts"
import type { Subject } from "./program.ts"
import { conforms } from "./suite.ts"

const tables = `
  create table session (id text primary key, header text not null);
  create table event (session text not null, seq integer not null, json text not null, primary key (session, seq));
`

const isConflict = (cause: unknown): boolean => cause instanceof Error && cause.message.includes("UNIQUE")

/** Runs statements as one transaction. */
const transaction = (database: DatabaseSync, body: () => void): Effect.Effect<void, unknown> =>
  Effect.try({
    try: () => {
      database.exec("begin immediate")
      try {
        body()
        database.exec("commit")
      } catch (cause) {
        database.exec("rollback")
        throw cause
      }
    },
    catch: (cause) => cause
  })

const storeOf = (database: DatabaseSync): SessionStore["Service"] => {
  const count = (id: string): number =>
    Number(database.prepare("select count(*) as n from event where session = ?").get(id)?.["n"])

  const headerOf = (id: string): SessionHeader.SessionHeader | undefined => {
    const row = database.prepare("select header from session where id = ?").get(id)
    return row && Result.getOrThrow(SessionHeader.fromUnknown(JSON.parse(String(row["header"]))))
  }

  const find = (id: string): Effect.Effect<SessionHeader.SessionHeader, LogNotFound> =>
    Effect.suspend(() => {
      const header = headerOf(id)
      return header === undefined ? Effect.fail(new LogNotFound({ log: id })) : Effect.succeed(header)
    })

  const insert = (id: string, events: ReadonlyArray<Event.Event>): void => {
    const statement = database.prepare("insert into event values (?, ?, ?)")
    for (const event of events) statement.run(id, event.seq, JSON.stringify(event))
  }

  const writer = Effect.fnUntraced(function* (header: SessionHeader.SessionHeader) {
    const log = header.id
    let next = count(log)
    let closed = false
    yield* Effect.addFinalizer(() => Effect.sync(() => (closed = true)))
    const conflict = (first: number) => new UnexpectedSeq({ log, expected: first, actual: (next = count(log)) })
    const append = (events: ReadonlyArray<Event.Event>): Effect.Effect<void, AppendError> =>
      Effect.gen(function* () {
        if (closed) return yield* new WriterUnusable({ log, reason: "its writer is closed" })
        const first = events[0]?.seq ?? next
        const taken = yield* Effect.fromResult(batch(log, events, first))
        // The key finds rows that are there already, and this finds a gap.
        if (first > count(log)) return yield* conflict(first)
        yield* Effect.mapError(
          transaction(database, () => insert(log, taken)),
          (cause) => (isConflict(cause) ? conflict(first) : new AppendFailed({ log, full: false, undone: true, cause }))
        )
        next = first + taken.length
      })
    const writer: SessionWriter = { header, repaired: undefined, next: Effect.sync(() => next), append }
    return writer
  })

  return {
    create: Effect.fnUntraced(function* (given, seed) {
      const header = yield* Effect.fromResult(SessionHeader.fromUnknown(given))
      const events = yield* Stream.runCollect(seed ?? Stream.empty)
      const checked = yield* Effect.forEach(events, (event, seq) => Effect.fromResult(eventAt(event, seq)))
      yield* Effect.mapError(
        transaction(database, () => {
          database.prepare("insert into session values (?, ?)").run(header.id, JSON.stringify(header))
          insert(header.id, checked)
        }),
        () => new LogExists({ log: header.id })
      )
      return yield* writer(header)
    }),
    open: (id) => Effect.flatMap(find(id), writer),
    read: (id, options) =>
      Stream.unwrap(
        Effect.map(find(id), () => {
          const select = database.prepare("select json from event where session = ? and seq >= ? order by seq")
          const rows = select.all(id, options?.from ?? 0)
          return Stream.fromArray(
            rows.map((row) => Result.getOrThrow(Event.fromUnknown(JSON.parse(String(row["json"])))))
          )
        })
      ),
    inspect: (id) => Effect.map(find(id), (header) => ({ header, next: count(id), torn: undefined, writable: true })),
    list: Effect.sync(() =>
      database
        .prepare("select id from session")
        .all()
        .map((row) => String(row["id"]))
        .toSorted()
    )
  }
}

const subject = Effect.gen(function* () {
  const database = yield* Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(":memory:")),
    (database) => Effect.sync(() => database.close())
  )
  database.exec(tables)
  const subject: Subject = { store: storeOf(database), restart: Effect.sync(() => storeOf(database)) }
  return subject
})

conforms("in a database", subject, { writers: "several" })
