/** Where and why a value is not what a Schema demands, in the words that our errors use. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { type JsonPath, type Problem, toPath } from "./json.ts"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** The first problem of a value that the Schema refuses, at a path that begins with `prefix`. */
export const issueOf = (schema: Schema.Decoder<unknown>, value: unknown, prefix: JsonPath): Problem => {
  const decoded = Schema.decodeUnknownResult(schema)(value, { errors: "all" })
  if (Result.isSuccess(decoded)) throw new Error("asked for the problem of a value that has none")
  // Of several ways in which a union fails, the one that went deepest says most.
  const issues = format(decoded.failure.issue).issues.map(({ message, path }) => ({
    path: (path ?? []).map((key) => {
      const own = typeof key === "object" ? key.key : key
      return typeof own === "symbol" ? String(own) : own
    }),
    message
  }))
  const deepest = issues.reduce((a, b) => (b.path.length > a.path.length ? b : a))
  const { message } = deepest
  const sentence = message.charAt(0).toLowerCase() + message.slice(1)
  return { path: toPath([...prefix, ...deepest.path]), reason: /[.!?]$/u.test(sentence) ? sentence : `${sentence}.` }
}
