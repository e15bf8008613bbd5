/**
 * The events of a log that become messages, in the order in which the model sees them.
 *
 * A surface is what folding a log from its beginning leaves. It never changes: appending gives another one, in time that
 * does not depend on how long the log is, and the one before stays as good as it was. An event is planned first, against
 * every rule, and comes to the surface only if it keeps all of them.
 *
 * The place of a message is a rank: an appended one has its seq as rank, one that replaces others takes the rank of the
 * first of them. So ranks grow along the surface and never have to be assigned anew.
 *
 * @since 0.1.0
 */
import * as Equal from "effect/Equal"
import { dual } from "effect/Function"
import * as Result from "effect/Result"
import * as Event from "./Event.ts"
import { isSent } from "./internal/sent.ts"
import * as sparse from "./internal/sparse.ts"
import * as Message from "./Message.ts"
import { type AppendError, type Rule, SurfaceViolation } from "./SessionError.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * A message on the surface, and its place there: those of the messages after it are higher.
 *
 * @since 0.1.0
 * @category models
 */
export interface Node {
  readonly rank: number
  readonly event: Event.Surface
}

/**
 * The surface that a log leaves.
 *
 * @since 0.1.0
 * @category models
 */
export interface Surface {
  /** How many events were folded: the seq of the next one. */
  readonly length: number
  /** How often something was replaced. While it stays, the messages of before are the first of those of now. */
  readonly generation: number
  /** By rank. */
  readonly nodes: sparse.Sparse<Node>
  /** By seq, where it is not the seq. */
  readonly ranks: sparse.Sparse<number>
  /** By seq: what tools may be announced from. */
  readonly headers: sparse.Sparse<Event.Of<"request/header">>
}

/**
 * What an event does to a surface, checked against every rule: which message it adds, if it is one, and which it takes
 * away, in their order.
 *
 * @since 0.1.0
 * @category models
 */
