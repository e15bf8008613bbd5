/**
 * A tool provider: gives tool schemas for one assembly, together with the names it
 * knows before any restriction.
 *
 * Tools of several providers append; they never shadow each other.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as rules from "./internal/rules.ts"
import type { InvalidRegistration } from "./PromptError.ts"
import type * as ToolSchema from "./ToolSchema.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * What a provider gives: its visible tools, or these with the names that it knows.
 *
 * `knownNames` tells a typo in `toolOrder` from a tool that exists but is hidden now;
 * visible tools are always known.
 *
 * @since 0.1.0
 * @category models
 */
export type Contribution =
  | ReadonlyArray<ToolSchema.Input>
  | { readonly schemas: ReadonlyArray<ToolSchema.Input>; readonly knownNames?: ReadonlyArray<string> | undefined }

/**
 * A tool provider as registered. `T` is its contribution, or what gives it.
 *
 * @since 0.1.0
 * @category models
 */
export interface ToolProvider<out T = Contribution> {
  readonly kind: "tools"
  /** For errors, origins and ties. Names need not be unique. */
  readonly name: string | undefined
  readonly tools: T
  readonly plugin: string | undefined
}

/**
 * What a tool provider is made from.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options<out T = Contribution> {
  readonly tools: T
  /** For errors, origins and ties. Names need not be unique. */
  readonly name?: string | undefined
  /** Who registers it, for errors and origins. */
  readonly plugin?: string | undefined
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * A frozen tool provider, or the rule it breaks. `scope` is the label of the scope it is meant for.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: <T>(options: Options<T>, scope: string) => Result.Result<ToolProvider<T>, InvalidRegistration> = (
  options,
  scope
) => fromUnknown(options, scope)

/**
 * `make` for options whose types nobody has checked. Only the tools is taken as it is.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromUnknown = <T>(
  options: rules.Unchecked<Options<T>, "tools">,
  scope: string
): Result.Result<ToolProvider<T>, InvalidRegistration> => {
  const owner = rules.ownerOf("tools", options, scope)
  return Result.gen(function* () {
    return Object.freeze({
      kind: "tools",
      name: options.name === undefined ? undefined : yield* rules.name(owner, options.name),
      tools: options.tools,
      plugin: yield* rules.plugin(owner, options.plugin)
    })
  })
}
