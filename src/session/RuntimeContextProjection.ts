/**
 * Whether a snapshot of the contexts has to be logged: which message, if any, tells the model what changed.
 *
 * A snapshot stands after the history and is complete; the newest one on the surface counts. So a context that does not
 * change costs nothing, and one that does costs one message. What counts follows from the log alone: a session that was
 * restored from it decides as the one that wrote it would.
 *
 * @since 0.1.0
 */
import { dual } from "effect/Function"
import { clearedNotice } from "../PromptContext.ts"
import type { Rendered } from "../Rendered.ts"
import * as Event from "./Event.ts"
import * as sparse from "./internal/sparse.ts"
import * as Message from "./Message.ts"
import type { Plan } from "./Surface.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * The snapshots and notices on the surface, folded from a log. By their seqs.
 *
 * @since 0.1.0
 * @category models
 */
export interface State {
  /** Whether the log ever had one, on the surface or not. */
  readonly existed: boolean
  readonly live: sparse.Sparse<Event.Of<"user/message">>
}

/**
 * What the model was told last: never anything; something that is no longer on the surface; or this.
 *
 * @since 0.1.0
 * @category models
 */
export type Retained =
  | { readonly _tag: "Never" }
  | { readonly _tag: "Gone" }
  /** `text` is `undefined` if the message is not exactly one text; it equals none then. */
  | { readonly _tag: "Kept"; readonly seq: number; readonly text: string | undefined }

/**
 * The text of one context.
 *
 * @since 0.1.0
 * @category models
 */
export interface Section {
  readonly name: string
  readonly text: string
}

/**
 * The contexts as they are now: the whole text, empty if there are none, and what it was made of.
 *
 * @since 0.1.0
 * @category models
 */
export interface Snapshot {
  readonly text: string
  readonly sections: ReadonlyArray<Section>
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
export const initial: State = Object.freeze<State>({ existed: false, live: sparse.empty() })

/**
 * The contexts of a rendered assembly.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromRendered = ({ contexts, snapshot }: Rendered): Snapshot => ({
  text: snapshot,
  sections: contexts.map(({ name, text }) => ({ name, text }))
})

// -----------------------------------------------------------------------------
// guards
// -----------------------------------------------------------------------------

/** The source of our messages. */
const kind = "runtime-context"

const isUser = Event.is("user/message")

/**
 * Whether an event is a snapshot of the contexts, or the notice that there are none.
 *
 * @since 0.1.0
 * @category guards
 */
export const isOwned = (event: Event.Event): event is Event.Of<"user/message"> =>
  isUser(event) && event.data.source.kind === kind

// -----------------------------------------------------------------------------
// combinators
// -----------------------------------------------------------------------------

/**
 * The state after one more event, given what it does to the surface. An event that only cites a snapshot changes
 * nothing.
 *
 * @since 0.1.0
 * @category combinators
 */
export const step: {
  (plan: Plan): (self: State) => State
  (self: State, plan: Plan): State
} = dual(2, (self: State, { added, removed }: Plan): State => {
  let { live } = self
  for (const { event } of removed) if (isOwned(event)) live = sparse.remove(live, event.seq)
  const owned = added !== undefined && isOwned(added.event) ? added.event : undefined
  if (owned !== undefined) live = sparse.set(live, owned.seq, owned)
  return live === self.live ? self : Object.freeze({ existed: true, live })
})

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/**
 * What the model was told last, of what it still sees.
 *
 * @since 0.1.0
 * @category destructors
 */
export const retained = (self: State): Retained => {
  const newest = sparse.last(self.live)
  if (newest !== undefined) return { _tag: "Kept", seq: newest.seq, text: Message.textOf(newest.data) }
  return self.existed ? { _tag: "Gone" } : { _tag: "Never" }
}

/**
 * What to tell the model now: a snapshot, if it is not what it was told last; the notice that there are no contexts, if
 * it was told otherwise; or nothing. Until the message is committed, the answer stays.
 *
 * **Provider's cache**: nothing of what is before; a message only where something changed.
 *
 * @since 0.1.0
 * @category destructors
 */
export const project: {
  (now: Snapshot): (self: State) => Snapshot | undefined
  (self: State, now: Snapshot): Snapshot | undefined
} = dual(2, (self: State, now: Snapshot): Snapshot | undefined => {
  const told = retained(self)
  const next = now.text === "" ? cleared : now
  if (told._tag === "Kept") return told.text === next.text ? undefined : next
  return told._tag === "Never" && now.text === "" ? undefined : next
})

const cleared: Snapshot = Object.freeze<Snapshot>({ text: clearedNotice, sections: [] })

/**
 * The event that tells the model. `id` is that of the message.
 *
 * @since 0.1.0
 * @category destructors
 */
export const toDraft = (
  { sections, text }: Snapshot,
  at: { readonly time: number; readonly id: string }
): Event.Draft<"user/message"> => {
  const snapshot = sections.length === 0 ? undefined : { form: "snapshot", sections }
  return {
    type: "user/message",
    time: at.time,
    data: { role: "user", content: [{ type: "text", text }], source: { kind, ...snapshot }, id: at.id },
    surfaceOp: "append"
  }
}
