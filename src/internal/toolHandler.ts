/** What runs the calls of a registered tool: how arguments are decoded, the handler, and the services it was registered with. */
import type * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type InvalidRegistration, InvalidToolSchema, type Owner, ownerFields } from "../PromptError.ts"
import type { ToolCall } from "../ToolCall.ts"
import type { ToolSchema } from "../ToolSchema.ts"
import type { Captured } from "./capture.ts"
import * as rules from "./rules.ts"
import * as parameters from "./toolParameters.ts"

/** What runs the calls of one tool. */
export class Handler {
  /** The Schema that the parameters were given as; none, if they are raw JSON. */
  readonly parameters: Schema.Constraint | undefined
  readonly decoder: parameters.Decoder
  /** Whatever the author's function gives. */
  readonly run: (args: unknown, call: ToolCall) => unknown
  readonly services: Captured

  constructor(
    parameters: Schema.Constraint | undefined,
    decoder: parameters.Decoder,
    run: Handler["run"],
    services: Captured
  ) {
    this.parameters = parameters
    this.decoder = decoder
    this.run = run
    this.services = services
    Object.freeze(this)
  }
}

interface Options<A> {
  readonly parameters: unknown
  readonly decode?: unknown
  readonly handler?: ((args: A, call: ToolCall) => Effect.Effect<unknown, unknown, unknown>) | undefined
}

/** The parameters as JSON, of which nothing is known yet if they were given so. */
export const parametersOf = (given: unknown, owner: Owner): Result.Result<unknown, InvalidRegistration> => {
  if (Schema.isSchema(given)) {
    return Result.orElse(parameters.toJsonSchema(given), (reason) => rules.broken(owner, "parameters", reason))
  }
  return isFields(given)
    ? rules.broken(owner, "parameters", "it has the fields of an Effect Schema. Wrap them: Schema.Struct({ … }).")
    : Result.succeed(given)
}

const isFields = (given: unknown): boolean =>
  typeof given === "object" && given !== null && Object.values(given).some(Schema.isSchema)

/** What runs the calls of a tool that was made of these options. `schema` is what a model is shown of it. */
export const handlerOf = <A>(
  options: Options<A>,
  schema: ToolSchema,
  services: Captured,
  owner: Owner
): Result.Result<Handler | undefined, InvalidRegistration | InvalidToolSchema> => {
  const { handler } = options
  if (handler === undefined) {
    return options.decode === undefined
      ? Result.succeed(undefined)
      : rules.broken(owner, "decode", "without a handler nothing is decoded. Give a handler, or leave it out.")
  }
  if (typeof handler !== "function") {
    const reason = `expected a function, got ${rules.describeType(handler)}. Give a function of the arguments that returns an Effect.`
    return rules.broken(owner, "handler", reason)
  }
  // The decoder gives what the type of the options promises.
  const run = (args: unknown, call: ToolCall) => handler(args as A, call)
  const given = Schema.isSchema(options.parameters) ? options.parameters : undefined
  return Result.map(decoderOf(options, schema, owner), (decoder) => new Handler(given, decoder, run, services))
}

const decoderOf = (
  options: Options<never>,
  schema: ToolSchema,
  owner: Owner
): Result.Result<parameters.Decoder, InvalidRegistration | InvalidToolSchema> => {
  const { decode = options.parameters } = options
  if (Schema.isSchema(decode)) return Result.succeed(parameters.ofSchema(decode))
  return options.decode === undefined
    ? decoderOfShown(schema, owner)
    : rules.broken(
        owner,
        "decode",
        `expected an Effect Schema, got ${rules.describeType(decode)}. Leave it out to decode by \`parameters\`.`
      )
}

/** Schemas never change, and to make a decoder takes many times as long as to use it. */
const decoders = new WeakMap<ToolSchema, ReturnType<typeof parameters.ofJsonSchema>>()

/** Checks arguments against what a model was shown. */
export const decoderOfShown = (
  schema: ToolSchema,
  owner: Owner
): Result.Result<parameters.Decoder, InvalidToolSchema> => {
  let decoder = decoders.get(schema)
  if (decoder === undefined) decoders.set(schema, (decoder = parameters.ofJsonSchema(schema.parameters)))
  return Result.mapError(
    decoder,
    (reason) => new InvalidToolSchema({ ...ownerFields(owner), tool: schema.name, path: "$.parameters", reason })
  )
}

/** What a guard asks, with the services that it was registered with. */
export interface Check {
  readonly ask: (call: ToolCall) => unknown
  readonly services: Captured
}