export interface Plan {
  /** The one that it was planned for. */
  readonly surface: Surface
  readonly event: Event.Event
  readonly added: Node | undefined
  readonly removed: ReadonlyArray<Node>
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * The surface of a log without events.
 *
 * @since 0.1.0
 * @category constructors
 */
export const empty: Surface = Object.freeze<Surface>({
  length: 0,
  generation: 0,
  nodes: sparse.empty(),
  ranks: sparse.empty(),
  headers: sparse.empty()
})

// -----------------------------------------------------------------------------
// rules
// -----------------------------------------------------------------------------

type Verdict<A> = Result.Result<A, SurfaceViolation>

/** What a violation says of the event. */
interface Subject {
  readonly type: string
  readonly seq: number
}

const refuse = (rule: Rule, { seq, type }: Subject, reason: string, seqs: ReadonlyArray<number> = []) =>
  Result.fail(new SurfaceViolation({ rule, type, seq, seqs, reason }))

/** Enough to find the place; the violation has all of them. */
const listed = 20

const list = (seqs: ReadonlyArray<number>): string =>
  seqs.length > listed ? `${seqs.slice(0, listed).join(", ")} and ${seqs.length - listed} more` : seqs.join(", ")

/** The rank of an event that is on the surface now. */
const rankOf = (self: Surface, seq: number): number | undefined => {
  const rank = sparse.get(self.ranks, seq) ?? seq
  return sparse.get(self.nodes, rank)?.event.seq === seq ? rank : undefined
}

const isRequestHeader = Event.is("request/header")
const isDeveloper = Event.is("developer/message")
const isSystem = Event.is("system/message")
const isToolResult = Event.is("tool/result")

/** The tools that a developer's message announces are defined in the header that it names. */
const announced = (self: Surface, event: Event.Event): Verdict<void> => {
  if (!isDeveloper(event) || event.data.headerSeq === undefined) return Result.void
  const { headerSeq, message } = event.data
  const header = sparse.get(self.headers, headerSeq)
  if (header === undefined) {
    return refuse("tool-header", event, `headerSeq ${headerSeq} is no earlier request/header.`, [headerSeq])
  }
  for (const { toolName } of message.content.filter(Message.isToolAddition)) {
    const count = header.data.header.tools?.filter((tool) => tool.name === toolName).length ?? 0
    if (count === 1) continue
    const reason = `request/header ${headerSeq} defines ${count} tools named ${JSON.stringify(toolName)}. It must define one.`
    return refuse("tool-header", event, reason, [headerSeq])
  }
  return Result.void
}

/** The messages from one end to the other, if both are on the surface and in this order. */
const slice = (self: Surface, event: Subject, { endSeq, startSeq }: Event.Replace): Verdict<Array<Node>> => {
  const start = rankOf(self, startSeq)
  const end = rankOf(self, endSeq)
  if (start === undefined || end === undefined) {
    const [end, seq] = start === undefined ? ["startSeq", startSeq] : ["endSeq", endSeq]
    return refuse("endpoint", event, `${end} ${seq} is not on the surface: it was replaced, or never was a message.`, [
      seq
    ])
  }
  return start > end
    ? refuse("endpoint", event, `startSeq ${startSeq} stands after endSeq ${endSeq} on the surface. Exchange them.`, [
        startSeq,
        endSeq
      ])
    : Result.succeed(sparse.values(self.nodes, start, end))
}

const covered = (event: Event.Surface, removed: ReadonlyArray<Node>): Verdict<void> => {
  const cited = new Set(event.sourceEventSeqs)
  const missing = removed.map((node) => node.event.seq).filter((seq) => !cited.has(seq))
  if (missing.length === 0) return Result.void
  return refuse(
    "coverage",
    event,
    `sourceEventSeqs must name everything that it replaces. Add ${list(missing)}.`,
    missing
  )
}

/** A result in all but its content. */
const withoutContent = ({ data }: Event.Of<"tool/result">) => ({ ...data, message: { ...data.message, content: [] } })

const sameResult = (event: Event.Surface, removed: ReadonlyArray<Node>): Verdict<void> => {
  if (!isToolResult(event)) return Result.void
  const seqs = removed.map((node) => node.event.seq)
  const [only] = removed
  if (only === undefined || removed.length > 1 || !isToolResult(only.event)) {
    return refuse("tool-result", event, `it replaces ${list(seqs)}, and may replace one tool/result only.`, seqs)
  }
  return Equal.equals(withoutContent(event), withoutContent(only.event))
    ? Result.void
    : refuse("tool-result", event, `it differs from ${only.event.seq} in more than its content.`, seqs)
}

const protectedHead = (self: Surface, event: Event.Surface, removed: ReadonlyArray<Node>): Verdict<void> => {
  const head = sparse.first(self.nodes)
  if (head === undefined || head !== removed[0] || !isSystem(head.event)) return Result.void
  if (isSystem(event) && removed.length === 1) return Result.void
  const reason = `the surface begins with the system/message ${head.event.seq}, which only a system/message may replace, and nothing else with it. Begin after it.`
  return refuse("head", event, reason, [head.event.seq])
}

const replacing = (self: Surface, event: Event.Surface, op: Event.Replace): Verdict<Array<Node>> =>
  Result.gen(function* () {
    const removed = yield* slice(self, event, op)
    yield* covered(event, removed)
    yield* sameResult(event, removed)
    yield* protectedHead(self, event, removed)
    return removed
  })

// -----------------------------------------------------------------------------
// combinators
// -----------------------------------------------------------------------------

/**
 * What an event will do to the surface, or the first rule that it breaks. Events of unknown types do nothing, and are
 * kept in the log; those of them that say something of the surface were refused before, unless they may be ignored.
 *
 * @since 0.1.0
 * @category combinators
 */
export const plan: {
  (event: Event.Event): (self: Surface) => Result.Result<Plan, AppendError>
  (self: Surface, event: Event.Event): Result.Result<Plan, AppendError>
} = dual(2, (self: Surface, input: Event.Event): Result.Result<Plan, AppendError> =>
  Result.gen(function* () {
    const event = yield* Event.fromUnknown(input)
    if (event.seq !== self.length) {
      return yield* refuse("dense-seq", event, `the next event of this log is ${self.length}.`, [self.length])
    }
    if (!Event.isSurface(event)) return { surface: self, event, added: undefined, removed: [] }
    yield* announced(self, event)
    const removed = event.surfaceOp === "append" ? [] : yield* replacing(self, event, event.surfaceOp)
    return { surface: self, event, added: { rank: removed[0]?.rank ?? event.seq, event }, removed }
  })
)

/**
 * The surface after what was planned for it.
 *
 * @since 0.1.0
 * @category combinators
 */
export const commit = ({ added, event, removed, surface }: Plan): Surface => {
  let { headers, nodes, ranks } = surface
  for (const node of removed) nodes = sparse.remove(nodes, node.rank)
  if (added !== undefined) nodes = sparse.set(nodes, added.rank, added)
  if (added !== undefined && added.rank !== event.seq) ranks = sparse.set(ranks, event.seq, added.rank)
  if (isRequestHeader(event)) headers = sparse.set(headers, event.seq, event)
  const generation = removed.length === 0 ? surface.generation : surface.generation + 1
  return Object.freeze({ length: surface.length + 1, generation, nodes, ranks, headers })
}

/**
 * The surface after one more event, or the first rule that it breaks.
 *
 * @since 0.1.0
 * @category combinators
 */
export const append: {
  (event: Event.Event): (self: Surface) => Result.Result<Surface, AppendError>
  (self: Surface, event: Event.Event): Result.Result<Surface, AppendError>
} = dual(2, (self: Surface, event: Event.Event) => Result.map(plan(self, event), commit))

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/**
 * How many messages are on the surface, those with empty content too.
 *
 * @since 0.1.0
 * @category destructors
 */
export const size = (self: Surface): number => self.nodes.size

/**
 * The events on the surface, in its order.
 *
 * @since 0.1.0
 * @category destructors
 */
export const events = (self: Surface): ReadonlyArray<Event.Surface> =>
  sparse.values(self.nodes).map((node) => node.event)

/**
 * Whether an event is on the surface now: it is a message, and was not replaced.
 *
 * @since 0.1.0
 * @category destructors
 */
export const has: {
  (seq: number): (self: Surface) => boolean
  (self: Surface, seq: number): boolean
} = dual(2, (self: Surface, seq: number): boolean => rankOf(self, seq) !== undefined)

/**
 * What the model sees: the messages in order. System, developer and assistant messages without content hold their place
 * and send nothing. With `from`, those that were appended from this seq on.
 *
 * @since 0.1.0
 * @category destructors
 */
export const messages = (self: Surface, from?: number): ReadonlyArray<Message.Message> => {
  const sent: Array<Message.Message> = []
  for (const { event } of sparse.values(self.nodes, from)) {
    const message = Event.message(event)
    if (isSent(message)) sent.push(message)
  }
  return sent
}

/**
 * What an event needs to replace the messages from one to another, both included, in the order of the surface: the
 * operation, and citations of everything that it takes away. `event` is the one to be, for what a violation says.
 *
 * @since 0.1.0
 * @category destructors
 */
export const replacement = (
  self: Surface,
  ends: { readonly startSeq: number; readonly endSeq: number },
  event: { readonly type: Event.SurfaceType; readonly seq: number }
): Result.Result<Required<Pick<Event.Surface, "surfaceOp" | "sourceEventSeqs">>, SurfaceViolation> => {
  const surfaceOp: Event.Replace = { op: "replace", startSeq: ends.startSeq, endSeq: ends.endSeq }
  return Result.map(slice(self, event, surfaceOp), (removed) => ({
    surfaceOp,
    sourceEventSeqs: removed.map((node) => node.event.seq)
  }))
}
