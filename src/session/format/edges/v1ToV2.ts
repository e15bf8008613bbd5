/**
 * 1 → 2: the pieces of an answer move into the message that they became; those of an attempt that failed become one
 * event, which is only logged. Events are numbered anew.
 *
 * The end of a seed was a number in the header and becomes a marker. A turn that ended with its process is closed, and
 * a goal that was hidden in a message becomes an event.
 */
import type { Json, JsonArray, JsonObject } from "effect/Schema"
import { describe } from "../../../internal/json.ts"
import { ChunkStream, countOf, isPacked } from "../chunks.ts"
import type { Context } from "../Edge.ts"
import { arrayOf, isObject, naturalOf, objectOf, onlyKeys, type PlainEvent, without } from "../plain.ts"
import { refuse } from "../refuse.ts"
import { remap } from "../references.ts"
import { Restart } from "../restart.ts"
import { SeqMap } from "../seqMap.ts"
import * as edge from "./edge.ts"

const version = 1

// -----------------------------------------------------------------------------
// attempts
// -----------------------------------------------------------------------------

/** A time that is no number could not be kept where times of pieces are. */
const timeOf = ({ time }: PlainEvent): number | undefined => {
  if (time === undefined || typeof time === "number") return time
  return refuse(`time must be a number, found ${describe(time)}.`)
}

/** An answer whose pieces have come, and that may still become a message. */
class Attempt {
  readonly turn: number
  readonly step: number
  readonly seqs: Array<number> = []
  readonly #stream = new ChunkStream()
  /** Whether the model said that this was all. */
  finished = false
  time: Json | undefined

  constructor(turn: number, step: number) {
    this.turn = turn
    this.step = step
  }

  push(event: PlainEvent, data: JsonObject): void {
    const time = timeOf(event)
    const count = countOf(event)
    for (let index = 0; index < count; index++) this.seqs.push(event.seq + index)
    this.time = time
    onlyKeys(event, ["type", "seq", "time", "data", "ignorable"], "a piece of an answer")
    if (isPacked(event.type)) {
      this.#stream.pushPacked(event.type, data, time)
      return
    }
    onlyKeys(data, ["turn", "step", "chunk"], "the data of a piece of an answer")
    const chunk = objectOf(data["chunk"], "data.chunk")
    this.#stream.push(time === undefined ? { chunk } : { time, chunk })
    if (chunk["type"] === "finish") this.finished = true
  }

  stream(): JsonArray {
    return this.#stream.records()
  }

  /** Whether a message says that it was made of these pieces. */
  isWhole(sources: JsonArray): boolean {
    return sources.length === this.seqs.length && sources.every((seq, index) => seq === this.seqs[index])
  }
}

const isPiece = (event: PlainEvent): boolean => event.type === "assistant/chunk" || isPacked(event.type)

/** After these, no message will come of what was answered before. */
const settles: ReadonlySet<string> = new Set([
  "turn/start",
  "turn/end",
  "step/start",
  "step/end",
  "llm/retry",
  "llm/retry-started",
  "session/end-seed"
])

// -----------------------------------------------------------------------------
// goals
// -----------------------------------------------------------------------------

/** The change of a goal that a message carried in its source, and the message without it. */
const splitGoal = (event: PlainEvent): readonly [change: JsonObject, message: PlainEvent] | undefined => {
  if (event.type !== "user/message" || !isObject(event.data)) return undefined
  const source = event.data["source"]
  if (!isObject(source) || source["kind"] !== "goal" || !isObject(source["change"])) return undefined
  const others = { ...without(source, "change"), kind: "plugin", plugin: "goal" }
  return [source["change"], { ...event, data: { ...event.data, source: others } }]
}

// -----------------------------------------------------------------------------
// the stage
// -----------------------------------------------------------------------------

const timed = (time: Json | undefined): JsonObject => (time === undefined ? {} : { time })

class Folding implements edge.Work {
  readonly #note: Context["note"]
  readonly #seqs = new SeqMap()
  readonly #turns = new Restart()
  /** How many events at the beginning are another session's; `undefined` once that has been said, or if there are none. */
  #cut: number | undefined
  readonly #seed: number
  #attempt: Attempt | undefined
  #next = 0
  #time: Json | undefined

  constructor({ header, note }: Context) {
    this.#note = note
    this.#cut = typeof header["seedLength"] === "number" ? header["seedLength"] : undefined
    this.#seed = this.#cut ?? 0
    this.#time = header["createdAt"]
  }

  push = (event: PlainEvent): ReadonlyArray<PlainEvent> => {
    const out: Array<PlainEvent> = []
    const interrupted = this.#turns.observe(event)
    this.#endSeed(event, out)
    this.#time = event["time"]
    if (interrupted !== undefined) {
      this.#settle(out)
      this.#note("inserted", "turn/end: of a turn that the end of the process interrupted")
      this.#insert(event["time"], "turn/end", { turn: interrupted, reason: { kind: "interrupted" } }, out)
    }
    if (isPiece(event)) this.#collect(event, out)
    else if (event.type === "assistant/message") this.#answer(event, out)
    else this.#pass(event, out)
    return out
  }

