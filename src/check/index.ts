/**
 * Warnings about an assembly: what is allowed, and most likely not what its author wants.
 *
 * ```typescript
 * import * as Check from "effect-preamble/check"
 * ```
 *
 * @since 0.1.0
 */
export { assembly, type Options, referencesOf, toolsOf, trace } from "./Check.ts"
export { Code, codes } from "./Code.ts"
export { Place, Warning } from "./Warning.ts"
