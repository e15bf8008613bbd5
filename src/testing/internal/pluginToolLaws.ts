/** The laws of a plugin that registers tools: each of them is called with arguments that its parameters generate. */
import * as Arbitrary from "effect/Arbitrary"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { type AssembleContext, Annotations } from "../../AssembleContext.ts"
import type { Assembly } from "../../Assembly.ts"
import { provideCaptured } from "../../internal/capture.ts"
import { findTools } from "../../internal/findTool.ts"
import { registeredAs } from "../../internal/toolLink.ts"
import { ofJsonSchema, ofSchema } from "../../internal/toolParameters.ts"
import * as PromptScope from "../../PromptScope.ts"
import type { ScopeClosed } from "../../PromptError.ts"
import type { ToolError } from "../../ToolError.ts"
import { type Broken, type Law, make, type Report } from "../Law.ts"
import { show } from "./show.ts"
import { build, type Judged, type Setting, shown, stage } from "./stage.ts"
import * as subjects from "./subject.ts"
import { type NotJudged, notJudged } from "./verdict.ts"
import type * as worlds from "./world.ts"

/** How many arguments each tool gets in a case. */
const tries = 10

const unassembled = notJudged("the plugin did not build and assemble in any case; see the law `assembles`")
const withoutTools = notJudged("the plugin has no tool with a handler in any case")

// -----------------------------------------------------------------------------
// arguments
// -----------------------------------------------------------------------------

/** The Schema whose values are encoded to make arguments. */
type CodecOf = (tool: worlds.WatchedTool, view: Assembly) => Schema.Constraint | undefined

const codecOfJson = (parameters: object): Schema.Constraint | undefined =>
  Result.getOrUndefined(Result.map(ofJsonSchema({ ...parameters }), ({ schema }) => schema))

/** That of the parameters, or else what decodes them. */
const codecOfGiven: CodecOf = ({ decode, parameters }) => {
  if (Schema.isSchema(parameters)) return ofSchema(parameters).schema
  const raw = typeof parameters === "object" && parameters !== null ? codecOfJson(parameters) : undefined
  return raw ?? (Schema.isSchema(decode) ? ofSchema(decode).schema : undefined)
}

/** That of what a model is shown of the tool, whatever it was made from. */
const codecOfShown: CodecOf = ({ name }, { tools }) => {
  const named = findTools(tools, name)
  const shown = named.find((one) => registeredAs(one)?.name === name) ?? named[0]
  return shown === undefined ? undefined : codecOfJson(shown.schema.parameters)
}

const context: AssembleContext = { scope: PromptScope.global, annotations: Context.empty() }

const encode = (codec: Schema.Constraint, value: unknown): Effect.Effect<unknown, unknown> =>
  provideCaptured(Schema.encodeUnknownEffect(codec)(value), Context.empty(), context)

// -----------------------------------------------------------------------------
// calls
// -----------------------------------------------------------------------------

/** What the end of a call says of a law: nothing, for a reason, if the call did not get as far as the law looks. */
type Said = { readonly _tag: "Holds" } | ({ readonly _tag: "Breaks" } & Broken) | Nothing

interface Nothing {
  readonly _tag: "Nothing"
  readonly why: string
}

type Ended = Result.Result<Schema.Json, ToolError>

const nothing = (why: string): Nothing => ({ _tag: "Nothing", why })
const unmade = nothing("no arguments could be made from its parameters")
const unshown = nothing("the model is not shown it")

/** Which tools some case has said something of, and why no case has of the others. */
class Reach {
  readonly #reached = new Set<string>()
  readonly #missed = new Map<string, Set<string>>()

  add(tool: string, said: Said): void {
    if (said._tag !== "Nothing") this.#reached.add(tool)
    else this.#missed.set(tool, (this.#missed.get(tool) ?? new Set()).add(said.why))
  }

