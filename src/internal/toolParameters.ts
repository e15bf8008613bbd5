/** The parameters of a tool: what a model is told of them, and what decodes the arguments of a call. */
import * as JsonSchema from "effect/JsonSchema"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaRepresentation from "effect/SchemaRepresentation"
import { clip } from "./excerpt.ts"
import { describeThrown, isRecord, toPath } from "./json.ts"

/** What decodes arguments. A closed object of a raw JSON Schema takes no further members. */
export interface Decoder {
  readonly schema: Schema.Constraint
  readonly onExcessProperty: "error" | "ignore"
}

/** The JSON Schema of what a Schema decodes from, or why there is none. */
export const toJsonSchema = (schema: Schema.Constraint): Result.Result<JsonSchema.JsonSchema, string> =>
  Result.filterOrFail(
    written(schema),
    isOfObjects,
    () => "the Schema describes no JSON object. Use a Schema.Struct, without fields for a tool without parameters."
  )

/** Of what has no JSON form nothing is said at all. */
const isOfObjects = (root: JsonSchema.JsonSchema): boolean =>
  root.type === "object" || ["anyOf", "oneOf", "allOf", "$ref"].some((key) => key in root)

/** A struct without fields says of JSON only that it is not null. Whoever writes it means an object. */
const isWithoutFields = ({ not }: JsonSchema.JsonSchema): boolean =>
  typeof not === "object" && not !== null && "type" in not && not.type === "null"

const written = (schema: Schema.Constraint): Result.Result<JsonSchema.JsonSchema, string> =>
  Result.try({
    try: () => {
      const { definitions, schema: root } = Schema.toJsonSchemaDocument(schema)
      if (isWithoutFields(root)) {
        const { not: _, ...said } = root
        return { ...said, type: "object", properties: {} }
      }
      const name =
        typeof root.$ref === "string" && Object.keys(root).length === 1
          ? /^#\/\$defs\/(.+)$/.exec(root.$ref)?.[1]
          : undefined
      const top = name === undefined ? undefined : definitions[name]
      // Model providers want to see an object, and no reference to one.
      return top === undefined
        ? withDefinitions(root, definitions)
        : withDefinitions(top, without(definitions, name, top))
    },
    catch: (cause) => `the Schema has no JSON Schema: ${describeThrown(cause)}. Use one whose encoded side is JSON.`
  })

const withDefinitions = (root: JsonSchema.JsonSchema, definitions: JsonSchema.Definitions): JsonSchema.JsonSchema =>
  Object.keys(definitions).length === 0 ? root : { ...root, $defs: definitions }

/** A definition that has become the root stays only where it refers to itself. */
const without = (
  definitions: JsonSchema.Definitions,
  name: string | undefined,
  top: JsonSchema.JsonSchema
): JsonSchema.Definitions => {
  const { [name ?? ""]: _, ...others } = definitions
  return JSON.stringify([top, others]).includes(`"#/$defs/${name}"`) ? definitions : others
}

/** What decodes from JSON what the Schema describes. */
export const ofSchema = (schema: Schema.Constraint): Decoder => ({
  schema: isWithoutFields(Schema.toJsonSchemaDocument(schema).schema)
    ? Schema.Record(Schema.String, Schema.Json)
    : Schema.toCodecJson(schema),
  onExcessProperty: "ignore"
})

/** What checks arguments against a raw JSON Schema, or why it cannot be done. */
export const ofJsonSchema = (schema: JsonSchema.JsonSchema): Result.Result<Decoder, string> =>
  isOfObjects(schema)
    ? imported(schema)
    : Result.fail('arguments are an object, and it does not say so. Write `type: "object"` at its root.')

const imported = (schema: JsonSchema.JsonSchema): Result.Result<Decoder, string> =>
  Result.try({
    try: (): Decoder => {
      const draft07 = typeof schema.$schema === "string" && /\/draft-0[67]\//.test(schema.$schema)
      const keyword = draft07 ? undefined : olderIn(schema)
      if (keyword !== undefined) {
        throw new Error(
          `${keyword} is of an earlier draft of JSON Schema, and would check nothing. If all of it is of draft-07, say so by \`$schema\``
        )
      }
      const document = draft07 ? JsonSchema.fromSchemaDraft07(schema) : JsonSchema.fromSchemaDraft2020_12(schema)
      return {
        // Whoever registers a handler is trusted to run code, so its patterns are, too.
        schema: SchemaRepresentation.fromJsonSchemaDocument(document, { patterns: "apply" }),
        onExcessProperty: "error"
      }
    },
    catch: (cause) =>
      `arguments cannot be checked against it: ${describeThrown(cause).replace(/\s*\n\s*/g, " ")}. Give an Effect Schema as \`decode\` to check them by.`
  })

/** Where a schema that can be checked has other schemas: one, several, or one under each name. */
const inner = {
  one: ["items", "additionalProperties", "propertyNames"],
  several: ["prefixItems", "allOf", "anyOf", "oneOf"],
  named: ["properties", "patternProperties", "$defs"]
}

/** A keyword that the newest draft does not have any more, so that `effect` passes it over. */
const olderIn = (schema: JsonSchema.JsonSchema): string | undefined => {
  const { items, exclusiveMaximum, exclusiveMinimum } = schema
  if (Array.isArray(items)) return "`items` with a list"
  if (typeof exclusiveMinimum === "boolean" || typeof exclusiveMaximum === "boolean")
    return "a bound that is true or false"
  for (const key of ["additionalItems", "dependencies"]) if (Object.hasOwn(schema, key)) return `\`${key}\``
  const below = [
    ...inner.one.map((key) => schema[key]),
    ...inner.several.flatMap((key) => schema[key]),
    ...inner.named.flatMap((key) => Object.values(Object(schema[key])))
  ]
  for (const one of below) {
    const found = isRecord(one) ? olderIn({ ...one }) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

interface Problem {
  readonly path: string
  readonly reason: string
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const most = 20
const longest = 300

/** A problem in few words: the arguments may be anything. */
export const problemOf = ({ path, reason }: Problem): Problem => ({
  path: clip(path, longest),
  reason: clip(reason, longest)
})

/** What is wrong with arguments, each with its place, and how many more there are than are told. */
export const problemsOf = (
  error: Schema.SchemaError
): { readonly problems: ReadonlyArray<Problem>; readonly more?: number } => {
  const { issues } = format(error.issue)
  const problems = issues
    .slice(0, most)
    .map(({ message, path = [] }) =>
      problemOf({ path: toPath(path.map((key) => keyOf(typeof key === "object" ? key.key : key))), reason: message })
    )
  return issues.length > most ? { problems, more: issues.length - most } : { problems }
}

const keyOf = (key: PropertyKey): string | number => (typeof key === "symbol" ? String(key) : key)
