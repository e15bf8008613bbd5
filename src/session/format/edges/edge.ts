/** Makes edges of what may refuse, and holds what all of them need. */
import type { JsonObject } from "effect/Schema"
import type { Context, Edge } from "../Edge.ts"
import { isObject, type PlainEvent } from "../plain.ts"
import { attempt, refuse } from "../refuse.ts"
import { type Locate } from "../references.ts"
import { type SeqMap } from "../seqMap.ts"
import { isSurface } from "../vocabulary.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/** A stage as its author writes it: both may `refuse`. */
export interface Work {
  readonly push: (event: PlainEvent) => ReadonlyArray<PlainEvent>
  readonly finish: () => ReadonlyArray<PlainEvent>
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/** Nobody knows what a message of an unknown type would do, unless its writer said that it may be passed over. */
const admit = (version: number, event: PlainEvent): void => {
  const concerns = event["surfaceOp"] !== undefined || event["sourceEventSeqs"] !== undefined
  if (!concerns || isSurface(version, event.type) || event["ignorable"] === true) return
  refuse(
    `an event of type ${JSON.stringify(event.type)} changes what the model sees, and format ${version} knows none. Migrate the log with what wrote it.`
  )
}

/** What says how far another system took over the log names the format that it counted in. */
const refuseLaterMarker = (to: number, event: PlainEvent): void => {
  if (event.type !== "session-log-deepseek/delivery-accepted" || !isObject(event.data)) return
  if (event.data["sessionFormatVersion"] !== to) return
  refuse(`a delivery marker counts events of format ${to} in a log of format ${to - 1}. Remove the marker from a copy.`)
}

/** Makes an edge of what may `refuse`. */
export const make = (edge: {
  readonly from: number
  readonly to: number
  readonly header: (header: JsonObject) => JsonObject
  readonly open: (context: Context) => Work
}): Edge => ({
  from: edge.from,
  to: edge.to,
  header: (header) => attempt(() => ({ ...edge.header(header), version: edge.to })),
  open: (context) => {
    const work = edge.open(context)
    return {
      push: (event) =>
        attempt(() => {
          admit(edge.from, event)
          refuseLaterMarker(edge.to, event)
          return work.push(event)
        }),
      finish: () => attempt(() => work.finish())
    }
  }
})

// -----------------------------------------------------------------------------
// what edges share
// -----------------------------------------------------------------------------

/** Finds the new number of an event that came earlier, and says in the report if it is another one. */
export const locate =
  (seqs: SeqMap, type: string, note: Context["note"]): Locate =>
  (seq, where) => {
    const target = seqs.get(seq)
    if (target === undefined) return refuse(`${where} refers to event ${seq}, which is not an earlier one.`)
    if (target === "consumed") {
      return refuse(`${where} refers to event ${seq}, a piece of an answer, which is no event of its own any more.`)
    }
    if (target !== seq) note("remapped", `${type} ${where.replaceAll(/\[\d+\]/g, "[]")}`)
    return target
  }

/** Refuses the header of a log that does not say whether it has a seed. */
export const admitSeeded = (header: JsonObject): JsonObject =>
  typeof header["isSeeded"] === "boolean"
    ? header
    : refuse(`the header must say whether the session has a seed: isSeeded true or false.`)

/** Follows the markers that end a seed, and refuses those that contradict the header. */
export class SeedEnd {
  readonly #seeded: boolean
  #found = false

  constructor(header: JsonObject) {
    this.#seeded = header["isSeeded"] === true
  }

  /** Whether this event ends the seed. The last one that does so counts. */
  observe(event: PlainEvent): boolean {
    if (event.type !== "session/end-seed" || !isObject(event.data)) return false
    const inherited = event.data["inherited"]
    if (inherited === undefined) return false
    if (inherited !== true) return refuse("inherited must be true where it is there.")
    if (!this.#seeded) return refuse("it ends a seed, and the header says that the session has none (isSeeded: false).")
    this.#found = true
    return true
  }

  finish(): void {
    if (this.#seeded && !this.#found) {
      refuse("the header says that the session has a seed (isSeeded: true), and no session/end-seed ends it.")
    }
  }
}
