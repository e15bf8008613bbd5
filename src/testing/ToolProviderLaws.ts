/**
 * The laws of a tool provider: it does not fail, gives the same bytes in every assembly and leaves alone what it gave
 * before; its tools are plain JSON with legal names of their own, and the names that it knows cover them.
 *
 * @since 0.1.0
 */
import * as Arbitrary from "effect/Arbitrary"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { type AssembleContext, Annotations } from "../AssembleContext.ts"
import { describeType } from "../internal/rules.ts"
import type { Owner } from "../Owner.ts"
import * as PromptScope from "../PromptScope.ts"
import type { Provider } from "../Provider.ts"
import * as ToolOrder from "../ToolOrder.ts"
import type * as ToolProvider from "../ToolProvider.ts"
import * as ToolSchema from "../ToolSchema.ts"
import { at, start } from "./internal/moment.ts"
import { showCause } from "./internal/show.ts"
import * as subjects from "./internal/subject.ts"
import { broken, notJudged } from "./internal/verdict.ts"
import { type Broken, type Law, make } from "./Law.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * What a tool provider is judged with.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** What a runtime tells it. By default nothing. */
  readonly annotations?: Arbitrary.Arbitrary<Context.Context<never>> | undefined
  /** Which names models accept. Default: 1 to 64 letters, digits, `_` and `-`. */
  readonly names?: RegExp | undefined
}

/**
 * Makes a law, or several, of a tool provider whose services are provided.
 *
 * @since 0.1.0
 * @category models
 */
export type Of<A> = (provider: Provider<ToolProvider.Tools, unknown>, options?: Options) => A

/** The names that model providers accept. */
const legalNames = /^[A-Za-z0-9_-]{1,64}$/u

// -----------------------------------------------------------------------------
// calling
// -----------------------------------------------------------------------------

type Subject = Provider<ToolProvider.Tools, unknown>

const owner: Owner = { kind: "tools", entry: "", scope: "global" }

/** What it gives for an assembly; nothing is known of it yet. */
const call = (provider: Subject, annotations: Context.Context<never>): Effect.Effect<unknown, unknown> => {
  const context: AssembleContext = { scope: PromptScope.global, annotations }
  return Effect.suspend(() => {
    const given = !Effect.isEffect(provider) && typeof provider === "function" ? provider(context) : provider
    return Effect.isEffect(given) ? given : Effect.succeed(given)
  }).pipe(Effect.provideContext(annotations), Effect.provideService(Annotations, annotations))
}

interface Read {
  readonly schemas: ReadonlyArray<unknown>
  readonly knownNames: ReadonlyArray<unknown> | undefined
}

const read = (given: unknown): Read | undefined => {
  if (Array.isArray(given)) return { schemas: given, knownNames: undefined }
  if (typeof given !== "object" || given === null || !("schemas" in given) || !Array.isArray(given.schemas)) {
    return undefined
  }
  const knownNames: unknown = "knownNames" in given ? given.knownNames : undefined
  if (knownNames !== undefined && !Array.isArray(knownNames)) return undefined
  return { schemas: given.schemas, knownNames }
}

/** The tools as they are emitted; what is no tool is named as such. */
const emitted = (given: unknown): ReadonlyArray<string> =>
  (read(given)?.schemas ?? []).map((schema) =>
    Result.match(ToolSchema.fromUnknown(schema, owner), {
      onFailure: (error) => error.message,
      onSuccess: ToolSchema.emit
    })
  )

const tools = (count: number): string => (count === 0 ? "no tools" : `${count} tool${count === 1 ? "" : "s"}`)

/** The first tool in which two lists differ. */
const parting = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): Broken | undefined => {
  const length = Math.max(before.length, after.length)
  for (let i = 0; i < length; i++) {
    const [was = "no more tools", is = "no more tools"] = [before[i], after[i]]
    if (was !== is && i >= before.length) return broken(tools(before.length), `one more: ${is}`)
    if (was !== is) return broken(`as tool ${i + 1}, ${was}`, is)
  }
  return undefined
}

// -----------------------------------------------------------------------------
// laws
// -----------------------------------------------------------------------------

