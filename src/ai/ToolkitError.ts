/**
 * Why the tools of an assembly cannot be a toolkit.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { quoteName } from "../internal/excerpt.ts"
import { stackless } from "../internal/stackless.ts"
import { describeOwner, ownerSchema } from "../Owner.ts"

// -----------------------------------------------------------------------------
// errors
// -----------------------------------------------------------------------------

/**
 * Several tools have one name. An assembly may hold them, but a toolkit keeps one tool of each name, and model providers
 * refuse the request. Each owner has one of them.
 *
 * @since 0.1.0
 * @category errors
 */
export class DuplicateToolName extends stackless(
  Schema.TaggedError<DuplicateToolName>("effect-preamble/ai/DuplicateToolName")("DuplicateToolName", {
    tool: Schema.String,
    owners: Schema.Array(Schema.Struct(ownerSchema))
  })
) {
  override get message(): string {
    const owners = this.owners.map(describeOwner).join(", and one of ")
    return `${this.owners.length} tools are named ${quoteName(this.tool)}: one of ${owners}. Rename or remove all but one, in their providers or with a listener.`
  }
}

/**
 * Names that a toolkit or a model provider cannot take, all of them, each with its owner. Nothing is renamed or cut.
 *
 * @since 0.1.0
 * @category errors
 */
export class IllegalToolNames extends stackless(
  Schema.TaggedError<IllegalToolNames>("effect-preamble/ai/IllegalToolNames")("IllegalToolNames", {
    tools: Schema.Array(
      Schema.Struct({ tool: Schema.String, owner: Schema.Struct(ownerSchema), reason: Schema.String })
    )
  })
) {
  override get message(): string {
    const all = this.tools.map(
      ({ owner, reason, tool }) => `${JSON.stringify(tool)} of ${describeOwner(owner)} ${reason}`
    )
    return `no model can be sent tools of these names: ${all.join("; ")}. Rename them where they come from, or with a listener.`
  }
}

/**
 * Tools ask for something, and nothing says that the model's provider can do it. `capability` is `deferLoading`: the tool is
 * to be loaded only when it is searched for.
 *
 * @since 0.1.0
 * @category errors
 */
export class UnsupportedCapability extends stackless(
  Schema.TaggedError<UnsupportedCapability>("effect-preamble/ai/UnsupportedCapability")("UnsupportedCapability", {
    capability: Schema.Literals(["deferLoading"]),
    tools: Schema.Array(Schema.Struct({ tool: Schema.String, owner: Schema.Struct(ownerSchema) }))
  })
) {
  override get message(): string {
    const all = this.tools.map(({ owner, tool }) => `${quoteName(tool)} of ${describeOwner(owner)}`).join(", ")
    return (
      `these tools ask to be loaded only when they are searched for: ${all}. Nothing in effect/ai does that. ` +
      `Choose \`deferLoading: "eager"\` to send them like all others, or \`"annotate"\` if the provider's adapter reads \`ModelToolkit.DeferLoading\`.`
    )
  }
}

/**
 * The caller's own toolkit has a tool of the same name as one of the assembly. The owner is that of the assembly's tool.
 *
 * @since 0.1.0
 * @category errors
 */
export class ToolNameClash extends stackless(
  Schema.TaggedError<ToolNameClash>("effect-preamble/ai/ToolNameClash")("ToolNameClash", {
    tool: Schema.String,
    owner: Schema.Struct(ownerSchema)
  })
) {
  override get message(): string {
    return `the toolkit of the call and ${describeOwner(this.owner)} both have a tool named ${quoteName(this.tool)}. Rename one, or leave it out of the toolkit.`
  }
}

// -----------------------------------------------------------------------------
// unions
// -----------------------------------------------------------------------------

/**
 * Any of them as one Schema, to encode and decode failures.
 *
 * @since 0.1.0
 * @category errors
 */
export const ToolkitError = Schema.Union([DuplicateToolName, IllegalToolNames, UnsupportedCapability, ToolNameClash])

/**
 * Any of them.
 *
 * @since 0.1.0
 * @category errors
 */
export type ToolkitError = typeof ToolkitError.Type
