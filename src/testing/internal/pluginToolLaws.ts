/** The laws of a plugin that registers tools: each of them is called with arguments that its parameters generate. */
import * as Arbitrary from "effect/Arbitrary"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { AssembleContext } from "../../AssembleContext.ts"
import type { Assembly } from "../../Assembly.ts"
import { provideCaptured } from "../../internal/capture.ts"
import { ofJsonSchema, ofSchema } from "../../internal/toolParameters.ts"
import * as PromptScope from "../../PromptScope.ts"
import type { ScopeClosed } from "../../PromptError.ts"
import type { ToolError } from "../../ToolError.ts"
import { type Broken, type Law, make } from "../Law.ts"
import { type NotJudged, notJudged } from "./notJudged.ts"
import { show } from "./show.ts"
import { build, type Judged, type Setting, shown, stage } from "./stage.ts"
import * as subjects from "./subject.ts"
import type * as worlds from "./world.ts"

/** How many arguments each tool gets in a case. */
const tries = 10

const unassembled = notJudged("the plugin did not build and assemble in any case; see the law `assembles`")
const allUnmade = notJudged("no arguments could be made from the parameters of its tools in any case")

/** What comes of a tool for which there are no arguments. */
const unmade = Symbol("no arguments")

// -----------------------------------------------------------------------------
// arguments
// -----------------------------------------------------------------------------

/** The Schema whose values are encoded to make arguments: that of the parameters, or else what decodes them. */
const codecOf = ({ decode, parameters }: worlds.WatchedTool): Schema.Constraint | undefined => {
  if (Schema.isSchema(parameters)) return ofSchema(parameters).schema
  const raw = typeof parameters === "object" && parameters !== null ? ofJsonSchema({ ...parameters }) : undefined
  if (raw !== undefined && Result.isSuccess(raw)) return raw.success.schema
  return Schema.isSchema(decode) ? ofSchema(decode).schema : undefined
}

const context: AssembleContext = { scope: PromptScope.global, annotations: Context.empty() }

const encode = (codec: Schema.Constraint, value: unknown): Effect.Effect<unknown, unknown> =>
  provideCaptured(Schema.encodeUnknownEffect(codec)(value), Context.empty(), context)

// -----------------------------------------------------------------------------
// calls
// -----------------------------------------------------------------------------

/** What is wrong with how a call ended, in words, if anything is. */
type Judge = (ended: Result.Result<Schema.Json, ToolError>) => string | undefined

/** Calls a tool with arguments of its own making, and gives the simplest ones with which it does something wrong. */
const wrongCall = Effect.fnUntraced(function* (
  world: worlds.World,
  view: Assembly,
  tool: worlds.WatchedTool,
  judge: Judge,
  seed: number
): Effect.fn.Return<string | typeof unmade | undefined> {
  const codec = codecOf(tool)
  if (codec === undefined) return unmade
  const call = (value: unknown) =>
    Effect.gen(function* () {
      const args = yield* Effect.exit(encode(codec, value))
      if (Exit.isFailure(args)) return yield* Effect.fail(undefined)
      const wrong = judge(yield* Effect.result(world.registry.call(view, tool.name, args.value)))
      return wrong === undefined ? true : yield* Effect.fail(`with ${show(args.value)}: ${wrong}`)
    })
  const found = yield* Effect.exit(Arbitrary.checkEffect(Arbitrary.schema(codec), call, { runs: tries, seed }))
  // A Schema that generates nothing, or that only decodes.
  if (Exit.isFailure(found) || found.value._tag === "Exhausted") return unmade
  if (found.value._tag !== "Falsified") return undefined
  const { failure } = found.value
  return failure._tag === "PropertyError" && failure.error !== undefined ? failure.error : unmade
})

