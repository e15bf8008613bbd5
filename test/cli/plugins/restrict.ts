/** A restriction that does not name itself. */
import { Plugin } from "effect-preamble"

export default Plugin.restrict({ deny: ["bash"] })
