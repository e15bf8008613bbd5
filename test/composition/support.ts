/** Shorthands of the composition tests. */
import * as Result from "effect/Result"
import {
  type Composition,
  type Content,
  type InvalidComposition,
  parse,
  type Problem
} from "effect-preamble/composition"

export const file = "agent.yaml"

export const read = (text: string, files: Readonly<Record<string, Content>> = {}) =>
  parse({ file, text, files: new Map(Object.entries(files)) })

export const accept = (text: string, files: Readonly<Record<string, Content>> = {}): Composition =>
  Result.getOrThrow(read(text, files))

export const refuse = (text: string, files: Readonly<Record<string, Content>> = {}): InvalidComposition => {
  const result = read(text, files)
  if (Result.isSuccess(result)) throw new Error(`was accepted: ${text.slice(0, 200)}`)
  return result.failure
}

/** `line:column path tag`, the parts of a problem that have one right answer. */
export const placeOf = (problem: Problem): string =>
  `${problem.file === file ? "" : `${problem.file}:`}${problem.line}:${problem.column} ${problem.path}${problem.tag === undefined ? "" : ` ${problem.tag}`}`.trimEnd()

export const placesOf = (error: InvalidComposition): ReadonlyArray<string> => error.problems.map(placeOf)
