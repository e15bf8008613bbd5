/** Tells what became of each contribution of a chain, from what was registered, planned and written down. */
import type { Assembly } from "../Assembly.ts"
import type { Listened, Origin, Shadowed } from "../Origin.ts"
import type { Overlay, Provided, Suppressor } from "../Overlay.ts"
import type { Plan, Planned } from "../Plan.ts"
import * as Template from "../Template.ts"
import type * as Trace from "../Trace.ts"
import { changes } from "./changes.ts"
import { byCodeUnits } from "./codeUnits.ts"
import { byOrderThenName } from "./list.ts"
import type * as parts from "./parts.ts"
import { type Move, type Survival, survive } from "./survival.ts"
import type { Values } from "./values.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/** One run of the listener at `index` of the plan. */
export interface Run {
  readonly index: number
  readonly given: Assembly
  /** What it handed to the rest, once it did. */
  readonly handed: Assembly | undefined
  /** What came back from the rest. */
  readonly back: Assembly | undefined
  readonly returned: Assembly | undefined
}

/** What an assembly was made of. */
export interface Ingredients {
  readonly plan: Plan<Provided>
  readonly values: Values
  /** What went into the waterfall, and what came out. */
  readonly base: Assembly
  readonly result: Assembly
}

/** What happened in one assembly, in the order of time. */
export interface Recording extends Ingredients {
  readonly runs: ReadonlyArray<Run>
  readonly moves: ReadonlyArray<Move>
}

interface Registered {
  readonly overlays: ReadonlyArray<Overlay<Provided>>
  readonly suppressors: ReadonlyArray<ReadonlyArray<Suppressor>>
}