  /** One tool that is reached must not hide another that never is. */
  get missed(): string | undefined {
    const missed = [...this.#missed].filter(([tool]) => !this.#reached.has(tool))
    return missed.length === 0
      ? undefined
      : `no case says anything of ${missed.map(([tool, whys]) => `tool ${JSON.stringify(tool)} (${[...whys].join(", ")})`).join(", ")}`
  }
}

/** How a law calls tools. */
interface Asked {
  readonly codecOf: CodecOf
  readonly said: (ended: Ended) => Said
  /** What is there before the plugin. */
  readonly before?: (world: worlds.World) => Effect.Effect<void, Error, Scope.Scope>
  /** Of all plugins, those without tools too, and those that hide their own. */
  readonly ofAll?: boolean
}

/** Calls a tool with arguments of its own making: what the simplest ones say that break the law, or else all of them. */
const callTool = Effect.fnUntraced(function* (
  world: worlds.World,
  view: Assembly,
  tool: worlds.WatchedTool,
  asked: Asked,
  seed: number
): Effect.fn.Return<ReadonlyArray<Said>> {
  if (findTools(view.tools, tool.name).length === 0) return asked.ofAll === true ? [] : [unshown]
  const codec = asked.codecOf(tool, view)
  if (codec === undefined) return [unmade]
  const all: Array<Said> = []
  const call = (value: unknown) =>
    Effect.gen(function* () {
      const args = yield* Effect.exit(encode(codec, value))
      if (Exit.isFailure(args)) {
        all.push(unmade)
        return true
      }
      const said = asked.said(yield* Effect.result(world.registry.call(view, tool.name, args.value)))
      if (said._tag === "Breaks") {
        const seen = `tool ${JSON.stringify(tool.name)}, called with ${show(args.value)}: ${said.seen}`
        return yield* Effect.fail({ ...said, seen })
      }
      all.push(said)
      return true
    })
  const found = yield* Effect.exit(Arbitrary.checkEffect(Arbitrary.schema(codec), call, { runs: tries, seed }))
  // A Schema that generates nothing, or that only decodes.
  if (Exit.isFailure(found) || found.value._tag === "Exhausted") return [unmade]
  if (found.value._tag !== "Falsified") return all
  const { failure } = found.value
  return [failure._tag === "PropertyError" ? failure.error : unmade]
})

/** All tools of the plugin that have a handler. */
const callTools = Effect.fnUntraced(function* (
  judged: Judged,
  { seed, setting }: Case,
  asked: Asked,
  reach: Reach
): Effect.fn.Return<Broken | undefined, NotJudged | Error | ScopeClosed, Scope.Scope> {
  const world = yield* stage(judged, setting)
  if (asked.before !== undefined) yield* asked.before(world)
  const there = new Set(world.tools())
  const { exit } = yield* build(world, setting, world.scope)
  if (Exit.isFailure(exit)) return yield* unassembled
  const tools = world.tools().filter((one) => !there.has(one) && one.handler !== undefined)
  for (const tool of tools) {
    const view = yield* Effect.exit(PromptScope.provide(tool.scope)(world.prompt.assemble))
    if (Exit.isFailure(view)) return yield* unassembled
    for (const said of yield* callTool(world, view.value, tool, asked, seed)) {
      reach.add(tool.name, said)
      if (said._tag === "Breaks") return { expected: said.expected, seen: said.seen }
    }
  }
  return tools.length === 0 && asked.ofAll !== true ? yield* withoutTools : undefined
})

interface Case {
  readonly setting: Setting
  readonly seed: number
}

const law = (
  judged: Judged,
  asked: Asked,
  about: { readonly name: string; readonly rule: string; readonly advice: string }
): Law => {
  const lawOf = (reach: Reach) =>
    make({
      ...about,
      cases: Arbitrary.all({ setting: judged.settings, seed: subjects.below(1_000) }),
      most: judged.most,
      show: ({ setting }) => shown(setting),
      holds: (one) =>
        Effect.scoped(callTools(judged, one, asked, reach)).pipe(
          Effect.provideService(Annotations, one.setting.annotations)
        )
    })
  return {
    name: about.name,
    rule: about.rule,
    // Which tools were reached is known of all cases together, once they are done.
    check: (options) =>
      Effect.suspend(() => {
        const reach = new Reach()
        return Effect.map(lawOf(reach).check(options), (report): Report => {
          const reason = report._tag === "Passed" ? reach.missed : undefined
          return reason === undefined ? report : { _tag: "Unjudged", law: report.law, runs: report.runs, reason }
        })
      })
  }
}

// -----------------------------------------------------------------------------
// laws
// -----------------------------------------------------------------------------

/** Refuses each call before any other guard is asked, so that nothing of the plugin runs but the decoding. */
const refuseAll = (world: worlds.World): Effect.Effect<void, Error, Scope.Scope> =>
  world.registry
    .guard({ name: " law", check: () => "this is only a test of the arguments" })
    .pipe(PromptScope.provide(PromptScope.global))

/** The guard refuses what has been decoded, before a handler could fail: what fails so is the decoding. */
const taken =
  (expected: string) =>
  (ended: Ended): Said => {
    if (Result.isSuccess(ended) || ended.failure._tag === "ToolRefused") return { _tag: "Holds" }
    const { failure } = ended
    return failure._tag === "ToolWithoutHandler"
      ? nothing(`it cannot be called: ${failure.reason}`)
      : { _tag: "Breaks", expected, seen: failure.message }
  }

export const takesArguments = (judged: Judged): Law =>
  law(
    judged,
    {
      codecOf: codecOfGiven,
      said: taken("arguments that fit the parameters and are taken"),
      before: refuseAll,
      ofAll: true
    },
    {
      name: "plugin: tools take their arguments",
      rule: "Each tool of the plugin takes all arguments that its parameters generate.",
      advice:
        "Say in `parameters` all that is asked of the arguments: a model knows nothing of what only `decode` asks. Or leave `decode` out."
    }
  )

export const takesShown = (judged: Judged): Law =>
  law(
    judged,
    {
      codecOf: codecOfShown,
      said: taken("arguments that fit what the model is shown and are taken"),
      before: refuseAll
    },
    {
      name: "plugin: tools take all that is shown",
      rule: "Each tool of the plugin takes all arguments that fit the JSON Schema which a model is shown.",
      advice:
        'Describe the encoded side, since a model is shown nothing of what is asked after a transformation: `Schema.String.annotate({ description: "…" }).check(Schema.isPattern(/…/u)).pipe(Schema.decodeTo(…))`. The pattern needs the flag u. What no JSON Schema can say, say in a description, and leave this law out.'
    }
  )

/** A handler has run if it has answered, or failed. */
const answered = (ended: Ended): Said => {
  if (Result.isSuccess(ended)) return { _tag: "Holds" }
  const { failure } = ended
  switch (failure._tag) {
    case "ToolFailure":
      return failure.fault === "failed"
        ? { _tag: "Holds" }
        : { _tag: "Breaks", expected: "plain JSON, nothing, or a typed failure", seen: failure.message }
    case "GuardFailure":
      return { _tag: "Breaks", expected: "a guard that gives a reason or nothing", seen: failure.message }
    case "ToolRefused":
      return nothing(`guard ${JSON.stringify(failure.entry)} refused its calls`)
    case "InvalidToolArguments":
      return nothing("its arguments were refused; see the law `takesArguments`")
    case "ToolNotFound":
      return unshown
    case "ToolWithoutHandler":
      return nothing(`it cannot be called: ${failure.reason}`)
  }
}

export const answersCalls = (judged: Judged): Law =>
  law(
    judged,
    { codecOf: codecOfGiven, said: answered },
    {
      name: "plugin: tools answer",
      rule: "Each handler of the plugin gives plain JSON or nothing, or fails with a typed error, and no guard fails.",
      advice:
        "Give data: strings, finite numbers, booleans, null, arrays and plain objects of these. Turn what may throw into a typed failure, by Effect.try or Effect.tryPromise."
    }
  )
