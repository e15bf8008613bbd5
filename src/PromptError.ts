/**
 * Every way in which registering, assembling or rendering a prompt can fail.
 *
 * Each error is a `Schema.TaggedError`: its fields are plain data that survive
 * encoding, its `message` says what went wrong, where, and what to do next. All
 * of them name the owner of the contribution at fault, so that a consumer can
 * recover, blame or report without parsing a message.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { isBuiltIn } from "./internal/builtInNames.ts"
import { sentence, visible } from "./internal/excerpt.ts"
import { stackless } from "./internal/stackless.ts"
import { describeCause, describeOwner, Kind, ownerSchema } from "./Owner.ts"

export { describeOwner, Kind, type Owner, ownerFields } from "./Owner.ts"

// -----------------------------------------------------------------------------
// what errors share
// -----------------------------------------------------------------------------

/**
 * The listener that left the text so, if one did; and where in its own text a problem begins: `offset` in UTF-16 units
 * from 0, `line` and `column` from 1.
 */
const inText = {
  listener: Schema.optionalKey(
    Schema.Struct({ name: Schema.String, scope: Schema.String, plugin: Schema.optionalKey(Schema.String) })
  ),
  offset: Schema.Int,
  line: Schema.Int,
  column: Schema.Int,
  excerpt: Schema.String
}

const list = (names: ReadonlyArray<string>): string => (names.length === 0 ? "none" : names.join(", "))

// -----------------------------------------------------------------------------
// errors of registration
// -----------------------------------------------------------------------------

/**
 * The overlay already holds a contribution of this kind and name. The first one stays.
 *
 * @since 0.1.0
 * @category errors
 */
export class DuplicateRegistration extends stackless(
  Schema.TaggedError<DuplicateRegistration>("effect-preamble/DuplicateRegistration")("DuplicateRegistration", {
    ...ownerSchema,
    existingPlugin: Schema.optionalKey(Schema.String)
  })
) {
  get #remedy(): string {
    if (this.kind === "listener") {
      return "Listeners of one name never replace each other. Choose another name, or register it once."
    }
    if (this.kind === "guard") {
      return "Guards never replace each other: all of a chain hold. Choose another name, or register it once."
    }
    if (this.scope !== "global") {
      return "Choose another name, or close the Effect scope of the first registration before you replace it in this scope."
    }
    return this.kind === "section" && isBuiltIn(this.entry)
      ? "It is built in. Configure it with SystemPrompt.layerWith, or register yours in a prompt scope of its own to shadow it there."
      : "Choose another name, or register it in a prompt scope of its own to shadow the global one there."
  }

  override get message(): string {
    const by = this.existingPlugin === undefined ? "" : ` by plugin ${JSON.stringify(this.existingPlugin)}`
    return `${describeOwner(this)} is already registered${by}. ${this.#remedy}`
  }
}

/**
 * A field of a contribution breaks a rule; nothing was registered.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidRegistration extends stackless(
  Schema.TaggedError<InvalidRegistration>("effect-preamble/InvalidRegistration")("InvalidRegistration", {
    ...ownerSchema,
    field: Schema.String,
    reason: Schema.String
  })
) {
  override get message(): string {
    return `${describeOwner(this)} has an invalid ${this.field}: ${this.reason}`
  }
}

/**
 * The configured `toolOrder` repeats an entry or lacks the rest marker, so no service was built.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidToolOrder extends stackless(
  Schema.TaggedError<InvalidToolOrder>("effect-preamble/InvalidToolOrder")("InvalidToolOrder", {
    ...ownerSchema,
    reason: Schema.String
  })
) {
  override get message(): string {
    return `invalid toolOrder: ${this.reason}`
  }
}

/**
 * The prompt scope has been closed, so nothing can be registered in it or moved by it any more.
 *
 * @since 0.1.0
 * @category errors
 */
