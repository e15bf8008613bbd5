import { Layer } from "effect"
import { Plugin } from "effect-preamble"

export default Layer.mergeAll(
  Plugin.section({ name: "house:rules", order: 700, text: "Rule {{rules}}: leave the tests green." }),
  Plugin.variable("rules", "one")
)
