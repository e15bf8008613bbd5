/** How deep JSON is nested: what is too deep overflows the stack of whoever prints it again. */
import type { Json } from "effect/Schema"

/** As deep as `internal/json.ts` takes values. */
const maxDepth = 500

const within = (value: Json, left: number): boolean =>
  typeof value !== "object" || value === null || (left > 0 && Object.values(value).every((one) => within(one, left - 1)))

/** Why a value is nested too deep, if it is. */
export const tooDeep = (value: Json): string | undefined =>
  within(value, maxDepth) ? undefined : `the row is nested deeper than ${maxDepth} levels.`
