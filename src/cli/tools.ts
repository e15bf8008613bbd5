/**
 * `preamble tools FILE`: the tools that a scope shows its model, in the order in which they are sent; what each other
 * scope shows and hides; and what is wrong with the names in `toolOrder`.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type { AssembledTool } from "../Assembly.ts"
import { CompositionScopes } from "../composition/CompositionScopes.ts"
import * as Difference from "../Difference.ts"
import { byCodeUnits } from "../internal/codeUnits.ts"
import { type Hider, hidersOf } from "../internal/hiders.ts"
import { nearest } from "../internal/nearest.ts"
import { byteLength } from "../internal/utf8.ts"
import { wrap } from "../internal/width.ts"
import type { Shadowed } from "../Origin.ts"
import type { AssembleError } from "../PromptError.ts"
import * as PromptScope from "../PromptScope.ts"
import { SystemPrompt } from "../SystemPrompt.ts"
import { Tokenizer } from "../tokens/Tokenizer.ts"
import * as ToolOrder from "../ToolOrder.ts"
import * as ToolSchema from "../ToolSchema.ts"
import type { Trace } from "../Trace.ts"
import * as Failure from "./Failure.ts"
import * as Input from "./Input.ts"
import { grouped } from "./Numbers.ts"
import * as Output from "./Output.ts"
import * as Style from "./Style.ts"
import * as Table from "./Table.ts"
import * as Target from "./Target.ts"
import * as Tokens from "./Tokens.ts"

// -----------------------------------------------------------------------------
// command
// -----------------------------------------------------------------------------

/**
 * @since 0.1.0
 * @category commands
 */
export const tools = Command.make(
  "tools",
  {
    file: Target.file,
    scope: Target.scope,
    ...Target.settings,
    tokenizer: Tokens.flag,
    format: Flag.Literals("format", Failure.Format.literals).pipe(
      Flag.withDescription("text: for people; json: one line"),
      Flag.withDefault("text")
    )
  },
  Effect.fn("preamble.tools")(function* ({ format, scope, tokenizer, ...given }) {
    const target = { ...given, scope: Option.getOrUndefined(scope) }
    const loaded = yield* Input.load(target.file, { plugins: !target.noPlugins })
    yield* Target.reportNotMounted(loaded.composition, format)
    const found = yield* Target.inside(loaded, target, viewsOf)
    // With names in its toolOrder that nobody knows a scope has no assembly. What it would show is told all the same.
    const unordered = found.views.some((view) => view.unknown.length > 0)
      ? yield* Target.inside(
          { ...loaded, composition: { ...loaded.composition, toolOrder: undefined } },
          target,
          viewsOf
        )
      : found
    const order = loaded.composition.toolOrder ?? []
    const views = found.views.map((view, i) =>
      view.unknown.length === 0 ? view : { ...inOrder(unordered.views[i]!, order), unknown: view.unknown }
    )
    const view = views.find((one) => one.scope === found.scope)
    if (view === undefined) return yield* Effect.die(new Error(`no view of scope ${found.scope}`))
    if (view.error !== undefined) return yield* Failure.locate(loaded.composition, [view.error])
    const answered = answer({ file: target.file, view, views, order }, format)
    yield* Output.stdout(yield* answered.pipe(Effect.provide(Tokens.layer(tokenizer))))
  })
).pipe(
  Command.withDescription("List the tools of a prompt, and which scopes show them"),
  Command.withExamples([
    { command: "preamble tools agent.yaml", description: "What the default scope shows, and where else it is shown" },
    { command: "preamble tools agent.yaml --scope reviewer --format json", description: "As JSON, for another scope" }
  ])
)

// -----------------------------------------------------------------------------
// views
// -----------------------------------------------------------------------------

/** A tool of the registry that a nearer one of its name hides. */
interface ShadowedTool {
  readonly name: string
  readonly of: Shadowed
  readonly by: Shadowed
}

