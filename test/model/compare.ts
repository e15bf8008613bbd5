/** Compares what was seen of a program with what the reference model says, and prints where they differ. */
import { isDeepStrictEqual } from "node:util"
import { show } from "../../src/testing/internal/show.ts"
import type * as Program from "../../src/testing/Program.ts"

type Observations = ReadonlyArray<Program.Observation>

/** The first step of which they say different things. */
const firstDifference = (observed: Observations, expected: Observations): number | undefined => {
  const length = Math.max(observed.length, expected.length)
  const at = Array.from({ length }).findIndex((_, i) => !isDeepStrictEqual(observed[i], expected[i]))
  return at < 0 ? undefined : at
}

/** Whether every step was seen to do what it has to do. */
export const agree = (observed: Observations, expected: Observations): boolean =>
  firstDifference(observed, expected) === undefined

const stepLine = (step: Program.Step): string => {
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

/** Of two values the members in which they differ, so that what is alike need not be read. */
const differing = (one: unknown, other: unknown): unknown => {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return one
  if (Array.isArray(one)) return one
  const there = new Map(Object.entries(other))
  return Object.fromEntries(
    Object.entries(one).filter(([key, value]) => key === "_tag" || !isDeepStrictEqual(value, there.get(key)))
  )
}

/** The program, one line for a step, and what was seen of the first step that did something else, and should have been. */
export const counterexample = (
  { toolOrder, steps }: Program.Program,
  observed: Observations,
  expected: Observations
): string => {
  const at = firstDifference(observed, expected) ?? 0
  return [
    ...(toolOrder === undefined ? [] : [`toolOrder: ${show(toolOrder)}`]),
    ...steps.slice(0, at + 1).map((step, i) => `${i}. ${stepLine(step)}`),
    `expected: ${show(differing(expected[at], observed[at]))}`,
    `observed: ${show(differing(observed[at], expected[at]))}`
  ].join("\n")
}
