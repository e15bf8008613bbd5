/** Tools as model providers take them. */
import { isLegal, longest } from "../internal/toolName.ts"
import { describeTool, type Rule, type Tool } from "./Subject.ts"
import * as Warning from "./Warning.ts"

export const duplicateTools: Rule = ({ tools }) => {
  const first = new Map<string, Tool>()
  return tools.flatMap((tool) => {
    const { name } = tool.source.schema
    const other = first.get(name)
    if (other === undefined) {
      first.set(name, tool)
      return []
    }
    const message = `${describeTool(tool)} has the same name as ${describeTool(other)}, and model providers refuse a request with two tools of one name. Rename or remove one of them.`
    return [
      Warning.make("duplicate-tool", tool.owner, message, { tool: name, related: [{ ...other.owner, tool: name }] })
    ]
  })
}

export const toolNames: Rule = ({ tools }) =>
  tools.flatMap((tool) => {
    const { name } = tool.source.schema
    if (isLegal(name)) return []
    // Shortening is no way out where it makes one of two.
    const twin = tools.find((other) => other.source.schema.name !== name && cut(other) === cut(tool))
    const long =
      name.length <= longest
        ? ""
        : ` It has ${name.length} characters.${twin === undefined ? "" : ` Cut to ${longest}, it would be the same as ${JSON.stringify(twin.source.schema.name)}.`}`
    const message = `${describeTool(tool)} has a name that model providers refuse: they take 1 to ${longest} of A–Z, a–z, 0–9, _ and -.${long} Rename it.`
    return [Warning.make("tool-name", tool.owner, message, { tool: name, path: ["name"] })]
  })

const cut = (tool: Tool): string => tool.source.schema.name.slice(0, longest)