/** What one scope shows. */
interface View {
  readonly scope: string
  readonly tools: ReadonlyArray<AssembledTool>
  /** The names of these. */
  readonly shown: ReadonlySet<string>
  /** Names that it knows and does not show, with those that hide them. */
  readonly hidden: ReadonlyMap<string, ReadonlyArray<Hider>>
  readonly shadowed: ReadonlyArray<ShadowedTool>
  /** Names in `toolOrder` that it does not know. */
  readonly unknown: ReadonlyArray<string>
  /** Why else it cannot be assembled. */
  readonly error: AssembleError | undefined
}

const viewsOf = Effect.fnUntraced(function* ({ overrides, scope }: Target.World) {
  const prompt = yield* SystemPrompt
  const { scopes } = yield* CompositionScopes
  const views = yield* Effect.forEach([...scopes.values()], (one) =>
    Effect.flatMap(Input.below(one, overrides), (nearest) =>
      Effect.map(Effect.result(PromptScope.provide(nearest)(prompt.trace)), (traced) => viewOf(one.label, traced))
    )
  )
  return { scope, views }
})

const viewOf = (scope: string, traced: Result.Result<Trace, AssembleError>): View => {
  const nothing: View = {
    scope,
    tools: [],
    shown: new Set(),
    hidden: new Map(),
    shadowed: [],
    unknown: [],
    error: undefined
  }
  if (Result.isFailure(traced)) {
    const error = traced.failure
    return error._tag === "UnknownTool" ? { ...nothing, unknown: error.unknown } : { ...nothing, error }
  }
  const { assembly, entries } = traced.success
  const shown = new Set(assembly.tools.map((tool) => tool.schema.name))
  const known = entries.flatMap((entry) => (entry.kind === "tool" ? [entry.name] : (entry.hidden ?? [])))
  const hidden = new Set(known.filter((name) => !shown.has(name)))
  return {
    ...nothing,
    tools: assembly.tools,
    shown,
    hidden: new Map([...hidden].map((name) => [name, hidersOf(entries, name)])),
    shadowed: entries.flatMap(({ fate, kind, name, plugin, scope }) =>
      kind === "tool" && fate._tag === "Shadowed"
        ? [{ name, of: { scope, ...(plugin === undefined ? undefined : { plugin }) }, by: fate.by }]
        : []
    )
  }
}

const inOrder = (view: View, order: ReadonlyArray<string>): View => {
  const made = ToolOrder.make(order)
  if (Result.isFailure(made)) return view
  const compare = ToolOrder.compare(made.success)
  return { ...view, tools: view.tools.toSorted((a, b) => compare(a.schema.name, b.schema.name)) }
}

/**
 * What a scope does with a name. `listed`: hidden, though `toolOrder` has a place for it, which is allowed. `unknown`:
 * neither shown nor hidden, though `toolOrder` has a place for it, so that the scope cannot be assembled.
 */
type State = "shown" | "hidden" | "listed" | "absent" | "unknown"

const stateOf = (view: View, name: string, order: ReadonlyArray<string>): State => {
  if (view.shown.has(name)) return "shown"
  if (view.hidden.has(name)) return order.includes(name) ? "listed" : "hidden"
  return order.includes(name) ? "unknown" : "absent"
}

// -----------------------------------------------------------------------------
// answers
// -----------------------------------------------------------------------------

interface Found {
  readonly file: string
  readonly view: View
  readonly views: ReadonlyArray<View>
  readonly order: ReadonlyArray<string>
}

const answer = Effect.fnUntraced(function* (found: Found, format: Failure.Format) {
  const tokenizer = yield* Tokenizer
  if (format === "json") return `${JSON.stringify(toJson(found, tokenizer))}\n`
  return toText(found, { tokenizer, width: yield* Style.width, style: yield* Style.current })
})

/** Every name that some scope knows. */
const namesIn = (views: ReadonlyArray<View>): ReadonlyArray<string> => {
  const names = views.flatMap((view) => [...view.tools.map((tool) => tool.schema.name), ...view.hidden.keys()])
  return [...new Set(names)].sort(byCodeUnits)
}

