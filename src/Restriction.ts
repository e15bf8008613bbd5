/**
 * A restriction: which of the tools that a scope inherits it shows and may call.
 *
 * A tool is admitted if it is not denied and, where there is an allow list, is on it.
 * What is registered in the scope itself is never restricted there. Tools that come
 * later pass a deny list, but no allow list.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import { byCodeUnits } from "./internal/codeUnits.ts"
import { nearest } from "./internal/nearest.ts"
import * as rules from "./internal/rules.ts"
import { type InvalidRegistration, type Owner, ownerFields, type ReservedToolName, UnknownTool } from "./PromptError.ts"
import * as ToolOrder from "./ToolOrder.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * A restriction as registered.
 *
 * @since 0.1.0
 * @category models
 */
export interface Restriction {
  readonly kind: "restriction"
  /** Only these pass. An empty list hides all that is inherited. */
  readonly allow: ReadonlyArray<string> | undefined
  /** These do not pass, allowed or not. */
  readonly deny: ReadonlyArray<string> | undefined
  readonly plugin: string | undefined
}

/**
 * What a restriction is made from: an allow list, a deny list, or both.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly allow?: ReadonlyArray<string> | undefined
  readonly deny?: ReadonlyArray<string> | undefined
  /** Who registers it, for errors and reasons. */
  readonly plugin?: string | undefined
}

/**
 * Where a restriction is meant for.
 *
 * @since 0.1.0
 * @category models
 */
export interface Target {
  /** Label of the scope. */
  readonly scope: string
  /** Whether it is the global scope, which inherits nothing. */
  readonly isGlobal: boolean
  /** All tools that the scope inherits, admitted or not. */
  readonly inherited: Iterable<string>
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * A frozen restriction, or the rule it breaks. Each name must be one that the scope inherits now.
 *
 * **Provider's cache**: tools come before the prompt; a tool that goes or comes back costs the whole prefix from there on.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: Options,
  target: Target
): Result.Result<Restriction, InvalidRegistration | ReservedToolName | UnknownTool> => {
  const owner = rules.ownerOf("restriction", { plugin: options.plugin }, target.scope)
  return Result.gen(function* () {
    const plugin = yield* rules.plugin(owner, options.plugin)
    if (target.isGlobal) {
      const reason =
        "the global scope inherits no tools. Mount the plugin into a prompt scope, Plugin.mount(scope)(plugin), or call `restrict` under PromptScope.provide(scope)."
      return yield* rules.broken(owner, "scope", reason)
    }
    if (options.allow === undefined && options.deny === undefined) {
      const reason = "there is neither an allow nor a deny list. Give one; `allow: []` hides all inherited tools."
      return yield* rules.broken(owner, "allow", reason)
    }
    const allow = options.allow === undefined ? undefined : yield* rules.toolNames(owner, "allow", options.allow)
    const deny = options.deny === undefined ? undefined : yield* rules.toolNames(owner, "deny", options.deny)
    yield* checkNames([...(allow ?? []), ...(deny ?? [])], target.inherited, owner)
    return Object.freeze<Restriction>({ kind: "restriction", allow, deny, plugin })
  })
}

const checkNames = (
  names: ReadonlyArray<string>,
  inherited: Iterable<string>,
  owner: Owner
): Result.Result<void, ReservedToolName | UnknownTool> => {
  for (const name of names) {
    const reserved = ToolOrder.reserved(name, owner)
    if (Result.isFailure(reserved)) return reserved
  }
  const known = new Set(inherited)
  const unknown = [...new Set(names)].filter((name) => !known.has(name))
  const [first] = unknown
  if (first === undefined) return Result.void
  const sorted = [...known].sort(byCodeUnits)
  const near = nearest(first, sorted)
  const hint = near === undefined ? undefined : { nearest: near }
  return Result.fail(new UnknownTool({ ...ownerFields(owner), unknown, known: sorted, ...hint }))
}

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/**
 * Which list keeps an inherited tool out; nothing if it passes.
 *
 * @since 0.1.0
 * @category destructors
 */
export const refusal = (self: Restriction, tool: string): "allow" | "deny" | undefined => {
  const { allow, deny } = setsOf(self)
  if (deny?.has(tool) === true) return "deny"
  return allow === undefined || allow.has(tool) ? undefined : "allow"
}

interface Sets {
  readonly allow: ReadonlySet<string> | undefined
  readonly deny: ReadonlySet<string> | undefined
}

/** Lists may be long, and every tool is looked up in them. */
const sets = new WeakMap<Restriction, Sets>()

const setsOf = (self: Restriction): Sets => {
  let found = sets.get(self)
  if (found === undefined) {
    sets.set(self, (found = { allow: self.allow && new Set(self.allow), deny: self.deny && new Set(self.deny) }))
  }
  return found
}