  finish = (): ReadonlyArray<PlainEvent> => {
    const out: Array<PlainEvent> = []
    this.#settle(out)
    if (this.#cut !== undefined) {
      if (this.#cut > this.#seqs.size) refuse(`seedLength is ${this.#cut}, and the log has ${this.#seqs.size} events.`)
      this.#mark(this.#time, out)
    }
    return out
  }

  /** Says before the first event of its own where the seed of a session ended, unless that event says so. */
  #endSeed(event: PlainEvent, out: Array<PlainEvent>): void {
    const data = isObject(event.data) ? event.data : {}
    const marks = event.type === "session/end-seed"
    if (marks && data["inherited"] !== undefined) refuse("it ends a seed, which format 1 says in the header.")
    if (this.#cut === undefined || event.seq < this.#cut) return
    const open = this.#attempt
    if (open !== undefined && open.turn === data["turn"] && open.step === data["step"]) {
      const goesOn = isPiece(event) && !open.finished
      const claims = event.type === "assistant/message" && event["sourceEventSeqs"] !== undefined
      if (goesOn || claims) this.#refuseSplit()
    }
    this.#settle(out)
    if (!marks || event.seq !== this.#cut) this.#mark(event["time"], out)
  }

  #mark(time: Json | undefined, out: Array<PlainEvent>): void {
    this.#cut = undefined
    this.#note("inserted", "session/end-seed: where the seed ends, as the header said")
    this.#insert(time, "session/end-seed", { inherited: true }, out)
  }

  /** A seed holds answers whole or not at all. */
  #refuseSplit(): never {
    return refuse(`the seed ends before event ${this.#seed}, within an answer of the model.`)
  }

  #collect(event: PlainEvent, out: Array<PlainEvent>): void {
    const data = objectOf(event.data, "data")
    const turn = naturalOf(data["turn"], "data.turn")
    const step = naturalOf(data["step"], "data.step")
    const count = countOf(event)
    if (event.seq < this.#seed && event.seq + count > this.#seed) this.#refuseSplit()
    const open = this.#attempt
    if (open !== undefined && (open.finished || open.turn !== turn || open.step !== step)) this.#settle(out)
    this.#attempt ??= new Attempt(turn, step)
    this.#attempt.push(event, data)
    this.#seqs.consume(count)
  }

  #answer(event: PlainEvent, out: Array<PlainEvent>): void {
    const data = objectOf(event.data, "data")
    if (Object.hasOwn(data, "stream")) refuse("it has a stream, which messages have from format 2 on.")
    const sources = arrayOf(event["sourceEventSeqs"] ?? [], "sourceEventSeqs")
    const cites = sources.length > 0
    const attempt = this.#attempt
    if (cites && (attempt === undefined || !attempt.isWhole(sources) || !this.#isOf(attempt, data))) {
      refuse("it cites other events than the pieces of one whole answer in its own turn and step.")
    }
    if (!cites) this.#settle(out)
    const stream = attempt !== undefined && cites ? attempt.stream() : []
    if (attempt !== undefined && cites) {
      this.#note("dropped", "assistant/chunk: now in the stream of its assistant/message", attempt.seqs.length)
      this.#attempt = undefined
    }
    const { sourceEventSeqs: _, ...rest } = event
    this.#keep({ ...rest, type: event.type, seq: event.seq, data: { ...data, stream } }, out)
  }

  #isOf(attempt: Attempt, data: JsonObject): boolean {
    return attempt.turn === data["turn"] && attempt.step === data["step"]
  }

  #pass(event: PlainEvent, out: Array<PlainEvent>): void {
    if (settles.has(event.type)) this.#settle(out)
    const goal = splitGoal(event)
    if (goal !== undefined) {
      this.#note("inserted", "goal/change: from the source of a user/message")
      this.#insert(event["time"], "goal/change", goal[0], out)
      this.#keep(goal[1], out)
      return
    }
    if (this.#cut !== undefined && event.seq === this.#cut && event.type === "session/end-seed") {
      this.#cut = undefined
      this.#note("rewritten", "session/end-seed: inherited added, as the header said")
      this.#keep({ ...event, data: { ...objectOf(event.data, "data"), inherited: true } }, out)
      return
    }
    this.#keep(event, out)
  }

  /** What no message came of becomes an event of its own, once that is certain. */
  #settle(out: Array<PlainEvent>): void {
    const attempt = this.#attempt
    if (attempt === undefined) return
    this.#attempt = undefined
    this.#note("dropped", "assistant/chunk: now in the stream of an assistant/attempt", attempt.seqs.length)
    this.#note("inserted", "assistant/attempt: an answer that became no message")
    const { step, time, turn } = attempt
    this.#insert(time, "assistant/attempt", { turn, step, stream: attempt.stream() }, out)
  }

  #insert(time: Json | undefined, type: string, data: JsonObject, out: Array<PlainEvent>): void {
    out.push({ type, seq: this.#next++, ...timed(time), data })
  }

  #keep(event: PlainEvent, out: Array<PlainEvent>): void {
    const moved = remap(event, version, edge.locate(this.#seqs, event.type, this.#note))
    const seq = this.#next++
    this.#seqs.keep(seq)
    out.push({ ...moved, seq })
  }
}

// -----------------------------------------------------------------------------
// the edge
// -----------------------------------------------------------------------------

const migrateHeader = (header: JsonObject): JsonObject => {
  if (Object.hasOwn(header, "isSeeded"))
    refuse("the header says isSeeded, which is of later formats. Is its version right?")
  const length = header["seedLength"]
  if (length !== undefined) naturalOf(length, "seedLength in the header")
  return { ...without(header, "seedLength"), isSeeded: length !== undefined }
}

/** The edge from format 1 to 2. */
export const v1ToV2 = edge.make({
  from: 1,
  to: 2,
  header: migrateHeader,
  open: (context) => new Folding(context)
})
