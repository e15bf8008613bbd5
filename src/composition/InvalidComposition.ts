/**
 * Everything that is wrong with a composition, each problem with its place.
 *
 * An author fixes a file in one go, so problems are collected: all of them, in
 * the order of the file, each with a code frame. Only a syntax error hides the
 * rest, because behind it no one knows what the file means.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { stackless } from "../internal/stackless.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * So many problems are kept and shown; `total` counts the rest. A file with more has one cause, not fifty.
 *
 * @since 0.1.0
 * @category models
 */
export const maxProblems = 50

/**
 * One problem. `file` is the composition or a file it refers to, `line` and `column` count from 1 (columns in UTF-16
 * units), `path` leads from the top of the file to the value (`scopes.child.sections[0].order`, empty for the whole
 * file), `tag` is that of the library's error whose rule is broken, and `frame` shows the lines around the place.
 *
 * @since 0.1.0
 * @category models
 */
export const Problem = Schema.Struct({
  file: Schema.String,
  line: Schema.Int,
  column: Schema.Int,
  path: Schema.String,
  message: Schema.String,
  tag: Schema.optionalKey(Schema.String),
  frame: Schema.String
}).annotate({ identifier: "Problem", description: "One problem of a composition and where it is" })

/**
 * @since 0.1.0
 * @category models
 */
export type Problem = typeof Problem.Type

// -----------------------------------------------------------------------------
// errors
// -----------------------------------------------------------------------------

const described = (problem: Problem): string => (problem.path === "" ? "" : `${problem.path}: `) + problem.message

/**
 * The composition cannot be used. `problems` holds the first `maxProblems` of `total`.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidComposition extends stackless(
  Schema.TaggedError<InvalidComposition>("effect-preamble/InvalidComposition")("InvalidComposition", {
    file: Schema.String,
    total: Schema.Int,
    problems: Schema.Array(Problem)
  })
) {
  override get message(): string {
    const rows = this.problems.map((problem) => {
      const file = problem.file === this.file ? "" : `${problem.file}, `
      return `  ${file}line ${problem.line}, column ${problem.column}: ${described(problem)}`
    })
    return [`${this.file} has ${countOf(this.total)}:`, ...rows, ...restOf(this.total)].join("\n")
  }
}

const countOf = (total: number): string => (total === 1 ? "1 problem" : `${total} problems`)

const restOf = (total: number): ReadonlyArray<string> =>
  total > maxProblems ? [`  … and ${total - maxProblems} more (the first ${maxProblems} are shown)`] : []

/** How many problems there are, and how many of them are not shown. */
export const formatCount = (total: number): string => [countOf(total), ...restOf(total)].join("\n")

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/**
 * For a terminal: each problem as `file:line:column: path: message` over its code frame, then the count.
 *
 * @since 0.1.0
 * @category destructors
 */
export const format = (self: InvalidComposition): string => {
  const blocks = self.problems.map((problem) => {
    const rule = problem.tag === undefined ? "" : ` [${problem.tag}]`
    const head = `${problem.file}:${problem.line}:${problem.column}: ${described(problem)}${rule}`
    return problem.frame === "" ? head : `${head}\n${problem.frame}`
  })
  return [...blocks, formatCount(self.total)].join("\n\n")
}
