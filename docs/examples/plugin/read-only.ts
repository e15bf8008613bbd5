import { Assembly, Plugin } from "effect-preamble"

export default Plugin.listener({
  name: "read-only",
  plugin: "safety",
  edit: Assembly.removeTool("bash")
})