/** Names in `toolOrder` that no scope knows, so that they are most likely mistyped, and what may be meant. */
const strangers = ({ order, views }: Found): ReadonlyArray<{ readonly name: string; readonly nearest?: string }> => {
  const names = namesIn(views)
  return order
    .filter((name) => name !== ToolOrder.restMarker && !names.includes(name))
    .map((name) => {
      const near = nearest(name, names)
      return near === undefined ? { name } : { name, nearest: near }
    })
}

const sizeOf = (text: string, tokenizer: Tokenizer["Service"]) => ({
  bytes: byteLength(text),
  tokens: tokenizer.count(text).tokens
})

const toJson = (found: Found, tokenizer: Tokenizer["Service"]): Schema.JsonObject => {
  const { file, order, view, views } = found
  // A scope of which nothing is known says nothing of any name.
  const known = views.filter((one) => one.error === undefined)
  return {
    file,
    scope: view.scope,
    tokenizer: tokenizer.name,
    exact: tokenizer.count(Difference.emitTools(view.tools)).exact,
    total: sizeOf(Difference.emitTools(view.tools), tokenizer),
    tools: view.tools.map(({ origin, schema }) => ({
      name: schema.name,
      scope: origin.scope,
      ...(origin.plugin === undefined ? undefined : { plugin: origin.plugin }),
      ...(origin.provider === undefined ? undefined : { provider: origin.provider }),
      ...(origin.listener === undefined ? undefined : { listener: { ...origin.listener } }),
      ...sizeOf(ToolSchema.emit(schema), tokenizer),
      deferLoading: schema.deferLoading === true
    })),
    names: namesIn(views).map((name) => ({
      name,
      scopes: Object.fromEntries(known.map((one) => [one.scope, stateOf(one, name, order)]))
    })),
    hidden: known.flatMap(({ hidden, scope }) =>
      [...hidden].map(([name, by]) => ({ scope, name, by: by.map((one) => ({ ...one })) }))
    ),
    shadowed: known.flatMap(({ scope, shadowed }) =>
      shadowed.map(({ by, name, of }) => ({ scope, name, of: { ...of }, by: { ...by } }))
    ),
    unknown: strangers(found).map((one) => ({ ...one })),
    failed: views.flatMap(({ error, scope }) =>
      error === undefined ? [] : [{ scope, _tag: error._tag, message: error.message }]
    )
  }
}

interface Options {
  readonly tokenizer: Tokenizer["Service"]
  readonly width: number
  readonly style: Style.Style
}

const countOf = ({ tools }: View): string => (tools.length === 1 ? "1 tool" : `${tools.length} tools`)

const toText = (found: Found, options: Options): string => {
  const { file, view } = found
  const { style, tokenizer, width } = options
  const text = Difference.emitTools(view.tools)
  const count = countOf(view)
  const size = `${grouped(byteLength(text))} bytes, ${Tokens.show(tokenizer.count(text))} tokens`
  const head = wrap(`${file}, scope ${JSON.stringify(view.scope)}: ${count}, ${size}`, width).map(style.bold)
  const blocks = [
    head.join("\n"),
    ...(view.tools.length === 0 ? [] : [table(view, options)]),
    [style.bold("SCOPES"), ...found.views.flatMap((one) => scopeLines(one, found, options))].join("\n"),
    ...strangerLines(found, options)
  ]
  return `${blocks.join("\n\n")}\n`
}

const table = ({ tools }: View, { style, tokenizer, width }: Options): string => {
  const columns: ReadonlyArray<Table.Column> = [
    { title: "tool", shrink: true },
    { title: "scope", shrink: true },
    { title: "from", shrink: true },
    { title: "bytes", align: "right" },
    { title: "tokens", align: "right" },
    { title: "loading" }
  ]
  const rows = tools.map(({ origin: { listener, plugin, provider, scope }, schema }) => {
    const text = ToolSchema.emit(schema)
    const from = [
      ...(plugin === undefined ? [] : [`plugin ${plugin}`]),
      ...(provider === undefined ? [] : [`provider ${provider}`]),
      ...(listener === undefined ? [] : [`listener ${listener.name}`])
    ].join(", ")
    const loading = schema.deferLoading === true ? "deferred" : ""
    return [schema.name, scope, from, grouped(byteLength(text)), Tokens.show(tokenizer.count(text)), loading]
  })
  const used = columns.map((_, i) => rows.some((row) => row[i] !== ""))
  const kept = <A>(cells: ReadonlyArray<A>): ReadonlyArray<A> => cells.filter((_, i) => used[i])
  return Table.render(kept(columns), rows.map(kept), { width, style })
}

