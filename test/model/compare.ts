/** Compares what was seen of a program with what the reference model says, and prints where they differ. */
import { isDeepStrictEqual } from "node:util"
import { show } from "../../src/testing/internal/show.ts"
import type * as Program from "../../src/testing/Program.ts"

type Observations = ReadonlyArray<object>

/** The first step of which they say different things. */
const firstDifference = (observed: Observations, expected: Observations): number | undefined => {
  const length = Math.max(observed.length, expected.length)
  const at = Array.from({ length }).findIndex((_, i) => !isDeepStrictEqual(observed[i], expected[i]))
  return at < 0 ? undefined : at
}

/** Whether every step was seen to do what it has to do. */
export const agree = (observed: Observations, expected: Observations): boolean =>
  firstDifference(observed, expected) === undefined

/** A step of a program in a line. */
export const stepLine = (step: Program.Step): string => {
  switch (step._tag) {
    case "Open":
      return `open ${show(step.label)} under scope ${step.parent}`
    case "Register": {
      const { _tag, ...rest } = step.contribution
      return `register in scope ${step.scope}: ${_tag}${"options" in rest ? ` ${show(rest.options)}` : ""}`
    }
    case "Unregister":
      return `end registration ${step.registration}`
    case "Rebind":
      return `move scope ${step.scope} under scope ${step.parent}`
    default:
      return `${step._tag.toLowerCase()} scope ${step.scope}`
  }
}

const isIn = (all: ReadonlyArray<unknown>, one: unknown): boolean => all.some((other) => isDeepStrictEqual(one, other))

/** Of a list what the other has not; of lists that hold the same, the names. */
const differingItems = (one: ReadonlyArray<unknown>, other: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const own = one.filter((item) => !isIn(other, item))
  if (own.length > 0 || other.some((item) => !isIn(one, item))) return own
  return one.map((item) => (typeof item === "object" && item !== null && "name" in item ? item.name : item))
}

/** Of two observations the members in which they differ, so that what is alike need not be read. */
const differing = (one: object = {}, other: object = {}): unknown => {
  const there = new Map<string, unknown>(Object.entries(other))
  const members = Object.entries(one).filter(
    ([key, value]) => key === "_tag" || !isDeepStrictEqual(value, there.get(key))
  )
  return Object.fromEntries(
    members.map(([key, value]: [string, unknown]) => {
      const theirs = there.get(key)
      return [key, Array.isArray(value) && Array.isArray(theirs) ? differingItems(value, theirs) : value]
    })
  )
}

/** The program, one line for a step, and what was seen of the first step that did something else, and should have been. */
export const counterexample = <S>(
  { toolOrder, steps }: { readonly toolOrder?: ReadonlyArray<string> | undefined; readonly steps: ReadonlyArray<S> },
  observed: Observations,
  expected: Observations,
  line: (step: S) => string
): string => {
  const at = firstDifference(observed, expected) ?? 0
  return [
    ...(toolOrder === undefined ? [] : [`toolOrder: ${show(toolOrder)}`]),
    ...steps.slice(0, at + 1).map((step, i) => `${i}. ${line(step)}`),
    `expected: ${show(differing(expected[at], observed[at]))}`,
    `observed: ${show(differing(observed[at], expected[at]))}`
  ].join("\n")
}