/** All tools of the plugin, where it shows them. */
const wrongCalls = Effect.fnUntraced(function* (
  judged: Judged,
  setting: Setting,
  seed: number,
  judge: Judge,
  before: (world: worlds.World) => Effect.Effect<void, Error, Scope.Scope> = () => Effect.void
): Effect.fn.Return<string | undefined, NotJudged | Error | ScopeClosed, Scope.Scope> {
  const world = yield* stage(judged, setting)
  yield* before(world)
  const there = new Set(world.tools())
  const { exit } = yield* build(world, setting, world.scope)
  if (Exit.isFailure(exit)) return yield* unassembled
  const all: Array<undefined | typeof unmade> = []
  for (const tool of world.tools().filter((one) => !there.has(one) && one.handler !== undefined)) {
    const view = yield* Effect.exit(PromptScope.provide(tool.scope)(world.prompt.assemble))
    if (Exit.isFailure(view)) return yield* unassembled
    // A tool that is not shown, since a listener removes it, is not found: no law is about that.
    const wrong = yield* wrongCall(world, view.value, tool, judge, seed)
    if (typeof wrong === "string") return `tool ${JSON.stringify(tool.name)}, called ${wrong}`
    all.push(wrong)
  }
  return all.length > 0 && all.every((one) => one === unmade) ? yield* allUnmade : undefined
})

const law = (
  judged: Judged,
  options: {
    readonly name: string
    readonly rule: string
    readonly advice: string
    readonly expected: string
    readonly wrong: (setting: Setting, seed: number) => ReturnType<typeof wrongCalls>
  }
): Law =>
  make({
    name: options.name,
    rule: options.rule,
    advice: options.advice,
    cases: Arbitrary.all({ setting: judged.settings, seed: subjects.below(1_000) }),
    most: judged.most,
    show: ({ setting }) => shown(setting),
    holds: ({ seed, setting }) =>
      Effect.scoped(
        Effect.map(options.wrong(setting, seed), (seen): Broken | undefined =>
          seen === undefined ? undefined : { expected: options.expected, seen }
        )
      )
  })

// -----------------------------------------------------------------------------
// laws
// -----------------------------------------------------------------------------

/** Refuses each call before any other guard is asked, so that nothing of the plugin runs but the decoding. */
const refuseAll = (world: worlds.World): Effect.Effect<void, Error, Scope.Scope> =>
  world.registry
    .guard({ name: " law", check: () => "this is only a test of the arguments" })
    .pipe(PromptScope.provide(PromptScope.global))

/** The guard refuses before a handler could fail: what fails so is the decoding. */
const isMisfit = ({ _tag }: ToolError): boolean => _tag === "InvalidToolArguments" || _tag === "ToolFailure"

export const takesArguments = (judged: Judged): Law =>
  law(judged, {
    name: "plugin: tools take their arguments",
    rule: "Each tool of the plugin takes all arguments that its parameters generate.",
    advice:
      "Say in `parameters` all that is asked of the arguments: a model knows nothing of what only `decode` asks. Or leave `decode` out.",
    expected: "arguments that fit the parameters and are taken",
    wrong: (setting, seed) =>
      wrongCalls(
        judged,
        setting,
        seed,
        (ended) => (Result.isFailure(ended) && isMisfit(ended.failure) ? ended.failure.message : undefined),
        refuseAll
      )
  })

export const answersCalls = (judged: Judged): Law =>
  law(judged, {
    name: "plugin: tools answer",
    rule: "Each handler of the plugin gives plain JSON or nothing, or fails with a typed error.",
    advice:
      "Give data: strings, finite numbers, booleans, null, arrays and plain objects of these. Turn what may throw into a typed failure, by Effect.try or Effect.tryPromise.",
    expected: "plain JSON, nothing, or a typed failure",
    wrong: (setting, seed) =>
      wrongCalls(judged, setting, seed, (ended) =>
        Result.isFailure(ended) && ended.failure._tag === "ToolFailure" && ended.failure.reason !== "failed"
          ? ended.failure.message
          : undefined
      )
  })
