/** What assemblies and renderings say, to compare them. */
import { isDeepStrictEqual } from "node:util"
import { assert } from "@effect/vitest"
import { Result } from "effect"
import { type PromptError, type Rendered } from "../../../src/index.ts"
import { type Made } from "./contributions.ts"

// -----------------------------------------------------------------------------
// what comes out
// -----------------------------------------------------------------------------

export type Failure = PromptError.AssembleError | PromptError.RenderError

const failed = (error: Failure): object => ({ ...error, _tag: error._tag, says: error.message, cause: "" })

export const assemblySaid = (result: Result.Result<Made, Failure>): object =>
  Result.isFailure(result) ? failed(result.failure) : { ...result.success, annotations: undefined }

export const renderedSaid = (result: Result.Result<Rendered.Rendered, Failure>): object =>
  Result.isFailure(result)
    ? failed(result.failure)
    : {
        text: result.success.text,
        snapshot: result.success.snapshot,
        sections: result.success.sections,
        contexts: result.success.contexts,
        variables: result.success.variables
      }

export const agree = (what: string, observed: object, expected: object) => {
  if (isDeepStrictEqual(observed, expected)) return
  const differ = (one: object, other: object) =>
    Object.fromEntries(Object.entries(one).filter(([key, value]) => !isDeepStrictEqual(value, Reflect.get(other, key))))
  const show = (one: object) => JSON.stringify(one)
  assert.fail(`${what}\nexpected ${show(differ(expected, observed))}\nobserved ${show(differ(observed, expected))}`)
}
