/**
 * The steps that lead from every older format to the current one.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import type { Edge } from "./Edge.ts"
import { v0ToV1 } from "./edges/v0ToV1.ts"
import { v1ToV2 } from "./edges/v1ToV2.ts"
import { v2ToV3 } from "./edges/v2ToV3.ts"
import { v3ToV4 } from "./edges/v3ToV4.ts"
import { InvalidCatalogue } from "./FormatError.ts"
import { current, oldest } from "./FormatVersion.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * One edge from each older format to the next, the oldest first.
 *
 * @since 0.1.0
 * @category models
 */
export interface Catalogue {
  readonly edges: ReadonlyArray<Edge>
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

type Problem = InvalidCatalogue["problems"][number]

const problemOf = ({ from, to }: Edge, before: ReadonlyArray<Edge>): Problem | undefined => {
  if (to > current) return { kind: "beyond-current", from, to }
  if (from < oldest || to !== from + 1) return { kind: "not-adjacent", from, to }
  return before.some((other) => other.from === from) ? { kind: "duplicate", from, to } : undefined
}

/**
 * Puts edges together, in any order. They must lead from each format that there was before the current one to the next,
 * once; all problems are reported together.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (edges: ReadonlyArray<Edge>): Result.Result<Catalogue, InvalidCatalogue> => {
  const found = edges.flatMap((edge, index) => problemOf(edge, edges.slice(0, index)) ?? [])
  const missing = Array.from({ length: current - oldest }, (_, index) => oldest + index)
    .filter((from) => !edges.some((edge) => edge.from === from && edge.to === from + 1))
    .map((from): Problem => ({ kind: "gap", from, to: from + 1 }))
  const [first, ...rest] = [...found, ...missing]
  return first === undefined
    ? Result.succeed({ edges: edges.toSorted((a, b) => a.from - b.from) })
    : Result.fail(new InvalidCatalogue({ current, problems: [first, ...rest] }))
}

/**
 * All edges that this library has.
 *
 * @since 0.1.0
 * @category constants
 */
export const standard: Catalogue = Result.getOrThrow(make([v0ToV1, v1ToV2, v2ToV3, v3ToV4]))

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/**
 * The edges from a format to the current one: none from the current one.
 *
 * @since 0.1.0
 * @category destructors
 */
export const path = (self: Catalogue, from: number): ReadonlyArray<Edge> =>
  self.edges.filter((edge) => edge.from >= from)
