/**
 * What a migration did, as plain data: how much, and where each thing happened first.
 *
 * @since 0.1.0
 */

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * What can happen to events.
 *
 * - `inserted`: an event that the source does not have.
 * - `dropped`: a member that the target has no place for, or events that became part of another.
 * - `renamed`: a type, a member or a kind has another name.
 * - `rewritten`: the same said in another shape.
 * - `remapped`: a reference to an event that has another number now.
 * - `opaque`: an event that was carried along unread. Numbers in its data are as they were, so that they may mean
 *   events of the source where `renumbered` is true.
 *
 * @since 0.1.0
 * @category models
 */
export type Action = "inserted" | "dropped" | "renamed" | "rewritten" | "remapped" | "opaque"

/**
 * One thing that a migration did, `count` times. `line` is the line of the source at which it did so first; `edge` the
 * step that did it, such as "2→3".
 *
 * @since 0.1.0
 * @category models
 */
export interface Entry {
  readonly action: Action
  readonly edge?: string
  readonly what: string
  readonly count: number
  readonly line: number
}

/**
 * What a migration did. Of a log that was current there is nothing to say but what it holds.
 *
 * @since 0.1.0
 * @category models
 */
export interface MigrationReport {
  readonly file?: string
  readonly session: string
  readonly from: number
  readonly to: number
  /** Lines of the source, header included. */
  readonly lines: number
  /** Events of the source; packed rows count as many as they pack. */
  readonly eventsRead: number
  readonly eventsWritten: number
  /** Whether any event has another number than in the source. */
  readonly renumbered: boolean
  /** In the order in which they happened first. */
  readonly entries: ReadonlyArray<Entry>
}

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/**
 * What happened in one way, for instance all that stayed opaque.
 *
 * @since 0.1.0
 * @category destructors
 */
export const entriesOf = (self: MigrationReport, action: Action): ReadonlyArray<Entry> =>
  self.entries.filter((entry) => entry.action === action)