export class ScopeClosed extends stackless(
  Schema.TaggedError<ScopeClosed>("effect-preamble/ScopeClosed")("ScopeClosed", {
    scope: Schema.String,
    kind: Schema.optionalKey(Kind),
    entry: Schema.optionalKey(Schema.String),
    plugin: Schema.optionalKey(Schema.String)
  })
) {
  override get message(): string {
    const closed = `prompt scope ${JSON.stringify(this.scope)} is closed`
    return this.kind === undefined
      ? `${closed}: it can neither be moved nor be a parent. Use a scope whose owner is alive.`
      : `${describeOwner({ ...this, kind: this.kind, entry: this.entry ?? "" })} cannot be registered: the ${closed}. Register while the owner of the scope is alive, or make a new scope.`
  }
}

/**
 * Moving a prompt scope under the given parent would make it its own ancestor; the old parent stays.
 *
 * @since 0.1.0
 * @category errors
 */
export class ScopeCycle extends stackless(
  Schema.TaggedError<ScopeCycle>("effect-preamble/ScopeCycle")("ScopeCycle", {
    scope: Schema.String,
    parent: Schema.String,
    chain: Schema.Array(Schema.String)
  })
) {
  override get message(): string {
    return `prompt scope ${JSON.stringify(this.scope)} cannot have parent ${JSON.stringify(this.parent)}: it would be its own ancestor (${this.chain.join(" → ")}). Its old parent stays; choose one that does not descend from it.`
  }
}

// -----------------------------------------------------------------------------
// errors of assembly
// -----------------------------------------------------------------------------

/**
 * More than one section in force for this scope claims to be the whole prompt. No provider ran.
 *
 * @since 0.1.0
 * @category errors
 */
export class MultipleCompleteSections extends stackless(
  Schema.TaggedError<MultipleCompleteSections>("effect-preamble/MultipleCompleteSections")("MultipleCompleteSections", {
    scope: Schema.String,
    sections: Schema.Array(
      Schema.Struct({ entry: Schema.String, scope: Schema.String, plugin: Schema.optionalKey(Schema.String) })
    )
  })
) {
  override get message(): string {
    const all = this.sections.map((one) => describeOwner({ ...one, kind: "section" })).join(" and ")
    const remedy = this.sections.every((one) => one.scope === this.scope)
      ? "Drop `complete` from all but one."
      : "Shadow one of them in this scope by a section of the same name, or drop its `complete`."
    return `scope ${JSON.stringify(this.scope)} sees ${this.sections.length} complete sections: ${all}. Only one section can be the whole prompt. ${remedy}`
  }
}

/**
 * `toolOrder` lists tools that no provider knows, not even as hidden ones; or a restriction names tools that its scope
 * does not inherit.
 *
 * @since 0.1.0
 * @category errors
 */
export class UnknownTool extends stackless(
  Schema.TaggedError<UnknownTool>("effect-preamble/UnknownTool")("UnknownTool", {
    ...ownerSchema,
    unknown: Schema.Array(Schema.String),
    known: Schema.Array(Schema.String),
    nearest: Schema.optionalKey(Schema.String)
  })
) {
  override get message(): string {
    const hint = this.nearest === undefined ? "" : ` Did you mean ${JSON.stringify(this.nearest)}?`
    return this.kind === "restriction"
      ? `${describeOwner(this)} names tools that the scope does not inherit: ${list(this.unknown)}.${hint} Inherited tools: ${list(this.known)}. Correct the name, or register the tool first: layers that are merged have no order, so put the tools below with Layer.provideMerge. A scope's own tools, and those of bare providers, are not restricted.`
      : `toolOrder lists unknown tools: ${list(this.unknown)}.${hint} Known tools: ${list(this.known)}. Correct the name, or let its provider list it in \`knownNames\` while it is hidden.`
  }
}

/**
 * A provider returned a tool whose name is the rest marker of `toolOrder`, or one was registered or restricted by it.
 *
 * @since 0.1.0
 * @category errors
 */
