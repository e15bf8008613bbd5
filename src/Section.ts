/**
 * A section: ordered text of the system prompt.
 *
 * Sections are rendered by `order`, then by name in code units, and joined with a
 * blank line. A nearer section of the same name takes the place of a farther one
 * with everything it says: order, text, `interpolate`, `complete` and `requires`.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as rules from "./internal/rules.ts"
import type { InvalidRegistration } from "./PromptError.ts"
import type { Text } from "./Template.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * A section as registered. `T` is its text, or what gives it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Section<out T = Text> {
  readonly kind: "section"
  readonly name: string
  readonly order: number
  readonly text: T
  /** The section becomes the whole prompt. */
  readonly complete: boolean
  /** False: the text is data, and goes out untouched. */
  readonly interpolate: boolean
  /** The section is there only while all these tools are in the final assembly. */
  readonly requires: ReadonlyArray<string>
  readonly plugin: string | undefined
}

/**
 * What a section is made from.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options<out T = Text> {
  /** Unique among the sections of its scope. */
  readonly name: string
  /** Any finite number; lower comes first. See `orders` for the named ones. */
  readonly order: number
  readonly text: T
  /** Default false. At most one section in force for a scope may be complete. */
  readonly complete?: boolean | undefined
  /** Default true. False for text that is data: braces stay as they are. */
  readonly interpolate?: boolean | undefined
  /** Names of tools; not together with `complete`. Default none. */
  readonly requires?: ReadonlyArray<string> | undefined
  /** Who registers it, for errors and origins. */
  readonly plugin?: string | undefined
}

// -----------------------------------------------------------------------------
// constants
// -----------------------------------------------------------------------------

/**
 * The named orders. Instructions that are the same everywhere come first; text that
 * differs between machines (paths, addresses) comes at 10000 and beyond, so that the
 * part before it stays byte-identical for all of them.
 *
 * @since 0.1.0
 * @category constants
 */
export const orders = Object.freeze({
  HARNESS_IDENTITY: -1000,
  DEPLOYMENT_PERSONA_PREFIX: 0,
  PLAN_POLICY: 500,
  TEAM_POLICY: 600,
  PTC_ONLY: 800,
  FILE_REFERENCE: 900,
  TOOL_BASH: 1000,
  TOOL_PWSH: 1010,
  TOOL_READ: 1100,
  TOOL_WRITE: 1200,
  TOOL_EDIT: 1300,
  TOOL_GLOB: 1400,
  TOOL_GREP: 1500,
  TOOL_JOBS: 1600,
  TOOL_PTY: 1700,
  TOOL_WEB_SEARCH: 2000,
  TOOL_WEB_FETCH: 2100,
  TOOL_LSP: 2200,
  TOOL_SESSION_QUERY: 2300,
  TOOL_GOAL: 2400,
  TOOL_WORKFLOW: 2600,
  TOOL_RALPH: 2700,
  TOOL_SUBAGENT: 2800,
  TOOL_REPORT: 2900,
  TOOL_COMPUTER_USE: 3000,
  MCP_SERVERS: 3100,
  TOOLS_SDK: 5000,
  DELIVERABLE_FILE_REFERENCES: 9000,
  STRUCTURED_OUTPUT: 9900,
  HARNESS_SOURCE: 10000,
  WEB_SURFACE: 10100,
  DEPLOYMENT_PERSONA_SUFFIX: 10200
})

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * A frozen section, or the rule it breaks. `scope` is the label of the scope it is meant for.
 *
 * **Provider's cache**: in the cached prefix; a change costs everything after the first byte that differs.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: <T>(options: Options<T>, scope: string) => Result.Result<Section<T>, InvalidRegistration> = (
  options,
  scope
) => fromUnknown(options, scope)

/**
 * `make` for options whose types nobody has checked. Only the text is taken as it is.
 *
 * @internal
 */
export const fromUnknown = <T>(
  options: rules.Unchecked<Options<T>, "text">,
  scope: string
): Result.Result<Section<T>, InvalidRegistration> => {
  const owner = rules.ownerOf("section", options, scope)
  // Without `Result.gen`, which is slower: a section that a listener makes is checked in a step.
  const name = rules.name(owner, options.name)
  if (Result.isFailure(name)) return Result.fail(name.failure)
  const order = rules.order(owner, options.order)
  if (Result.isFailure(order)) return Result.fail(order.failure)
  const { text } = options
  const complete = rules.flag(owner, "complete", options.complete, false)
  if (Result.isFailure(complete)) return Result.fail(complete.failure)
  const interpolate = rules.interpolation(owner, text, options.interpolate)
  if (Result.isFailure(interpolate)) return Result.fail(interpolate.failure)
  const requires = rules.toolNames(owner, "requires", options.requires)
  if (Result.isFailure(requires)) return Result.fail(requires.failure)
  const plugin = rules.plugin(owner, options.plugin)
  if (Result.isFailure(plugin)) return Result.fail(plugin.failure)
  if (complete.success && requires.success.length > 0) {
    const reason = "a complete section is the whole prompt and cannot depend on tools. Drop one of the two."
    return rules.broken(owner, "requires", reason)
  }
  return Result.succeed(
    Object.freeze({
      kind: "section",
      name: name.success,
      order: order.success,
      text,
      complete: complete.success,
      interpolate: interpolate.success,
      requires: requires.success,
      plugin: plugin.success
    })
  )
}
