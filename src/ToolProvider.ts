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
import type { InvalidRegistration, Owner } from "./PromptError.ts"
import * as ToolSchema from "./ToolSchema.ts"

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
export type Tools =
  | ReadonlyArray<ToolSchema.Input>
  | { readonly schemas: ReadonlyArray<ToolSchema.Input>; readonly knownNames?: ReadonlyArray<string> | undefined }

/**
 * A tool provider as registered. `T` is its contribution, or what gives it.
 *
 * @since 0.1.0
 * @category models
 */
export interface ToolProvider<out T = Tools> {
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
export interface Options<out T = Tools> {
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
 * **Provider's cache**: tools come before the prompt; a change of a schema or of the order costs the whole prefix from there on.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: <T>(options: Options<T>, scope: string) => Result.Result<ToolProvider<T>, InvalidRegistration> = (
  options,
  scope
) => fromUnknown(options, scope)

/**
 * `make` for options whose types nobody has checked. The tools may be anything; assembling refuses what is no
 * contribution. One that is, and no function or Effect that gives one, is copied: its author may change it later.
 *
 * @internal
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
      tools: detach(options.tools, owner),
      plugin: yield* rules.plugin(owner, options.plugin)
    })
  })
}

const detach = <T>(tools: T, owner: Owner): T => {
  try {
    // A copy of what is a contribution and a `T` has all that a `T` can be asked for.
    return isContribution(tools) ? (copy(tools, owner) as T & Tools) : tools
  } catch {
    // It has getters, or is a Proxy: the assembly says what is wrong with it.
    return tools
  }
}

const isContribution = (u: unknown): u is Tools =>
  Array.isArray(u) || (typeof u === "object" && u !== null && "schemas" in u && Array.isArray(u.schemas))

const isList = (self: Tools): self is ReadonlyArray<ToolSchema.Input> => Array.isArray(self)

const copy = (self: Tools, owner: Owner): Tools => {
  if (isList(self)) return copyAll(self, owner)
  const schemas = copyAll(self.schemas, owner)
  const knownNames = Array.isArray(self.knownNames) ? Object.freeze([...self.knownNames]) : self.knownNames
  return Object.freeze({ schemas, knownNames })
}

/** What is no valid tool stays as it is, for the assembly to refuse. */
const copyAll = (schemas: ReadonlyArray<ToolSchema.Input>, owner: Owner): ReadonlyArray<ToolSchema.Input> =>
  Object.freeze(schemas.map((schema) => Result.getOrElse(ToolSchema.fromUnknown(schema, owner), () => schema)))
