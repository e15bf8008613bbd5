/** Generators of JSON. */
import * as Arbitrary from "effect/Arbitrary"
import type { Json, JsonObject } from "effect/Schema"
import { type Arb, choose, list, literal } from "./generate.ts"

/** Keys that engines treat in their own way: they are prototypes, get sorted first, are empty or look like a reference. */
const key = literal("type", "a", "1", "0", "__proto__", "constructor", "", "{{a}}", "é", "toString", "$ref", "length")

const scalar = choose<Json>(
  literal("string", ""),
  literal(0, 1, -1.5, 1e21, Number.MIN_VALUE),
  literal(true, false),
  Arbitrary.Constant(null),
  literal("{{a}}", "{{", "\u2028", "\ud83d", '"', "__proto__")
)

/** `Object.fromEntries` makes an own field of `__proto__` too. */
const objectOf = (value: Arb<Json>): Arb<JsonObject> =>
  Arbitrary.map(list(Arbitrary.all([key, value]), 3), (entries) => Object.fromEntries(entries))

const value = (depth: number): Arb<Json> =>
  depth === 0 ? scalar : choose<Json>(scalar, objectOf(value(depth - 1)), list(value(depth - 1), 3))

/** Objects within objects, at most so deep. */
export const object = (depth: number): Arb<JsonObject> => objectOf(value(depth - 1))
