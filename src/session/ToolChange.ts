/**
 * Tools that came and went between two requests, as told to the model within the history.
 *
 * @since 0.1.0
 */
import type * as Event from "./Event.ts"
import type { RequestHeader } from "./RequestHeader.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * The names of the tools that came, and of those that went, each in the order of its header.
 *
 * @since 0.1.0
 * @category models
 */
export interface ToolChange {
  readonly added: ReadonlyArray<string>
  readonly removed: ReadonlyArray<string>
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

const names = (header: RequestHeader): ReadonlySet<string> => new Set(header.tools?.map((tool) => tool.name))

/**
 * What changed from one header to the next. A tool that only changed its description or its place is no change.
 *
 * @since 0.1.0
 * @category constructors
 */
export const between = (before: RequestHeader, after: RequestHeader): ToolChange => {
  const old = names(before)
  const now = names(after)
  return {
    added: [...now].filter((name) => !old.has(name)),
    removed: [...old].filter((name) => !now.has(name))
  }
}

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/**
 * The event that tells the model, additions first; none if nothing changed. `headerSeq` is the request/header with the
 * definitions of what was added, `id` that of the message.
 *
 * @since 0.1.0
 * @category destructors
 */
export const toDraft = (
  { added, removed }: ToolChange,
  at: {
    readonly turn: number
    readonly step: number
    readonly time: number
    readonly id: string
    readonly headerSeq: number
  }
): Event.Draft<"developer/message"> | undefined => {
  if (added.length === 0 && removed.length === 0) return undefined
  return {
    type: "developer/message",
    time: at.time,
    data: {
      turn: at.turn,
      step: at.step,
      ...(added.length === 0 ? undefined : { headerSeq: at.headerSeq }),
      message: {
        role: "developer",
        content: [
          ...added.map((toolName) => ({ type: "tool-addition" as const, toolName })),
          ...removed.map((toolName) => ({ type: "tool-removal" as const, toolName }))
        ],
        source: { kind: "tool-registry" },
        id: at.id
      }
    },
    surfaceOp: "append"
  }
}