export class ReservedToolName extends stackless(
  Schema.TaggedError<ReservedToolName>("effect-preamble/ReservedToolName")("ReservedToolName", {
    ...ownerSchema,
    tool: Schema.String
  })
) {
  override get message(): string {
    const what = this.kind === "tools" ? "returned a tool named" : "must not use the name"
    return `${describeOwner(this)} ${what} ${JSON.stringify(this.tool)}, which marks "all other tools" in toolOrder. ${this.kind === "restriction" ? "Name the tools one by one." : "Rename the tool."}`
  }
}

/**
 * A tool schema is not plain JSON of the expected shape. `path` leads from the tool to the value, as a JSONPath.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidToolSchema extends stackless(
  Schema.TaggedError<InvalidToolSchema>("effect-preamble/InvalidToolSchema")("InvalidToolSchema", {
    ...ownerSchema,
    tool: Schema.String,
    path: Schema.String,
    reason: Schema.String
  })
) {
  override get message(): string {
    // A tool of the registry is its own owner.
    const from = this.kind === "tool" ? "" : `tool ${JSON.stringify(this.tool)} from `
    return `${from}${describeOwner(this)} is invalid at ${this.path}: ${this.reason}`
  }
}

/**
 * A provider failed, died, or gave a value of the wrong type.
 *
 * @since 0.1.0
 * @category errors
 */
export class ProviderFailure extends stackless(
  Schema.TaggedError<ProviderFailure>("effect-preamble/ProviderFailure")("ProviderFailure", {
    ...ownerSchema,
    reason: Schema.String,
    cause: Schema.Defect()
  })
) {
  override get message(): string {
    return `${describeOwner(this)} ${this.reason}: ${sentence(describeCause(this.cause))} Correct the provider, or let it handle its failure.`
  }
}

/** What V8 says of a write to a frozen object. */
const ofFrozen =
  /^Cannot (?:assign to read only property|add property .*not extensible|delete property|define property|redefine property)/

/**
 * A listener failed, died, or broke the contract of `next`.
 *
 * @since 0.1.0
 * @category errors
 */
export class ListenerFailure extends stackless(
  Schema.TaggedError<ListenerFailure>("effect-preamble/ListenerFailure")("ListenerFailure", {
    ...ownerSchema,
    reason: Schema.String,
    cause: Schema.Defect()
  })
) {
  override get message(): string {
    const said = sentence(describeCause(this.cause))
    const remedy = ofFrozen.test(said)
      ? "An assembly is frozen: return what an edit of Assembly gives, such as Assembly.addSection."
      : "Correct the listener, or let it handle its failure."
    return `${describeOwner(this)} ${this.reason}: ${said} ${remedy}`
  }
}

/**
 * A listener's result is not a well-formed assembly. `path` leads from the assembly to the value.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidAssembly extends stackless(
  Schema.TaggedError<InvalidAssembly>("effect-preamble/InvalidAssembly")("InvalidAssembly", {
    ...ownerSchema,
    path: Schema.String,
    reason: Schema.String
  })
) {
  override get message(): string {
    return `${describeOwner(this)} returned an invalid assembly at ${this.path}: ${this.reason}`
  }
}

// -----------------------------------------------------------------------------
// errors of rendering
// -----------------------------------------------------------------------------

const at = (self: { readonly line: number; readonly column: number; readonly offset: number }): string =>
  `line ${self.line}, column ${self.column} (offset ${self.offset})`

/** A piece of text as its author wrote it, on one line: escaping its quotes would hide the JSON that it often is. */
const quote = (text: string): string => `\`${visible(text)}\``

/**
 * A text refers to a variable that is not in the assembly: nobody registered it for this scope, or a listener removed it,
 * which rendering cannot tell and `SystemPrompt.trace` can. `known` lists a hundred names at most; `more` says
 * how many there are beyond.
 *
 * @since 0.1.0
 * @category errors
 */
