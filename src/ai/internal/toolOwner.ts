/** Who a tool of an assembly comes from: its registration, the provider that gave it, or the listener that added it. */
import type { AssembledTool } from "../../Assembly.ts"
import { registeredAs } from "../../internal/toolLink.ts"
import { type Owner, ownerFields } from "../../Owner.ts"

export const ownerOf = (tool: AssembledTool): Owner => {
  const { listener, plugin, provider, scope } = tool.origin
  if (registeredAs(tool) !== undefined) return ownerFields({ kind: "tool", entry: tool.schema.name, scope, plugin })
  return provider === undefined && listener !== undefined
    ? ownerFields({ kind: "listener", entry: listener.name, scope: listener.scope, plugin: listener.plugin })
    : ownerFields({ kind: "tools", entry: provider ?? "", scope, plugin })
}
