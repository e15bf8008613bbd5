/**
 * The order in which tools are sent to the model.
 *
 * Without a configured order tools stand by name, in UTF-16 code units. With
 * one, listed names stand where the list has them and all others where it has
 * the rest marker, by name.
 *
 * @since 0.1.0
 */
import * as Brand from "effect/Brand"
import type * as Order from "effect/Order"
import * as Result from "effect/Result"
import { byCodeUnits } from "./internal/codeUnits.ts"
import { nearest } from "./internal/nearest.ts"
import { InvalidToolOrder, type Owner, ownerFields, ReservedToolName, UnknownTool } from "./PromptError.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * The entry of a `ToolOrder` that stands for all tools that it does not list. No tool may have this name.
 *
 * @since 0.1.0
 * @category models
 */
export const restMarker = "<unlisted-tools>"

/**
 * A checked list of tool names, frozen: none twice, the rest marker once.
 *
 * @since 0.1.0
 * @category models
 */
export type ToolOrder = ReadonlyArray<string> & Brand.Brand<"effect-preamble/ToolOrder">

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

const checked = Brand.nominal<ToolOrder>()

const ownerOf = (entry: string): Owner => ({ kind: "toolOrder", entry, scope: "global" })

/**
 * Checks a list: first for names that stand in it twice, the rest marker too, then for a missing rest marker.
 *
 * **Provider's cache**: tools come before the prompt; another order costs the whole prefix.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (list: ReadonlyArray<string>): Result.Result<ToolOrder, InvalidToolOrder> => {
  if (!Array.isArray(list) || list.some((entry) => typeof entry !== "string")) {
    return Result.fail(new InvalidToolOrder({ ...ownerOf(""), reason: "expected an array of tool names." }))
  }
  const seen = new Set<string>()
  for (const entry of list) {
    if (seen.has(entry)) {
      const reason = `${JSON.stringify(entry)} is listed more than once. Keep one of its places.`
      return Result.fail(new InvalidToolOrder({ ...ownerOf(entry), reason }))
    }
    seen.add(entry)
  }
  if (!seen.has(restMarker)) {
    const reason = `${JSON.stringify(restMarker)} is missing. Put it where the tools that are not listed belong.`
    return Result.fail(new InvalidToolOrder({ ...ownerOf(""), reason }))
  }
  return Result.succeed(checked(Object.freeze([...seen])))
}

// -----------------------------------------------------------------------------
// guards
// -----------------------------------------------------------------------------

/**
 * Refuses a tool that has the name of the rest marker, whether or not an order is configured. `owner` is its provider.
 *
 * @since 0.1.0
 * @category guards
 */
export const reserved = (tool: string, owner: Owner): Result.Result<void, ReservedToolName> =>
  tool === restMarker ? Result.fail(new ReservedToolName({ ...ownerFields(owner), tool })) : Result.void

// -----------------------------------------------------------------------------
// combinators
// -----------------------------------------------------------------------------

interface Named {
  readonly schema: { readonly name: string }
}

const checkKnown = (order: ToolOrder, known: ReadonlySet<string>): Result.Result<void, UnknownTool> => {
  const unknown = order.filter((name) => name !== restMarker && !known.has(name))
  const first = unknown[0]
  if (first === undefined) return Result.void
  const names = [...known].sort(byCodeUnits)
  const near = nearest(first, names)
  return Result.fail(
    new UnknownTool({
      ...ownerOf(first),
      unknown,
      known: names,
      ...(near === undefined ? undefined : { nearest: near })
    })
  )
}

/**
 * Compares tool names as an order has them: by their place, and by name where both stand at the rest marker.
 *
 * @since 0.1.0
 * @category combinators
 */
export const compare = (order: ToolOrder | undefined): Order.Order<string> => {
  if (order === undefined) return byCodeUnits
  const ranks = new Map(order.map((name, rank) => [name, rank]))
  const rest = order.indexOf(restMarker)
  return (a, b) => {
    const left = ranks.get(a) ?? rest
    const right = ranks.get(b) ?? rest
    return left === right ? byCodeUnits(a, b) : left < right ? -1 : 1
  }
}

/**
 * Puts tools in order, stably: tools of one name keep the order in which they come, which the caller makes canonical.
 *
 * `known` are the names of all visible and hidden tools. A listed name that is not among them is a typo and fails; one
 * that is hidden takes no place.
 *
 * @since 0.1.0
 * @category combinators
 */
export const sort = <T extends Named>(
  tools: ReadonlyArray<T>,
  order: ToolOrder | undefined,
  known: ReadonlySet<string>
): Result.Result<ReadonlyArray<T>, UnknownTool> => {
  const sorted = () => {
    const byName = compare(order)
    return tools.toSorted((a, b) => byName(a.schema.name, b.schema.name))
  }
  return order === undefined ? Result.succeed(sorted()) : Result.map(checkKnown(order, known), sorted)
}
