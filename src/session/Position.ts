/**
 * Where a log stands: in which turn and step, and which of them are open.
 *
 * A turn is all that an agent does about one thing it was told; a step is one request and
 * what came of it. Both are numbered from 1, steps anew in each turn.
 *
 * @since 0.1.0
 */
import { dual } from "effect/Function"
import * as Event from "./Event.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * Where a log stands, folded from its events. The numbers are those of the last turn and the last step of it; 0, if there
 * is none.
 *
 * @since 0.1.0
 * @category models
 */
export interface Position {
  readonly turn: number
  readonly step: number
  readonly isTurnOpen: boolean
  readonly isStepOpen: boolean
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
export const initial: Position = Object.freeze({ turn: 0, step: 0, isTurnOpen: false, isStepOpen: false })

// -----------------------------------------------------------------------------
// combinators
// -----------------------------------------------------------------------------

const isTurnStart = Event.is("turn/start")
const isStepStart = Event.is("step/start")

/**
 * The position after one more event.
 *
 * @since 0.1.0
 * @category combinators
 */
export const step: {
  (event: Event.Event): (self: Position) => Position
  (self: Position, event: Event.Event): Position
} = dual(2, (self: Position, event: Event.Event): Position => {
  if (isTurnStart(event)) {
    return Object.freeze({ turn: event.data.turn, step: 0, isTurnOpen: true, isStepOpen: false })
  }
  if (isStepStart(event)) {
    const { step, turn } = event.data
    return Object.freeze({ turn, step, isTurnOpen: self.isTurnOpen, isStepOpen: true })
  }
  if (event.type === "step/end") return Object.freeze({ ...self, isStepOpen: false })
  return event.type === "turn/end" ? Object.freeze({ ...self, isTurnOpen: false, isStepOpen: false }) : self
})

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/**
 * The events that close the open step.
 *
 * @since 0.1.0
 * @category destructors
 */
export const endStep = ({ isStepOpen, step, turn }: Position, time: number): ReadonlyArray<Event.Draft> =>
  isStepOpen ? [{ type: "step/end", time, data: { turn, step } }] : []
