/**
 * What a log file costs: appending to a short log and to a long one, opening a long one, and reading it. Run it by
 * `npm exec -- node test/bench/sessionStore.ts`.
 */
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import { Effect, Layer, Result, Stream } from "effect"
import * as Event from "../../src/session/Event.ts"
import * as SessionHeader from "../../src/session/SessionHeader.ts"
import * as SessionFile from "../../src/session/store/SessionFile.ts"

const folder = fs.mkdtempSync(join(tmpdir(), "session-store-"))

const header = Result.getOrThrow(SessionHeader.make({ id: "s", createdAt: 0 }))

/** 200 bytes of text, as a short message has. */
const eventAt = (seq: number): Event.Event =>
  Result.getOrThrow(Event.fromUnknown({ seq, time: seq, type: "test/note", data: { text: "x".repeat(200) } }))

const eventsFrom = (from: number, count: number) => Array.from({ length: count }, (_, i) => eventAt(from + i))

const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const start = performance.now()
    return Effect.map(effect, (value) => ({ value, ms: performance.now() - start }))
  })

const quantile = (sorted: ReadonlyArray<number>, q: number) =>
  (sorted[Math.floor(q * (sorted.length - 1))] ?? 0).toFixed(3)

/** Times of single appends to a log that has so many events. */
const appends = Effect.fnUntraced(function* (length: number, fsync: boolean) {
  const file = join(folder, `${length}-${fsync}.jsonl`)
  const writer = yield* SessionFile.create(file, header, { fsync, seed: Stream.fromArray(eventsFrom(0, length)) })
  const times: Array<number> = []
  for (const event of eventsFrom(length, 1_100)) times.push((yield* timed(writer.append([event]))).ms)
  const sorted = times.slice(100).toSorted((a, b) => a - b)
  const figures = `median ${quantile(sorted, 0.5)} ms, 99 % ${quantile(sorted, 0.99)} ms`
  console.log(`append at ${length.toLocaleString("en")} events, fsync ${fsync ? "on" : "off"}: ${figures}`)
}, Effect.scoped)

const long = Effect.fnUntraced(function* (length: number) {
  const file = join(folder, `${length}.jsonl`)
  const seed = Stream.fromArray(eventsFrom(0, length))
  yield* Effect.scoped(SessionFile.create(file, header, { seed }))
  const megabytes = (fs.statSync(file).size / 1e6).toFixed(1)
  for (let run = 0; run < 3; run++) {
    const open = yield* timed(Effect.scoped(SessionFile.open(file)))
    const read = yield* timed(Stream.runDrain(SessionFile.read(file)))
    const last = yield* timed(Stream.runDrain(SessionFile.read(file, { from: length - 1 })))
    const figures = `open ${open.ms.toFixed(0)} ms, read ${read.ms.toFixed(0)} ms, read the last event ${last.ms.toFixed(0)} ms`
    console.log(`${length.toLocaleString("en")} events (${megabytes} MB): ${figures}`)
  }
})

const program = Effect.gen(function* () {
  for (const fsync of [false, true]) for (const length of [1_000, 100_000]) yield* appends(length, fsync)
  yield* long(100_000)
}).pipe(
  Effect.provide(Layer.mergeAll(NodeFileSystem.layer, NodePath.layer)),
  Effect.ensuring(Effect.sync(() => fs.rmSync(folder, { recursive: true })))
)

await Effect.runPromise(program)