/** One paragraph for each scope: what it does not show is told by name. */
const scopeLines = (view: View, { order }: Found, { style, width }: Options): ReadonlyArray<string> => {
  const hidden = [...view.hidden.keys()].sort(byCodeUnits)
  const by = (state: State) => hidden.filter((name) => stateOf(view, name, order) === state)
  const say = (state: State, what: string) => {
    const all = together(by(state), (name) => reasonOf(view, name))
    return all.length === 0 ? [] : [`${what} ${all.join(", ")}`]
  }
  const count = countOf(view)
  const facts =
    view.error !== undefined
      ? [`cannot be assembled: ${view.error._tag}: ${view.error.message}`]
      : [
          ...(view.unknown.length === 0
            ? [`shows ${count}`]
            : [
                `cannot be assembled, since toolOrder lists what it does not know: ${view.unknown.join(", ")}`,
                `without that it shows ${count}`
              ]),
          ...say("hidden", "hides"),
          ...say("listed", "hides, though toolOrder lists it:"),
          ...shadowedFact(view)
        ]
  const bad = view.error !== undefined || view.unknown.length > 0
  const lines = wrap(`${view.scope}: ${facts.join("; ")}`, Math.max(2, width - 4))
  return lines.map((line, i) => `${i === 0 ? "  " : "    "}${bad ? style.red(line) : line}`)
}

/** `a and b (why)`: names that have one reason stand together. */
const together = (names: ReadonlyArray<string>, reasonOf: (name: string) => string): ReadonlyArray<string> => {
  const byReason = new Map<string, Array<string>>()
  for (const name of names) {
    const reason = reasonOf(name)
    const others = byReason.get(reason)
    if (others === undefined) byReason.set(reason, [name])
    else others.push(name)
  }
  return [...byReason].map(([reason, all]) => `${all.join(", ")} (${reason})`)
}

const shadowedFact = ({ shadowed }: View): ReadonlyArray<string> =>
  shadowed.length === 0
    ? []
    : [
        `shadows ${shadowed.map(({ by, name, of }) => `${name} of ${contributor(of)} by that of ${contributor(by)}`).join(", ")}`
      ]

const contributor = ({ plugin, scope }: Shadowed): string => (plugin === undefined ? scope : `${scope} (${plugin})`)

/** Why a scope hides a tool, in a few words. */
const reasonOf = ({ hidden }: View, name: string): string => {
  const reasons = (hidden.get(name) ?? []).map((hider) => {
    const scope = contributor(hider)
    switch (hider.kind) {
      case "restriction":
        return hider.list === "deny" ? `denied by ${scope}` : `not allowed by ${scope}`
      case "listener":
        return `removed by listener ${hider.entry} of ${scope}`
      default:
        return `hidden by ${hider.entry === "" ? "a provider" : `provider ${hider.entry}`} of ${scope}`
    }
  })
  return reasons.length === 0 ? "left out by the waterfall" : [...new Set(reasons)].join(", ")
}

const strangerLines = (found: Found, { style, width }: Options): ReadonlyArray<string> => {
  const all = strangers(found)
  if (all.length === 0) return []
  const lines = all.flatMap(({ name, nearest }) => {
    const hint = nearest === undefined ? "" : ` Did you mean ${JSON.stringify(nearest)}?`
    return wrap(`toolOrder lists ${JSON.stringify(name)}, which no scope knows.${hint}`, width)
  })
  return [lines.map(style.red).join("\n")]
}