interface Case {
  readonly annotations: Context.Context<never>
}

const gaveNothing = notJudged("the provider gave no tools in any case; see the law `succeeds`")

/** A law of what it gives once. Where that fails, another law says so. */
const law = (
  { annotations }: Options,
  provider: Subject,
  options: {
    readonly name: string
    readonly rule: string
    readonly advice: string
    readonly holds: (given: Read) => Broken | undefined
  }
): Law =>
  make({
    ...options,
    name: `tool provider: ${options.name}`,
    cases: Arbitrary.all({ annotations: annotations ?? subjects.noAnnotations }),
    most: annotations === undefined ? 1 : undefined,
    show,
    holds: ({ annotations }) =>
      Effect.flatMap(Effect.exit(call(provider, annotations)), (exit) => {
        const given = Exit.isSuccess(exit) ? read(exit.value) : undefined
        return given === undefined ? gaveNothing : Effect.succeed(options.holds(given))
      })
  })

const show = ({ annotations }: Case) => {
  const shown = subjects.showAnnotations(annotations)
  return shown && { annotations: shown }
}

/**
 * It gives tools: an array, or one as `schemas` with `knownNames`.
 *
 * @since 0.1.0
 * @category laws
 */
export const succeeds: Of<Law> = (provider, { annotations } = {}) =>
  make({
    name: "tool provider: gives tools",
    rule: "The provider gives an array of tools, or one as `schemas` with an array of names as `knownNames`.",
    advice: "Handle failures inside of the provider, and give no tools where there are none.",
    cases: Arbitrary.all({ annotations: annotations ?? subjects.noAnnotations }),
    most: annotations === undefined ? 3 : undefined,
    show,
    holds: ({ annotations }) =>
      Effect.map(Effect.exit(call(provider, annotations)), (exit) => {
        if (Exit.isFailure(exit)) return broken("no failure", showCause(exit.cause))
        return read(exit.value) === undefined ? broken("tools", `it gave ${describeType(exit.value)}`) : undefined
      })
  })

/**
 * Its tools are the same bytes in the same order in every assembly with the same context, at any time.
 *
 * @since 0.1.0
 * @category laws
 */
export const sameBytes: Of<Law> = (provider, { annotations } = {}) =>
  make({
    name: "tool provider: stable bytes",
    rule: "The tools are the same bytes in the same order in every assembly with the same context, at any time.",
    advice:
      "Tools come before the prompt, so a change costs the whole cached prefix: make schemas from constants with `ToolSchema.make`, sort what has no order of its own, and put no time or count into a description.",
    cases: Arbitrary.all({
      annotations: annotations ?? subjects.noAnnotations,
      call: Arbitrary.map(subjects.below(3), (more) => more + 2),
      later: subjects.span
    }),
    show: ({ call, later, ...rest }) => ({ ...show(rest), call, later }),
    holds: ({ annotations, call: calls, later }) =>
      Effect.gen(function* () {
        const first = yield* Effect.exit(call(provider, annotations)).pipe(at(start))
        if (Exit.isFailure(first) || read(first.value) === undefined) return yield* gaveNothing
        const bytes = emitted(first.value)
        const then = { later: subjects.millisOf(later), luck: 1 }
        for (let number = 2; number <= calls; number++) {
          const next = yield* Effect.exit(call(provider, annotations)).pipe(at(then))
          if (Exit.isFailure(next)) return broken("tools, as in the first call", showCause(next.cause))
          const differs = parting(bytes, emitted(next.value))
          if (differs !== undefined) return broken(differs.expected, `in call ${number}, ${differs.seen}`)
        }
        return undefined
      })
  })

/**
 * A later call does not change what an earlier one gave.
 *
 * @since 0.1.0
 * @category laws
 */
