/** Parameters that are no valid JSON Schema, or none that a model provider takes. */
import { Ajv, type ErrorObject } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import type { Json, JsonObject } from "effect/Schema"
import { describeTool, type Rule } from "./Subject.ts"
import * as Warning from "./Warning.ts"

type Path = ReadonlyArray<string | number>

interface Mistake {
  readonly path: Path
  readonly what: string
}

// -----------------------------------------------------------------------------
// the meta-schema
// -----------------------------------------------------------------------------

const options = { allErrors: true, strict: false, logger: false, validateFormats: false } as const

type Validate = (schema: JsonObject) => ReadonlyArray<ErrorObject>

/** Compiling a meta-schema takes longer than everything else here, so it is done when it is first needed. */
const lazily = (compile: () => ReturnType<Ajv["getSchema"]>): Validate => {
  let validate: ReturnType<Ajv["getSchema"]>
  return (schema) => {
    validate ??= compile()
    return validate === undefined || validate(schema) === true ? [] : (validate.errors ?? [])
  }
}

const draft2020 = lazily(() => new Ajv2020(options).getSchema("https://json-schema.org/draft/2020-12/schema"))
const draft07 = lazily(() => new Ajv(options).getSchema("http://json-schema.org/draft-07/schema"))

/** A schema that does not say which draft it is of is of the newest, but may have the tuples of the one before. */
const errorsOf = (schema: JsonObject): ReadonlyArray<ErrorObject> => {
  const { $schema } = schema
  if ($schema === undefined) {
    const errors = draft2020(schema)
    const others = errors.filter((error) => !isTuple(schema, error))
    return others.length === errors.length ? errors : [...others, ...draft07(schema)]
  }
  if (typeof $schema !== "string") return draft2020(schema)
  if (/\/draft\/(?:2020-12|2019-09)\//.test($schema)) return draft2020(schema)
  return /\/draft-0[67]\//.test($schema) ? draft07(schema) : []
}

const isTuple = (schema: JsonObject, { instancePath }: ErrorObject): boolean =>
  instancePath.endsWith("/items") && Array.isArray(get(schema, toPath(schema, instancePath)))

const toPath = (schema: JsonObject, pointer: string): Path => {
  let value: Json | undefined = schema
  return pointer
    .split("/")
    .slice(1)
    .map((token) => {
      const key = token.replaceAll("~1", "/").replaceAll("~0", "~")
      if (Array.isArray(value)) {
        value = value[Number(key)]
        return Number(key)
      }
      value = isObject(value) ? value[key] : undefined
      return key
    })
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const get = (schema: JsonObject, path: Path): Json | undefined =>
  path.reduce<Json | undefined>((value, key) => {
    if (Array.isArray(value)) return value[Number(key)]
    return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  }, schema)

const article = (type: string): string => (/^[aeio]/.test(type) ? `an ${type}` : `a ${type}`)

const explain = ({ keyword, message, params }: ErrorObject, path: Path, value: Json | undefined): string => {
  const name = path.at(-1)
  if (name === "required" && typeof value === "boolean") {
    const property = JSON.stringify(path.at(-2) ?? "name")
    return `must be an array of names, beside \`properties\`. Whether a property is required is said by the object that has it: \`required: [${property}]\``
  }
  if (name === "type") {
    return `${JSON.stringify(value)} is no type. The types are array, boolean, integer, null, number, object and string`
  }
  if (keyword === "type") {
    const types: ReadonlyArray<string> = [params["type"]].flat().map(String)
    const expected =
      types.join() === "object,boolean" ? "a schema (an object, or true or false)" : types.map(article).join(" or ")
    return `must be ${expected}`
  }
  return message ?? "is not valid"
}

/** One mistake for each place: of a union the validator tells what each member misses, and that none fits. */
const metaMistakes = (schema: JsonObject): ReadonlyArray<Mistake> => {
  const errors = errorsOf(schema)
  const above = new Set(errors.flatMap(({ instancePath }) => ancestorsOf(instancePath)))
  const mistakes = new Map<string, Mistake>()
  for (const error of errors) {
    if (above.has(error.instancePath) || mistakes.has(error.instancePath)) continue
    const path = toPath(schema, error.instancePath)
    mistakes.set(error.instancePath, { path, what: explain(error, path, get(schema, path)) })
  }
  return [...mistakes.values()]
}

const ancestorsOf = (pointer: string): ReadonlyArray<string> => {
  const steps = pointer.split("/")
  return steps.slice(1).map((_, i) => steps.slice(0, i + 1).join("/"))
}

// -----------------------------------------------------------------------------
// what a meta-schema cannot see
// -----------------------------------------------------------------------------

const one = [
  "additionalProperties",
  "additionalItems",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties"
]
const list = ["allOf", "anyOf", "oneOf", "prefixItems", "items"]
const map = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"]

interface Located {
  readonly schema: JsonObject
  readonly path: Path
}

/** A schema and all below it. What stands in `const`, `default`, `enum` and `examples` is data. */
function* schemasIn(schema: JsonObject, path: Path): Generator<Located> {
  yield { schema, path }
  for (const key of one) {
    const value = schema[key]
    if (isObject(value)) yield* schemasIn(value, [...path, key])
  }
  for (const key of list) {
    const value = schema[key]
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) if (isObject(item)) yield* schemasIn(item, [...path, key, index])
    }
  }
  for (const key of map) {
    const value = schema[key]
    if (isObject(value)) {
      for (const [name, item] of Object.entries(value)) if (isObject(item)) yield* schemasIn(item, [...path, key, name])
    }
  }
}