interface Story extends Recording, Registered {
  readonly assembly: Assembly
  readonly survival: Survival
  /** Who suppresses contexts, farthest first. */
  readonly suppressedBy: ReadonlyArray<Shadowed>
  /** The parts of the waterfall's result, and of the assembly, by what they were made of. */
  readonly inResult: ReadonlyMap<parts.Part, parts.Part>
  readonly inAssembly: ReadonlyMap<parts.Part, parts.Part>
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

export const make = ({ overlays, suppressors }: Registered, recording: Recording, assembly: Assembly): Trace.Trace => {
  const survival = survive(recording.base, recording.moves, recording.result, assembly)
  const story: Story = {
    ...recording,
    overlays,
    suppressors,
    assembly,
    survival,
    suppressedBy: suppressors.flatMap((all, i) =>
      all.map((one) => contributor(overlays[i]!.scope, one.plugin)).sort(byPlugin)
    ),
    inResult: byRoot(survival, recording.result),
    inAssembly: byRoot(survival, assembly)
  }
  return Object.freeze({
    scope: assembly.scope,
    chain: Object.freeze(overlays.map(({ scope }) => scope)),
    assembly,
    entries: Object.freeze([
      ...textual(story, "section"),
      ...textual(story, "context"),
      ...variables(story),
      ...providers(story),
      ...tools(story),
      ...listeners(story),
      ...story.suppressedBy.map((one): Trace.Entry => ({
        kind: "suppressor",
        name: "",
        ...one,
        ran: false,
        fate: inForce
      }))
    ]),
    steps: Object.freeze(recording.plan.listeners.map((planned, index) => toStep(story, planned, index))),
    sealed: sealed(story)
  })
}

const byRoot = (survival: Survival, assembly: Assembly): ReadonlyMap<parts.Part, parts.Part> => {
  const found = new Map<parts.Part, parts.Part>()
  for (const part of [...assembly.sections, ...assembly.contexts, ...assembly.tools, ...assembly.variables]) {
    const root = survival.rootOf(part)
    if (root !== undefined) found.set(root, part)
  }
  return found
}

const contributor = (scope: string, plugin: string | undefined): Shadowed => ({
  scope,
  ...(plugin === undefined ? undefined : { plugin })
})

const byPlugin = (a: Shadowed, b: Shadowed): number => byCodeUnits(a.plugin ?? "", b.plugin ?? "")

const inForce: Trace.Fate = { _tag: "InForce" }

const listenerAt = (story: Story, index: number | undefined): { readonly by: Listened } | undefined => {
  const planned = index === undefined ? undefined : story.plan.listeners[index]
  if (planned === undefined) return undefined
  return { by: { name: planned.entry.name, ...contributor(planned.origin.scope, planned.entry.plugin) } }
}

// -----------------------------------------------------------------------------
// entries that have a name
// -----------------------------------------------------------------------------

interface Placed<E> {
  readonly entry: E
  readonly scope: string
}

/** All entries of a kind; those of one name together, the nearest first. */
const byName = <E extends { readonly name: string }>(
  { overlays }: Story,
  entries: (overlay: Overlay<Provided>) => ReadonlyArray<E>,
  compare: (a: E, b: E) => number
): ReadonlyArray<readonly [nearest: Placed<E>, ...hidden: ReadonlyArray<Placed<E>>]> => {
  const found = new Map<string, [Placed<E>, ...Array<Placed<E>>]>()
  for (const overlay of overlays.toReversed()) {
    for (const entry of entries(overlay)) {
      const placed = { entry, scope: overlay.scope }
      const namesakes = found.get(entry.name)
      if (namesakes === undefined) found.set(entry.name, [placed])
      else namesakes.push(placed)
    }
  }
  return [...found.values()].sort(([a], [b]) => compare(a.entry, b.entry))
}

const shadowedBy = ({ entry, scope }: Placed<{ readonly plugin: string | undefined }>): Trace.Fate => ({
  _tag: "Shadowed",
  by: contributor(scope, entry.plugin)
})

const changedBy = (part: parts.Part | undefined) =>
  part?.origin.listener === undefined ? undefined : { listener: part.origin.listener }

const indices = (planned: ReadonlyArray<Planned<{ readonly name: string }>>): ReadonlyMap<string, number> =>
  new Map(planned.map(({ entry }, i) => [entry.name, i]))

const textual = (story: Story, kind: "section" | "context"): ReadonlyArray<Trace.Entry> => {
  const list = kind === "section" ? "sections" : "contexts"
  const index = indices(story.plan[list])
  const values: Template.Values = new Map(story.assembly.variables.map(({ name, value }) => [name, value]))
  const entries = (overlay: Overlay<Provided>): ReadonlyArray<Overlay<Provided>["contexts" | "sections"][number]> =>
    overlay[list]
  return byName(story, entries, byOrderThenName).flatMap(([nearest, ...hidden]) => {
    const { name } = nearest.entry
    const common = ({ entry: { order, plugin }, scope }: typeof nearest) => ({
      kind,
      name,
      ...contributor(scope, plugin),
      order
    })
    const planned = index.get(name)
    const root = planned === undefined ? undefined : story.base[list][planned]
    const winner: Trace.Entry =
      root === undefined
        ? { ...common(nearest), ran: false, fate: { _tag: "Suppressed", by: story.suppressedBy } }
        : {
            ...common(nearest),
            ran: true,
            fate: fateOfText(story, root, values),
            ...changedBy(story.inAssembly.get(root)),
            text: root.text
          }
    return [winner, ...hidden.map((one) => ({ ...common(one), ran: false, fate: shadowedBy(nearest) }))]
  })
}

type TextPart = Assembly["contexts" | "sections"][number]

const fateOfText = (story: Story, root: TextPart, values: Template.Values): Trace.Fate => {
  const displaced = "requires" in root ? displacedBy(story, root.name) : undefined
  if (displaced !== undefined) return displaced
  const part = story.inAssembly.get(root)
  if (part !== undefined && "text" in part) return isEmpty(part, values) ? { _tag: "Empty" } : inForce
  const dropped = story.inResult.get(root)
  return dropped === undefined || !("requires" in dropped)
    ? removed(story, root)
    : toolsMissing(story, dropped.requires)
}

const removed = (story: Story, root: parts.Part): Trace.Fate => ({
  _tag: "Removed",
  ...listenerAt(story, story.survival.endOf(root))
})

const displacedBy = ({ base, plan }: Story, name: string): Extract<Trace.Fate, { _tag: "Displaced" }> | undefined => {
  if (base.complete === undefined || base.complete === name) return undefined
  const complete = plan.sections.find(({ entry }) => entry.name === base.complete)
  if (complete === undefined) return undefined
  const { entry, origin } = complete
  return { _tag: "Displaced", section: entry.name, by: contributor(origin.scope, entry.plugin) }
}

const toolsMissing = (
  { result }: Story,
  requires: ReadonlyArray<string>
): Extract<Trace.Fate, { _tag: "ToolsMissing" }> => {
  const visible = new Set(result.tools.map(({ schema }) => schema.name))
  return { _tag: "ToolsMissing", tools: requires.filter((tool) => !visible.has(tool)) }
}

/** Whether a text renders, and to nothing. */
const isEmpty = ({ interpolate, text }: TextPart, values: Template.Values): boolean =>
  interpolate
    ? Template.parse(text).every((segment) => segment._tag === "Reference" && values.get(segment.name) === "")
    : text.toString() === ""

const variables = (story: Story): ReadonlyArray<Trace.Entry> => {
  const index = indices(story.plan.variables)
  const compare = (a: { readonly name: string }, b: { readonly name: string }) => byCodeUnits(a.name, b.name)
  return byName(story, (overlay) => overlay.variables, compare).flatMap(([nearest, ...hidden]) => {
    const common = ({ entry: { name, plugin }, scope }: typeof nearest) => ({
      kind: "variable" as const,
      name,
      ...contributor(scope, plugin)
    })
    const root = story.base.variables[index.get(nearest.entry.name)!]!
    return [
      { ...common(nearest), ran: true, ...fateOf(story, root) },
      ...hidden.map((one) => ({ ...common(one), ran: false, fate: shadowedBy(nearest) }))
    ]
  })
}

/** The fate of a part that only a listener can end. */
const fateOf = (story: Story, root: parts.Part) => {
  const part = story.inAssembly.get(root)
  return { fate: part === undefined ? removed(story, root) : inForce, ...changedBy(part) }
}

// -----------------------------------------------------------------------------
// tools and listeners
// -----------------------------------------------------------------------------

const providers = ({ plan, values }: Story): ReadonlyArray<Trace.Entry> =>
  plan.tools.map(({ entry, origin }, i) => {
    const { hidden = [], knownNames, schemas } = values.tools[i]!
    const told = new Set([...schemas, ...hidden].map((one) => one.name))
    return {
      kind: "tools",
      name: entry.name ?? "",
      ...contributor(origin.scope, entry.plugin),
      ran: true,
      fate: inForce,
      hidden: [...new Set(knownNames)].filter((name) => !told.has(name))
    }
  })

/** Those that a model may be shown, in order, then those that restrictions keep out; each with what it shadows. */
const tools = (story: Story): ReadonlyArray<Trace.Entry> => {
  const found = new Map<string, Array<Trace.Entry>>()
  const add = (name: string, { plugin, provider, scope, shadows }: Origin, what: Pick<Trace.Entry, "fate" | "ran">) => {
    const by = contributor(scope, plugin)
    const all: ReadonlyArray<Trace.Entry> = [
      { kind: "tool", name, ...by, ...(provider === undefined ? undefined : { provider }), ...what },
      ...shadows.map((one) => ({
        kind: "tool" as const,
        name,
        ...one,
        ran: false,
        fate: { _tag: "Shadowed" as const, by }
      }))
    ]
    const namesakes = found.get(name)
    if (namesakes === undefined) found.set(name, [...all])
    else namesakes.push(...all)
  }
  for (const root of story.base.tools) add(root.schema.name, root.origin, { ran: true, ...fateOf(story, root) })
  for (const { by, name, origin } of story.values.tools.flatMap(({ hidden = [] }) => hidden)) {
    add(name, origin, { ran: false, fate: { _tag: "Restricted", by } })
  }
  return [...found.values()].flat()
}

const listeners = (story: Story): ReadonlyArray<Trace.Entry> =>
  story.plan.listeners.map(({ entry, origin }, index) => {
    const ran = story.runs.some((run) => run.index === index)
    // What is further in runs only if all that is further out run the rest.
    const stopped = story.runs.filter((run) => run.index < index && run.handed === undefined)
    const by = Math.max(...stopped.map((run) => run.index))
    return {
      kind: "listener",
      name: entry.name,
      ...contributor(origin.scope, entry.plugin),
      order: entry.order,
      ran,
      fate: ran ? inForce : { _tag: "NotRun", ...listenerAt(story, by) }
    }
  })

const toStep = (story: Story, { entry, origin }: Plan<Provided>["listeners"][number], index: number): Trace.Step => {
  // A waterfall may run one again, after it failed: the last run counts.
  const run = story.runs.findLast((one) => one.index === index)
  const kind = entry.run._tag === "Edit" ? "edit" : "around"
  const common = { name: entry.name, ...contributor(origin.scope, entry.plugin), order: entry.order, kind } as const
  if (run === undefined) return { ...common, ran: false, next: "skipped" }
  const { back, given, handed, returned } = run
  return {
    ...common,
    ran: true,
    next: handed === undefined ? "skipped" : back === undefined ? "failed" : "ran",
    ...(handed === undefined ? undefined : { handedOn: changes(given, handed) }),
    ...(returned === undefined || kind === "edit" ? undefined : { returned: changes(back ?? given, returned) })
  }
}

// -----------------------------------------------------------------------------
// sealing
// -----------------------------------------------------------------------------

const sealed = (story: Story): Trace.Sealed => {
  const { assembly, base, result, suppressedBy } = story
  const stays = new Set<parts.Part>([...assembly.sections, ...assembly.contexts])
  const complete = assembly.sections.find((section) => section.name === base.complete)
  return {
    ...(complete === undefined || result.sections.includes(complete) ? undefined : { restored: complete.name }),
    dropped: [
      ...result.sections
        .filter((section) => !stays.has(section) && section.name !== base.complete)
        .map((one) => dropped("section", one, displacedBy(story, one.name) ?? toolsMissing(story, one.requires))),
      ...result.contexts
        .filter((context) => !stays.has(context))
        .map((one) => dropped("context", one, { _tag: "Suppressed", by: suppressedBy }))
    ]
  }
}

const dropped = (kind: Trace.Part["kind"], { name, origin }: TextPart, fate: Trace.Dropped["fate"]): Trace.Dropped => ({
  kind,
  name,
  ...contributor(origin.scope, origin.plugin),
  ...(origin.listener === undefined ? undefined : { listener: origin.listener }),
  fate
})
