/** A restriction that names itself. */
import { Plugin } from "effect-preamble"

export default Plugin.restrict({ deny: ["read"], plugin: "lock" })
