/** Who a tool of an assembly comes from. */
import type { AssembledTool } from "../Assembly.ts"
import { describeOwner, type Owner, ownerFields } from "../Owner.ts"
import { registeredAs } from "./toolLink.ts"

/**
 * Its registration; of a tool that was never registered the provider that gave it, or the listener that added it. The
 * tool of a provider without a name is a listener's once one has edited it: an origin does not tell these two apart.
 */
export const ownerOf = (tool: AssembledTool): Owner => {
  const { listener, plugin, provider, scope } = tool.origin
  if (registeredAs(tool) !== undefined) return ownerFields({ kind: "tool", entry: tool.schema.name, scope, plugin })
  return provider === undefined && listener !== undefined
    ? ownerFields({ kind: "listener", entry: listener.name, scope: listener.scope, plugin: listener.plugin })
    : ownerFields({ kind: "tools", entry: provider ?? "", scope, plugin })
}

/** Names a tool in prose, with whom it comes from where that has a name of its own: `tool "t" of tool provider "net" of …`. */
export const describeTool = (tool: AssembledTool): string => {
  const owner = ownerOf(tool)
  const { name } = tool.schema
  return owner.kind === "tool" || owner.entry === ""
    ? describeOwner({ ...owner, kind: "tool", entry: name })
    : `tool ${JSON.stringify(name)} of ${describeOwner(owner)}`
}
