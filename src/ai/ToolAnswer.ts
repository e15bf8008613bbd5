/**
 * What a model is told when a call of a tool fails.
 *
 * A model may repeat all that it reads. So it is told what it can act on: that there is no
 * such tool, what is wrong with its arguments, why the call was refused, the typed failure
 * of a handler. What went wrong behind the tool, and who registered it, is for the host.
 *
 * @since 0.1.0
 */
import type { ToolError } from "../ToolError.ts"

// -----------------------------------------------------------------------------
// guards
// -----------------------------------------------------------------------------

/**
 * Whether the model is told less than the error says, so that the host is the only one who can see the rest.
 *
 * @since 0.1.0
 * @category guards
 */
export const withholds = (error: ToolError): boolean =>
  error._tag === "GuardFailure" ||
  error._tag === "ToolWithoutHandler" ||
  (error._tag === "ToolFailure" && error.fault !== "failed")

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/**
 * The text that answers a failed call.
 *
 * @since 0.1.0
 * @category destructors
 */
export const text = (error: ToolError): string => {
  switch (error._tag) {
    case "ToolNotFound":
    case "InvalidToolArguments":
      return error.message
    case "ToolRefused":
      return `the call of tool "${error.tool}" was refused: ${error.reason}`
    case "ToolWithoutHandler":
      return `tool "${error.entry}" cannot be called here. Go on without it.`
    case "GuardFailure":
      return `the call of tool "${error.tool}" was not let through, because of a fault that is not yours.`
    case "ToolFailure":
      return error.fault === "failed"
        ? error.message
        : `tool "${error.entry}" did not work, because of a fault that is not yours.`
  }
}
