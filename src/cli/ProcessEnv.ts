/**
 * The environment variables that a composition may read. A reference, so that tests give their own.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type { Environment } from "../composition/CompositionScopes.ts"

export const ProcessEnv: Context.Reference<Environment> = Context.Reference("effect-preamble/cli/ProcessEnv", {
  defaultValue: () => process.env
})
