/** A tool that a named provider gives, of the name of another. */
import { Plugin } from "effect-preamble"

export default Plugin.tools([{ name: "read", description: "Bare", parameters: {} }], { name: "bare" })
