/**
 * A file of variables: a YAML or JSON map from names to text. It carries values
 * that are too long for a command line.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { complain, toError } from "../composition/Complaint.ts"
import * as Decoding from "../composition/Decoding.ts"
import type { InvalidComposition } from "../composition/InvalidComposition.ts"
import * as Resources from "../composition/Resources.ts"
import * as SourceFile from "../composition/SourceFile.ts"
import * as Yaml from "../composition/Yaml.ts"
import * as Variable from "../Variable.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * A file of variables.
 *
 * @since 0.1.0
 * @category models
 */
const VariableFile = Schema.Record(Schema.String, Schema.String.annotate({ expected: "text" })).annotate({
  identifier: "VariableFile",
  expected: "a map from names to texts",
  description: "Values of variables"
})

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * The variables in a file, or all that is wrong with it. `scope` is the label of the scope they are meant for.
 *
 * @since 0.1.0
 * @category constructors
 */
export const parse = (
  file: string,
  content: Resources.Content,
  scope: string
): Result.Result<ReadonlyMap<string, string>, InvalidComposition> => {
  const text = Resources.decode(content)
  const source = SourceFile.make(file, Result.isSuccess(text) ? text.success : "")
  if (Result.isFailure(text)) {
    return Result.fail(
      toError(source, [{ source, offset: 0, path: [], message: Resources.unreadable(file, text.failure) }])
    )
  }
  const read = Yaml.read(source)
  if (Result.isFailure(read)) return Result.fail(toError(source, read.failure))
  const document = read.success
  const complaints = [
    ...document.complaints,
    ...document.foreignTags.map((tag) =>
      complain(document, tag.path, "a file of variables holds plain text, no tags.")
    ),
    ...Decoding.complaintsOf(document, VariableFile, document.value),
    ...namesIn(document.value).flatMap((name) => {
      const made = Variable.make({ name, value: "" }, scope)
      if (Result.isSuccess(made)) return []
      return [complain(document, [name], made.failure.message, { tag: made.failure._tag, part: "key" })]
    })
  ]
  if (complaints.length > 0) return Result.fail(toError(source, complaints))
  return Result.succeed(new Map(Object.entries(Decoding.attempt(VariableFile, document.value) ?? {})))
}

const namesIn = (value: unknown): ReadonlyArray<string> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? Object.keys(value) : []
