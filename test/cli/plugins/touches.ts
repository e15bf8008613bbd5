/** Listeners that change a section and add one, with references to nothing, for the tests of `render`. */
import { Layer } from "effect"
import { Assembly, Plugin } from "effect-preamble"

export default Layer.mergeAll(
  Plugin.listener({
    name: "changes",
    plugin: "safety",
    edit: Assembly.mapSection("house", (section) => ({ ...section, text: "{{gone}}" }))
  }),
  Plugin.listener({ name: "adds", edit: Assembly.addSection({ name: "z", order: 9, text: "{{q}}" }) })
)
