/** Tools that a provider without a name and a listener give, one of them of the name of another. */
import { Layer } from "effect"
import { Assembly, Plugin } from "effect-preamble"

const given = (name: string) => ({ name, description: "Given", parameters: { type: "object" } })

export default Layer.mergeAll(
  Plugin.tools([given("read")]),
  Plugin.listener({ name: "adds", edit: Assembly.addTool(given("late")) })
)