export class UnknownVariable extends stackless(
  Schema.TaggedError<UnknownVariable>("effect-preamble/UnknownVariable")("UnknownVariable", {
    ...ownerSchema,
    ...inText,
    variable: Schema.String,
    known: Schema.Array(Schema.String),
    more: Schema.optionalKey(Schema.Int),
    nearest: Schema.optionalKey(Schema.String)
  })
) {
  override get message(): string {
    const hint = this.nearest === undefined ? "" : ` Did you mean {{${this.nearest}}}?`
    const more = this.more === undefined ? "" : ` and ${this.more} more`
    // Where a name is near, that one was meant.
    const removed = this.nearest === undefined ? " look for a listener that removed it," : ""
    return `${describeOwner(this)} refers to the unknown variable {{${this.variable}}} at ${at(this)}: ${quote(this.excerpt)}.${hint} Known variables: ${list(this.known)}${more}. Register it, correct the name,${removed} or set \`interpolate: false\` if the braces are literal text.`
  }
}

/**
 * A text refers to a variable that is registered but has no value in this assembly. `environment` is there where the
 * variable of a composition was to have that of an environment variable, which is not set: the name of that one, and the
 * scope whose variable asks for it.
 *
 * @since 0.1.0
 * @category errors
 */
export class UndefinedVariable extends stackless(
  Schema.TaggedError<UndefinedVariable>("effect-preamble/UndefinedVariable")("UndefinedVariable", {
    ...ownerSchema,
    ...inText,
    variable: Schema.String,
    environment: Schema.optionalKey(Schema.Struct({ variable: Schema.String, scope: Schema.String }))
  })
) {
  override get message(): string {
    const { environment, variable } = this
    const why =
      environment === undefined
        ? "The variable is registered without a value: let its provider give one, shadow it in this scope, or drop the reference."
        : `The environment variable ${JSON.stringify(environment.variable)}, which gives it in scope ${JSON.stringify(environment.scope)}, is not set. Set it, shadow {{${variable}}} with another value, or drop the reference.`
    return `${describeOwner(this)} needs a value for {{${variable}}} at ${at(this)}: ${quote(this.excerpt)}. ${why}`
  }
}

/**
 * A text has an opening `{{` that is neither a reference nor plain text.
 *
 * @since 0.1.0
 * @category errors
 */
export class MalformedGroup extends stackless(
  Schema.TaggedError<MalformedGroup>("effect-preamble/MalformedGroup")("MalformedGroup", {
    ...ownerSchema,
    ...inText,
    group: Schema.String,
    reason: Schema.String
  })
) {
  override get message(): string {
    return `${describeOwner(this)} has a malformed group ${quote(this.group)} at ${at(this)}: ${this.reason}`
  }
}

// -----------------------------------------------------------------------------
// unions
// -----------------------------------------------------------------------------

/**
 * What registering a contribution can fail with.
 *
 * @since 0.1.0
 * @category errors
 */
export type RegistrationError = DuplicateRegistration | InvalidRegistration | ScopeClosed

/**
 * What assembling can fail with.
 *
 * @since 0.1.0
 * @category errors
 */
export type AssembleError =
  | MultipleCompleteSections
  | UnknownTool
  | ReservedToolName
  | InvalidToolSchema
  | ProviderFailure
  | ListenerFailure
  | InvalidAssembly

/**
 * What the waterfall can fail with.
 *
 * @since 0.1.0
 * @category errors
 */
export type WaterfallError = ListenerFailure | InvalidAssembly

/**
 * What rendering an assembly can fail with.
 *
 * @since 0.1.0
 * @category errors
 */
export type RenderError = UnknownVariable | UndefinedVariable | MalformedGroup

/**
 * Every error of the core as one Schema, to encode and decode failures.
 *
 * @since 0.1.0
 * @category errors
 */
export const PromptError = Schema.Union([
  DuplicateRegistration,
  InvalidRegistration,
  InvalidToolOrder,
  ScopeClosed,
  ScopeCycle,
  MultipleCompleteSections,
  UnknownTool,
  ReservedToolName,
  InvalidToolSchema,
  ProviderFailure,
  ListenerFailure,
  InvalidAssembly,
  UnknownVariable,
  UndefinedVariable,
  MalformedGroup
])

/**
 * Any error of the core.
 *
 * @since 0.1.0
 * @category errors
 */
export type PromptError = typeof PromptError.Type
