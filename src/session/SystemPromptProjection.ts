/**
 * How a rendered system prompt reaches the log: which events, if any, bring the log up to date with it.
 *
 * A route that reads only a leading system message has the prompt at the head of the history, where a new one replaces
 * the old. A route that also reads later ones gets a new prompt appended, so that everything before it stays in the
 * provider's cache. Either way the old text stays in the log.
 *
 * @since 0.1.0
 */
import { dual } from "effect/Function"
import * as Event from "./Event.ts"
import * as sparse from "./internal/sparse.ts"
import * as Message from "./Message.ts"
import type { Plan } from "./Surface.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * The system messages on the surface, folded from a log: all of them, and those that are not empty. By their ranks.
 *
 * @since 0.1.0
 * @category models
 */
export interface State {
  readonly all: sparse.Sparse<Event.Of<"system/message">>
  readonly active: sparse.Sparse<Event.Of<"system/message">>
}

/**
 * What is known of the request to be. `inHistory`: the route reads system messages that are not at the head.
 * `startsSeries`: nothing of the request before has to stay in the cache.
 *
 * @since 0.1.0
 * @category models
 */
export interface Facts {
  readonly inHistory: boolean
  readonly startsSeries: boolean
}

/**
 * A system message to be: appended, or in the place of one. An empty text is a message without content.
 *
 * @since 0.1.0
 * @category models
 */
export interface Commit {
  readonly text: string
  /** The seq of the one system message that it replaces. */
  readonly replaces: number | undefined
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * That of a log without events.
 *
 * @since 0.1.0
 * @category constructors
 */
export const initial: State = Object.freeze<State>({ all: sparse.empty(), active: sparse.empty() })

// -----------------------------------------------------------------------------
// combinators
// -----------------------------------------------------------------------------

const isSystem = Event.is("system/message")

/**
 * The state after one more event, given what it does to the surface.
 *
 * @since 0.1.0
 * @category combinators
 */
export const step: {
  (plan: Plan): (self: State) => State
  (self: State, plan: Plan): State
} = dual(2, (self: State, { added, removed }: Plan): State => {
  let { active, all } = self
  for (const { event, rank } of removed) {
    if (!isSystem(event)) continue
    all = sparse.remove(all, rank)
    active = sparse.remove(active, rank)
  }
  if (added !== undefined && isSystem(added.event)) {
    all = sparse.set(all, added.rank, added.event)
    if (textOf(added.event) !== "") active = sparse.set(active, added.rank, added.event)
  }
  return all === self.all ? self : Object.freeze({ all, active })
})

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/** The text of a prompt; of what is not one text, `undefined`, which equals no prompt. */
const textOf = (event: Event.Of<"system/message">): string | undefined => Message.textOf(event.data.message)

/**
 * The system message that counts: the last that is not empty, or the first if all are. None if there is no system
 * message.
 *
 * @since 0.1.0
 * @category destructors
 */
export const effective = (self: State): Event.Of<"system/message"> | undefined =>
  sparse.last(self.active) ?? sparse.first(self.all)

/**
 * What to commit, in this order, so that the prompt that the model sees is `text`. Nothing if it is so already.
 *
 * - Without a system message, one is appended, an empty one too: it holds the first place.
 * - Where the history cannot carry a later prompt, or need not, the prompt moves to the head: whatever stands behind is
 *   emptied first, then the head gets the text.
 * - Else a prompt that differs is appended.
 *
 * **Provider's cache**: a replaced head costs everything, an appended prompt nothing of what is before it.
 *
 * @since 0.1.0
 * @category destructors
 */
export const project: {
  (text: string, facts: Facts): (self: State) => ReadonlyArray<Commit>
  (self: State, text: string, facts: Facts): ReadonlyArray<Commit>
} = dual(3, (self: State, text: string, { inHistory, startsSeries }: Facts): ReadonlyArray<Commit> => {
  const head = sparse.first(self.all)
  const last = effective(self)
  if (head === undefined || last === undefined) return [{ text, replaces: undefined }]
  if (inHistory && !startsSeries && text !== "") return textOf(last) === text ? [] : [{ text, replaces: undefined }]
  const emptied = sparse
    .values(self.active)
    .filter((event) => event !== head)
    .map((event): Commit => ({ text: "", replaces: event.seq }))
  return textOf(head) === text ? emptied : [...emptied, { text, replaces: head.seq }]
})

/**
 * The event that makes a commit. `id` is that of the message.
 *
 * @since 0.1.0
 * @category destructors
 */
export const toDraft = (
  { replaces, text }: Commit,
  at: { readonly turn: number; readonly step: number; readonly time: number; readonly id: string }
): Event.Draft<"system/message"> => ({
  type: "system/message",
  time: at.time,
  data: {
    turn: at.turn,
    step: at.step,
    message: {
      role: "system",
      content: text === "" ? [] : [{ type: "text", text }],
      source: { kind: "system-prompt" },
      id: at.id
    }
  },
  ...(replaces === undefined
    ? { surfaceOp: "append" }
    : { surfaceOp: { op: "replace", startSeq: replaces, endSeq: replaces }, sourceEventSeqs: [replaces] })
})
