/** How a comparison says that something is wrong. */
import { isDeepStrictEqual } from "node:util"
import { Cause } from "effect"
import { show } from "../../../src/testing/internal/show.ts"

/** What is wrong; a program that shows it is a counterexample. */
class Wrong extends Error {}

export const demand = (holds: boolean, what: () => string): void => {
  if (!holds) throw new Wrong(what())
}

/** Shows the members in which they differ. */
export const agree = (what: string, observed: object, expected: object): void =>
  demand(isDeepStrictEqual(observed, expected), () => {
    const differ = (one: object, other: object) =>
      Object.fromEntries(
        Object.entries(one).filter(([key, value]) => !isDeepStrictEqual(value, Reflect.get(other, key)))
      )
    return `${what}\nexpected: ${show(differ(expected, observed))}\nobserved: ${show(differ(observed, expected))}`
  })

/** What was wrong; or what went wrong, if it is something else. */
export const message = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Wrong ? error.message : Cause.pretty(cause)
}
