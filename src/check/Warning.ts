/**
 * A warning: something in an assembly that is allowed, and most likely not what its author wants.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { placeOf } from "../internal/place.ts"
import { visible } from "../internal/excerpt.ts"
import { type Owner, ownerFields, ownerSchema } from "../Owner.ts"
import { Code } from "./Code.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * Where in the owner's own text it is: `offset` in UTF-16 units from 0, `line` and `column` from 1. `found` is what
 * stands there.
 *
 * @since 0.1.0
 * @category models
 */
export const Place = Schema.Struct({
  offset: Schema.Int,
  line: Schema.Int,
  column: Schema.Int,
  found: Schema.String
})

/**
 * Where in the owner's own text it is.
 *
 * @since 0.1.0
 * @category models
 */
export type Place = typeof Place.Type

/**
 * Something that an author most likely wants to change. Plain data; the message says what, where, and what to do.
 *
 * @since 0.1.0
 * @category models
 */
export const Warning = Schema.Struct({
  code: Code,
  message: Schema.String,
  /** Whom it is about. Of a tool this is its registration, or the provider or listener that gave it; `tool` says which. */
  ...ownerSchema,
  place: Schema.optionalKey(Place),
  /** Of a text that looks volatile, what it has: `a time stamp`. */
  what: Schema.optionalKey(Schema.String),
  tool: Schema.optionalKey(Schema.String),
  /** From the tool to the value: keys, and indices from 0. */
  path: Schema.optionalKey(Schema.Array(Schema.Union([Schema.String, Schema.Int]))),
  /** Who else takes part: the variable in the text, the other of two that are alike. */
  related: Schema.optionalKey(Schema.Array(Schema.Struct({ ...ownerSchema, tool: Schema.optionalKey(Schema.String) })))
})

/**
 * Something that an author most likely wants to change.
 *
 * @since 0.1.0
 * @category models
 */
export type Warning = typeof Warning.Type

/** What a warning says beside its code, its owner and its message. */
type Details = Partial<Pick<Warning, "place" | "what" | "tool" | "path" | "related">>

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/** A frozen warning. */
export const make = (code: Code, owner: Owner, message: string, details: Details = {}): Warning =>
  Object.freeze({ code, message, ...ownerFields(owner), ...details })

/** The place of a piece of a text. */
export const placeIn = (text: string, offset: number, found: string): Place => ({
  offset,
  ...placeOf(text, offset),
  found
})

// -----------------------------------------------------------------------------
// words
// -----------------------------------------------------------------------------

/** A piece of a text, on one line, with what cannot be seen as an escape. */
export const quote = (text: string): string => {
  const shown = visible(text)
  return `\`${shown.length > 60 ? `${shown.slice(0, 59)}…` : shown}\``
}

/** ` at line 2, column 5`, and how often it is there besides. */
export const where = ({ column, line }: Place, more = 0): string =>
  ` at line ${line}, column ${column}${more === 0 ? "" : ` (and ${more} more)`}`