export const leavesResults: Of<Law> = (provider, { annotations } = {}) =>
  make({
    name: "tool provider: leaves its results alone",
    rule: "What the provider gave stays what it was when it is called again.",
    advice: "Make a new array for each call, or one of constants that is never changed.",
    cases: Arbitrary.all({ annotations: annotations ?? subjects.noAnnotations }),
    most: annotations === undefined ? 3 : undefined,
    show,
    holds: ({ annotations }) =>
      Effect.gen(function* () {
        const first = yield* Effect.exit(call(provider, annotations))
        if (Exit.isFailure(first) || read(first.value) === undefined) return yield* gaveNothing
        const before = emitted(first.value)
        yield* Effect.exit(call(provider, annotations))
        const differs = parting(before, emitted(first.value))
        return differs === undefined
          ? undefined
          : broken(differs.expected, `after another call, in the first result: ${differs.seen}`)
      })
  })

/**
 * Its tools are plain JSON of the expected shape.
 *
 * @since 0.1.0
 * @category laws
 */
export const plainJson: Of<Law> = (provider, options = {}) =>
  law(options, provider, {
    name: "plain JSON",
    rule: "Each tool has a name, a description and parameters, all of it plain JSON.",
    advice: "Do what the error says; `ToolSchema.make` checks a schema where it is written.",
    holds: ({ schemas }) => {
      for (const schema of schemas) {
        const made = ToolSchema.fromUnknown(schema, owner)
        if (Result.isFailure(made)) return broken("a valid tool", made.failure.message)
      }
      return undefined
    }
  })

/** The names of what could be tools. */
const namesOf = (schemas: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  schemas.flatMap((schema) =>
    typeof schema === "object" && schema !== null && "name" in schema && typeof schema.name === "string"
      ? [schema.name]
      : []
  )

/**
 * Models accept the names of its tools, and none is the rest marker of `toolOrder`.
 *
 * @since 0.1.0
 * @category laws
 */
export const legal: Of<Law> = (provider, options = {}) =>
  law(options, provider, {
    name: "legal names",
    rule: `Names of tools match ${options.names ?? legalNames}, and none marks all other tools in toolOrder.`,
    advice: "Rename the tool, or map its name on the way in and out. If your models accept others, say so as `names`.",
    holds: ({ schemas }) => {
      const names = options.names ?? legalNames
      for (const name of namesOf(schemas)) {
        const reserved = ToolOrder.reserved(name, owner)
        if (Result.isFailure(reserved)) return broken("a name that is not reserved", reserved.failure.message)
        if (name.search(names) === -1) return broken(`a name that matches ${names}`, JSON.stringify(name))
      }
      return undefined
    }
  })

/**
 * No two of its tools have one name: a call could mean either.
 *
 * @since 0.1.0
 * @category laws
 */
export const unique: Of<Law> = (provider, options = {}) =>
  law(options, provider, {
    name: "unique names",
    rule: "No two tools of the provider have one name.",
    advice: "Give each tool a name of its own: a call of the model could mean either.",
    holds: ({ schemas }) => {
      const names = namesOf(schemas)
      const twice = names.find((name, i) => names.indexOf(name) !== i)
      return twice === undefined
        ? undefined
        : broken(
            "one tool of each name",
            `${names.filter((name) => name === twice).length} tools named ${JSON.stringify(twice)}`
          )
    }
  })

/**
 * Where it says which names it knows, those of its visible tools are among them.
 *
 * @since 0.1.0
 * @category laws
 */
export const knowsVisible: Of<Law> = (provider, options = {}) =>
  law(options, provider, {
    name: "knows what it shows",
    rule: "`knownNames`, where given, has the name of every visible tool.",
    advice: "List all tools in `knownNames`, hidden or not; or leave it out where nothing is hidden.",
    holds: ({ knownNames, schemas }) => {
      const missing = knownNames === undefined ? [] : namesOf(schemas).filter((name) => !knownNames.includes(name))
      return missing.length === 0
        ? undefined
        : broken("all visible tools in knownNames", `${missing.map((name) => JSON.stringify(name)).join(", ")} missing`)
    }
  })

/**
 * All laws of a tool provider.
 *
 * @since 0.1.0
 * @category laws
 */
export const all: Of<ReadonlyArray<Law>> = (provider, options = {}) => [
  succeeds(provider, options),
  sameBytes(provider, options),
  leavesResults(provider, options),
  plainJson(provider, options),
  legal(provider, options),
  unique(provider, options),
  knowsVisible(provider, options)
]
