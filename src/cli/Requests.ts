/**
 * The requests of a session log in their order, each with how much of the one before stands at its beginning.
 *
 * In a long session each request has nearly all messages of the one before, whether or not something was replaced. So none
 * is looked at as a whole: what stands before the first change is known by its sums, and behind it no more is read than is
 * the same.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import { PrefixSums } from "../internal/prefixSums.ts"
import * as Event from "../session/Event.ts"
import * as parts from "../session/internal/requestParts.ts"
import { isSent } from "../session/internal/sent.ts"
import * as sparse from "../session/internal/sparse.ts"
import type * as Request from "../session/Request.ts"
import type { SessionLog } from "../session/SessionLog.ts"
import type * as Surface from "../session/Surface.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/** A request that was sent, or could be, when the log had so many events. */
export interface Sent {
  readonly at: number
  readonly turn: number
  readonly step: number
  readonly headerSeq: number | undefined
  readonly messages: number
  /** How much of the request before stands at its beginning. None for the first. */
  readonly prefix: Option.Option<Request.Prefix>
}

/** What is compared of a request. */
interface Compared {
  readonly header: Event.Of<"request/header">
  /** What stands before its messages. */
  readonly head: ReadonlyArray<object>
  readonly surface: Surface.Surface
  readonly bytes: number
}

// -----------------------------------------------------------------------------
// comparison
// -----------------------------------------------------------------------------

function* messagesFrom({ nodes }: Surface.Surface, rank: number): Generator<object> {
  for (const { event } of sparse.ascending(nodes, rank)) {
    const message = Event.message(event)
    if (isSent(message)) yield message
  }
}

function* partsOf({ head, surface }: Compared): Generator<object> {
  yield* head
  yield* messagesFrom(surface, 0)
}

/** How many of the first parts are the same, and how many bytes. */
const beginning = (before: Iterable<object>, now: Iterator<object>) => {
  let [same, bytes] = [0, 0]
  for (const part of before) {
    const next = now.next()
    const other: object | undefined = next.done === true ? undefined : next.value
    if (!parts.isSame(part, other)) return { isWhole: false, same, bytes: bytes + parts.sharedBytes(part, other) }
    same += 1
    bytes += parts.sizeOf(part)
  }
  return { isWhole: true, same, bytes }
}

const sameHead = (a: Compared, b: Compared): boolean =>
  a.head.length === b.head.length && a.head.every((part, i) => parts.isSame(part, b.head[i]))

// -----------------------------------------------------------------------------
// requests
// -----------------------------------------------------------------------------

/** Takes what happens in a log as it happens. */
export class Requests {
  readonly all: Array<Sent> = []
  #before: Compared | undefined
  /** What is sent now, by rank on the surface. */
  readonly #messages: PrefixSums
  readonly #bytes: PrefixSums
  /** What is sent and has a lower rank was in the request before. */
  #kept = 0

  /** `length`: how many events the log may have. */
  constructor(length: number) {
    this.#messages = new PrefixSums(length)
    this.#bytes = new PrefixSums(length)
  }

  /** A message is logged. */
  logged({ added, removed }: Surface.Plan): void {
    for (const node of removed) this.#count(node, -1)
    if (added !== undefined) this.#count(added, 1)
  }

  #count({ event, rank }: Surface.Node, sign: 1 | -1): void {
    const message = Event.message(event)
    if (!isSent(message)) return
    this.#messages.add(rank, sign)
    this.#bytes.add(rank, sign * parts.sizeOf(message))
    this.#kept = Math.min(this.#kept, rank)
  }

  /** A request is made. None can be before a header was logged. */
  add({ length, position: { step, turn }, requestHeader: header, surface }: SessionLog): void {
    if (header === undefined) return
    const before = this.#before
    const head = before?.header === header ? before.head : parts.ofHeader(header.data.header)
    const now: Compared = { header, head, surface, bytes: parts.sum(head) + this.#bytes.below(length) }
    const prefix = Option.map(Option.fromUndefinedOr(before), (before) => this.#prefix(before, now))
    const messages = this.#messages.below(length)
    this.all.push({ at: length, turn, step, headerSeq: header.seq, messages, prefix })
    this.#before = now
    this.#kept = length
  }

  #prefix(before: Compared, now: Compared): Request.Prefix {
    const of = before.bytes
    if (!sameHead(before, now)) {
      const { bytes, isWhole, same } = beginning(partsOf(before), partsOf(now))
      return { isWhole, messages: Math.max(0, same - before.head.length), bytes, of }
    }
    const { bytes, isWhole, same } = beginning(
      messagesFrom(before.surface, this.#kept),
      messagesFrom(now.surface, this.#kept)
    )
    return {
      isWhole,
      messages: this.#messages.below(this.#kept) + same,
      bytes: parts.sum(now.head) + this.#bytes.below(this.#kept) + bytes,
      of
    }
  }
}
