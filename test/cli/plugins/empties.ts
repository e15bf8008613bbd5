/** A listener that changes a section, and one that leaves nothing of others and of a context, for the tests of `explain`. */
import { Layer } from "effect"
import { Assembly, Plugin } from "effect-preamble"

const empty = <Part extends object>(part: Part) => ({ ...part, text: "" })

export default Layer.mergeAll(
  Plugin.section({ name: "safe", order: 700, text: "Be safe.", plugin: "safety" }),
  Plugin.listener({
    name: "mask",
    plugin: "safety",
    edit: (self) =>
      Assembly.mapContext(
        Assembly.mapSection(Assembly.mapSection(self, "house", empty), "safe", empty),
        "policy",
        empty
      )
  }),
  Plugin.listener({ name: "edits", edit: Assembly.mapSection("rules", (part) => ({ ...part, text: "Edited." })) })
)
