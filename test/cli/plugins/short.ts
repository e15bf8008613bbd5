/** A listener that does not run the rest, and two that so never run. */
import { Effect, Layer } from "effect"
import { Assembly, Plugin } from "effect-preamble"

export default Layer.mergeAll(
  Plugin.listener({ name: "short", around: (self) => Effect.succeed(Assembly.removeSection(self, "house")) }),
  Plugin.listener({ name: "inner", order: 1, edit: Assembly.removeSection("harness:identity") }),
  Plugin.listener({ name: "all", order: 1, edit: Assembly.removeTool("read") })
)
