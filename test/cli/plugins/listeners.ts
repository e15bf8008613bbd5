/** Listeners of every kind, and a tool provider that hides a tool, for the tests of `explain`. */
import { Effect, Layer } from "effect"
import { Assembly, Plugin } from "effect-preamble"

export default Layer.mergeAll(
  Plugin.tools(
    { schemas: [{ name: "grep", description: "Search files", parameters: {} }], knownNames: ["glob"] },
    { name: "search", plugin: "search" }
  ),
  Plugin.listener({ name: "idle", order: -1, edit: (self) => self }),
  Plugin.listener({ name: "mask", order: 1, plugin: "safety", edit: Assembly.removeTool("bash") }),
  Plugin.listener({
    name: "banner",
    order: 0,
    around: (self, next) =>
      Effect.map(
        next(Assembly.mapSection(self, "house", (section) => ({ ...section, text: "House rules, edited." }))),
        Assembly.addSection({ name: "banner", order: -2000, text: "BANNER" })
      )
  })
)