const isPattern = (text: string): boolean => {
  try {
    return new RegExp(text, "u") instanceof RegExp
  } catch {
    return false
  }
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const referenceMistake = (root: JsonObject, anchors: ReadonlySet<string>, reference: string): string | undefined => {
  if (!reference.startsWith("#"))
    return "refers to another document, which no model provider fetches. Put the schema under `$defs`"
  const target = decoded(reference.slice(1))
  const found = target === "" || target.startsWith("/") ? get(root, toPath(root, target)) : anchors.has(target)
  return found === undefined || found === false
    ? `refers to ${JSON.stringify(reference)}, which is not there`
    : undefined
}

/** Names in `required` may be of properties that another part of the schema has. */
const mayHaveMore = (schema: JsonObject): boolean =>
  ["$ref", "allOf", "anyOf", "oneOf", "if", "patternProperties", "dependentSchemas"].some((key) =>
    Object.hasOwn(schema, key)
  )

const mistakesAt = (root: JsonObject, anchors: ReadonlySet<string>, { path, schema }: Located, isPart: boolean) => {
  const mistakes: Array<Mistake> = []
  const { $ref, pattern, properties, required } = schema
  if (typeof $ref === "string") {
    const what = referenceMistake(root, anchors, $ref)
    if (what !== undefined) mistakes.push({ path: [...path, "$ref"], what })
  }
  if (typeof pattern === "string" && !isPattern(pattern)) {
    mistakes.push({ path: [...path, "pattern"], what: "is no regular expression" })
  }
  if (isObject(properties) && Array.isArray(required) && !isPart && !mayHaveMore(schema)) {
    for (const [index, name] of required.entries()) {
      if (typeof name !== "string" || Object.hasOwn(properties, name)) continue
      mistakes.push({
        path: [...path, "required", index],
        what: `requires ${JSON.stringify(name)}, which \`properties\` does not have`
      })
    }
  }
  return mistakes
}

/** Inside of these a schema is one of several that together say what a value is. */
const combining = new Set<string | number>(["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"])

const ownMistakes = (schema: JsonObject): ReadonlyArray<Mistake> => {
  const schemas = [...schemasIn(schema, [])]
  const anchors = new Set(
    schemas
      .flatMap((one) => [one.schema["$anchor"], one.schema["$dynamicAnchor"], one.schema["$id"]])
      .flatMap((name) => (typeof name === "string" ? [name.replace(/^#/, "")] : []))
  )
  const root: ReadonlyArray<Mistake> =
    schema["type"] === "object"
      ? []
      : [
          {
            path: Object.hasOwn(schema, "type") ? ["type"] : [],
            what: 'must be of type "object": model providers take no other parameters'
          }
        ]
  return [
    ...root,
    ...schemas.flatMap((one) =>
      mistakesAt(
        schema,
        anchors,
        one,
        one.path.some((key) => combining.has(key))
      )
    )
  ]
}

// -----------------------------------------------------------------------------
// the rule
// -----------------------------------------------------------------------------

const plainKey = /^[A-Za-z_$]\w*$/

const show = (path: Path): string =>
  path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`
    return plainKey.test(key) ? `${text}.${key}` : `${text}[${JSON.stringify(key)}]`
  }, "parameters")

/** Parameters never change, and every scope that inherits a tool has the same. */
const known = new WeakMap<JsonObject, ReadonlyMap<string, Mistake>>()

/** The mistakes by where they are, one each. */
const mistakesIn = (parameters: JsonObject): ReadonlyMap<string, Mistake> => {
  const held = known.get(parameters)
  if (held !== undefined) return held
  const mistakes = new Map<string, Mistake>()
  for (const mistake of [...metaMistakes(parameters), ...ownMistakes(parameters)]) {
    const at = show(mistake.path)
    if (!mistakes.has(at)) mistakes.set(at, mistake)
  }
  known.set(parameters, mistakes)
  return mistakes
}

export const invalidParameters: Rule = ({ tools }) =>
  tools.flatMap((tool) => {
    const { name, parameters } = tool.source.schema
    return [...mistakesIn(parameters)].map(([at, { path, what }]) => {
      const message = `${describeTool(tool)} has a mistake at ${at}: ${what}.`
      return Warning.make("invalid-parameters", tool.owner, message, { tool: name, path: ["parameters", ...path] })
    })
  })
