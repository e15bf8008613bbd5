/**
 * Who is responsible for a contribution. Every error names one.
 *
 * @since 0.1.0
 */
import * as Formatter from "effect/Formatter"
import * as Schema from "effect/Schema"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * What kind of contribution it is.
 *
 * @since 0.1.0
 * @category models
 */
export const Kind = Schema.Literals([
  "section",
  "context",
  "variable",
  "tools",
  "listener",
  "suppressor",
  "toolOrder",
  "tool",
  "restriction",
  "guard"
])

/**
 * What kind of contribution it is.
 *
 * @since 0.1.0
 * @category models
 */
export type Kind = typeof Kind.Type

/**
 * Who is responsible: the kind and name of a contribution, the label of the
 * prompt scope it lives in, and the plugin that registered it, where one was
 * named. An anonymous tool provider or suppressor has the empty string as `entry`, as restrictions have.
 *
 * @since 0.1.0
 * @category models
 */
export interface Owner {
  readonly kind: Kind
  readonly entry: string
  readonly scope: string
  readonly plugin?: string
}

/** The fields that every error of a contribution has. */
export const ownerSchema = {
  kind: Kind,
  entry: Schema.String,
  scope: Schema.String,
  plugin: Schema.optionalKey(Schema.String)
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * The fields of an owner and nothing else, to spread into an error. An absent plugin is left out.
 *
 * @since 0.1.0
 * @category constructors
 */
export const ownerFields = (self: {
  readonly kind: Kind
  readonly entry: string
  readonly scope: string
  readonly plugin?: string | undefined
}): Owner =>
  self.plugin === undefined
    ? { kind: self.kind, entry: self.entry, scope: self.scope }
    : { kind: self.kind, entry: self.entry, scope: self.scope, plugin: self.plugin }

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

const nouns: Record<Kind, string> = {
  section: "section",
  context: "context",
  variable: "variable",
  tools: "tool provider",
  listener: "listener",
  suppressor: "suppressor",
  toolOrder: "toolOrder",
  tool: "tool",
  restriction: "restriction",
  guard: "guard"
}

/**
 * Names an owner in prose: `section "model" of scope "agent" (plugin "core")`.
 *
 * @since 0.1.0
 * @category destructors
 */
export const describeOwner = (self: Owner): string => {
  const plugin = self.plugin === undefined ? "" : ` (plugin ${JSON.stringify(self.plugin)})`
  const entry = self.entry === "" && self.kind !== "section" ? "" : ` ${JSON.stringify(self.entry)}`
  return `${nouns[self.kind]}${entry} of scope ${JSON.stringify(self.scope)}${plugin}`
}

/** What a cause says of itself: the message of an error, its tag if it has none, else the value. Total: a cause may be anything. */
export const describeCause = (cause: unknown): string => {
  try {
    return sayCause(cause)
  } catch {
    return "a value that cannot be shown"
  }
}

const sayCause = (cause: unknown): string => {
  if (typeof cause === "string") return cause
  if (typeof cause !== "object" || cause === null) return Formatter.format(cause)
  const said = textAt(cause, "message") ?? textAt(cause, "_tag")
  return said ?? (cause instanceof Error ? cause.name : Formatter.format(cause))
}

/** What a property says, if it is a text. */
const textAt = (cause: object, key: "message" | "_tag"): string | undefined => {
  const text: unknown = Reflect.get(cause, key)
  return typeof text === "string" && text !== "" ? text : undefined
}
