/**
 * The environment variables that a composition may read. A reference, so that tests give their own.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"

export const Environment: Context.Reference<{ readonly [name: string]: string | undefined }> = Context.Reference(
  "effect-preamble/cli/Environment",
  { defaultValue: () => process.env }
)
