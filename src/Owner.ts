/**
 * Who is responsible for a contribution. Every error names one.
 *
 * @since 0.1.0
 */
import * as Formatter from "effect/Formatter"
import * as Schema from "effect/Schema"
import type { Listened } from "./Origin.ts"

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
 * named. An anonymous tool provider or suppressor has the empty string as `entry`, as restrictions have. `listener` is the
 * one that added or last changed the text of a section or a context that does not render.
 *
 * @since 0.1.0
 * @category models
 */
export interface Owner {
  readonly kind: Kind
  readonly entry: string
  readonly scope: string
  readonly plugin?: string
  readonly listener?: Listened
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
 * The fields of an owner and nothing else, to spread into an error. What is absent is left out.
 *
 * @since 0.1.0
 * @category constructors
 */
export const ownerFields = (self: {
  readonly kind: Kind
  readonly entry: string
  readonly scope: string
  readonly plugin?: string | undefined
  readonly listener?: Listened | undefined
}): Owner => {
  const { entry, kind, listener, plugin, scope } = self
  // Field by field: spreading objects that may be absent takes several times as long, and each assembly does it.
  const owner: { kind: Kind; entry: string; scope: string; plugin?: string; listener?: Listened } = {
    kind,
    entry,
    scope
  }
  if (plugin !== undefined) owner.plugin = plugin
  if (listener !== undefined) owner.listener = listener
  return owner
}

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
 * Names an owner in prose: `section "model" of scope "agent" (plugin "core", as listener "mask" left it)`.
 *
 * @since 0.1.0
 * @category destructors
 */
export const describeOwner = (self: Owner): string => {
  const { entry, kind, listener, plugin, scope } = self
  const more = [
    ...(plugin === undefined ? [] : [`plugin ${JSON.stringify(plugin)}`]),
    ...(listener === undefined ? [] : [`as ${describeListener(listener, self)} left it`])
  ]
  const name = entry === "" && kind !== "section" ? "" : ` ${JSON.stringify(entry)}`
  const aside = more.length === 0 ? "" : ` (${more.join(", ")})`
  return `${nouns[kind]}${name} of scope ${JSON.stringify(scope)}${aside}`
}

/** By its name alone where it lives with what it changed. */
const describeListener = ({ name, plugin, scope }: Listened, changed: Owner): string =>
  scope === changed.scope && plugin === changed.plugin
    ? `listener ${JSON.stringify(name)}`
    : describeOwner(ownerFields({ kind: "listener", entry: name, scope, plugin }))

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
