/**
 * What the reference model of the registry of tools shows a scope, and what it answers to a call: from the list of all
 * that is registered.
 *
 * For how its sources are cited see `Model.ts`; `issue` is the one that asked for the registry.
 */
import type { Json } from "effect/Schema"
import type { Contribution, Failure, Hidden, Keeper, Observation, Shown, Step, Tool } from "../ToolRegistryProgram.ts"
import { by, restMarker } from "./modelAssembly.ts"
import { chainOf, type List, present, refuse, type Scope } from "./modelScopes.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

type Of<Tag extends Contribution["_tag"]> = Extract<Contribution, { readonly _tag: Tag }>

/** What is registered in a scope. It ends with its registration or with the scope, whichever ends first. */
export interface Entry<A extends Contribution = Contribution> {
  readonly item: A
  readonly scope: Scope
  readonly registration: number
}

const kinds = { Tool: "tool", Restriction: "restriction", Guard: "guard", Listener: "listener", Tools: "tools" }

/** design §3 "Errors": each names the owner. doc of `Owner`: restrictions have no name. */
export const owner = ({ item, scope }: Pick<Entry, "item" | "scope">) => ({
  kind: kinds[item._tag],
  entry: "name" in item.options ? item.options.name : "",
  scope: scope.label,
  plugin: item.options.plugin
})

const authorOf = ({ item, scope }: Entry) => present({ scope: scope.label, plugin: item.options.plugin })

/** doc of `ToolRegistryProgram.Tool`: descriptions tell registrations. */
const description = ({ registration }: Entry): string => `registration ${registration}`

const all = <Tag extends Contribution["_tag"]>(entries: List<Entry>, tag: Tag): List<Entry<Of<Tag>>> =>
  entries.filter((one): one is Entry<Of<Tag>> => one.item._tag === tag)

/** spec §2: what is registered on the chain of a scope, farthest first. */
const seenBy = (entries: List<Entry>, scope: Scope): List<Entry> =>
  chainOf(scope).flatMap((host) => entries.filter((one) => one.scope === host))

// -----------------------------------------------------------------------------
// visibility
// -----------------------------------------------------------------------------

/** spec §19 "View": inherited is what global and ancestors have, before any restriction. Sorted for errors that list it. */
export const inheritedBy = (entries: List<Entry>, scope: Scope): List<string> =>
  namesOf(all(seenBy(entries, scope), "Tool").filter((one) => one.scope !== scope))

const namesOf = (tools: List<Entry<Of<"Tool">>>): List<string> =>
  [...new Set(tools.map((one) => one.item.options.name))].toSorted()

/** spec §19 "View", issue: by which list a restriction keeps a tool out. Denied is denied, allowed or not. */
const keepsOut = (name: string, restriction: Entry<Of<"Restriction">>): List<Keeper> => {
  const { allow, deny, plugin } = restriction.item.options
  const list = deny?.includes(name) ? "deny" : allow && !allow.includes(name) ? "allow" : undefined
  return list === undefined ? [] : [present({ list, scope: restriction.scope.label, plugin })]
}

/** All restrictions on the chain that keep a tool out: farthest first; row 7: in one scope by plugin, then list, whoever came first. */
const keepers = (entries: List<Entry>, scope: Scope, name: string): List<Keeper> =>
  chainOf(scope).flatMap((host) =>
    all(entries, "Restriction")
      .filter((one) => one.scope === host)
      .flatMap((one) => keepsOut(name, one))
      .toSorted(by([({ plugin = "" }) => plugin, ({ list }) => list]))
  )

/** spec §19 "View": the nearest of each name; its own ones whatever is restricted, the others if every restriction of every scope on the chain admits them. */
export const viewOf = (entries: List<Entry>, scope: Scope) => {
  const seen = seenBy(entries, scope)
  const tools = all(seen, "Tool")
  const known = namesOf(tools).map((name) => {
    const [nearest, ...shadowed] = tools.filter((one) => one.item.options.name === name).toReversed()
    if (nearest === undefined) throw new Error("each name is that of a tool")
    const isOwn = nearest.scope === scope
    const by = isOwn ? [] : keepers(entries, scope, name)
    // doc of `Origin`: what it shadows comes nearest first.
    const origin = { ...authorOf(nearest), shadows: shadowed.map(authorOf) }
    return { entry: nearest, shown: { name, description: description(nearest), origin }, by }
  })
  return { known, tools: known.filter((one) => one.by.length === 0), hidden: known.filter((one) => one.by.length > 0) }
}

export const viewed = (entries: List<Entry>, scope: Scope): Observation => {
  const { hidden, tools } = viewOf(entries, scope)
  return {
    _tag: "Viewed",
    tools: tools.map((one) => one.shown),
    hidden: hidden.map(({ by, shown }): Hidden => ({ name: shown.name, origin: shown.origin, by }))
  }
}

// -----------------------------------------------------------------------------
// assemblies
// -----------------------------------------------------------------------------

/** A tool of an assembly, and what it comes from: a tool of the registry, or a bare provider. */
interface Part {
  readonly shown: Shown
  readonly from: Entry<Of<"Tool"> | Of<"Tools">>
}

/** What was shown, and to whom. */
export interface Assembly {
  readonly scope: Scope
  readonly tools: List<Part>
}

/** spec §9, row 7: as `toolOrder` says, else by name; of one name by place in the chain, name of the provider, text. */
const inOrder = (toolOrder: List<string>) =>
  by<Part & { readonly place: number; readonly provider: string }>([
    ({ shown }) => toolOrder.indexOf(toolOrder.includes(shown.name) ? shown.name : restMarker),
    ({ shown }) => shown.name,
    (one) => one.place,
    (one) => one.provider,
    ({ shown }) => JSON.stringify(shown.description)
  ])

/** spec §10: each listener of the chain edits what the others left, row 6: lower order first, then by name, then the ancestor's. */
const listen = (tools: List<Part>, listener: Entry<Of<"Listener">>): List<Part> => {
  const { edit, name, tool } = listener.item.options
  if (edit === "removes") return tools.filter(({ shown }) => shown.name !== tool)
  return tools.map((part) => {
    if (part.shown.name !== tool) return part
    // doc of `Origin`: the listener that last changed it. It is still the same tool (issue).
    const origin = { ...part.shown.origin, listener: { name, ...authorOf(listener) } }
    return { ...part, shown: { name: tool, description: description(listener), origin } }
  })
}

/** spec §19: one global provider gives the view of the assembling scope; bare providers only append (issue). */
export const assemble = (entries: List<Entry>, scope: Scope, toolOrder: List<string>): Assembly => {
  const seen = seenBy(entries, scope)
  const { known, tools } = viewOf(entries, scope)
  const own = tools.map(({ entry, shown }) => ({ shown, from: entry, place: 1, provider: "tool-registry" }))
  const bare = all(seen, "Tools").map((from) => {
    const { name, tool } = from.item.options
    const origin = { ...authorOf(from), provider: name, shadows: [] }
    return {
      shown: { name: tool, description: description(from), origin },
      from,
      place: chainOf(from.scope).length,
      provider: name
    }
  })
  // spec §9 "toolOrder config": known is what is there, hidden or not.
  const names = [...known.map((one) => one.shown.name), ...bare.map((one) => one.shown.name)]
  const unknown = toolOrder.filter((name) => name !== restMarker && !names.includes(name))
  if (unknown.length > 0) {
    const fields = { kind: "toolOrder", entry: unknown[0], scope: "global" }
    refuse("UnknownTool", { ...fields, names: unknown, known: [...new Set(names)].toSorted() })
  }
  const composed = [...own, ...bare].toSorted(inOrder(toolOrder)).map(({ from, shown }): Part => ({ from, shown }))
  const listeners = all(seen, "Listener").toSorted(
    by([({ item }) => item.options.order ?? 0, ({ item }) => item.options.name])
  )
  return { scope, tools: listeners.reduce(listen, composed) }
}

export const assembled = ({ tools }: Assembly): Observation => ({
  _tag: "Assembled",
  tools: tools.map((one) => one.shown)
})

// -----------------------------------------------------------------------------
// calls
// -----------------------------------------------------------------------------

const isRecord = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** doc of `ToolRegistryProgram.Tool`: where arguments do not fit; by JSON Schema, and by the Effect Schema, which drops what it does not know. */
const misfits = (parameters: Tool["parameters"], args: Json): List<string> => {
  if (!isRecord(args)) return ["$"]
  if (parameters === "count") {
    const { count } = args
    return typeof count === "string" && /^[0-9]+$/.test(count) ? [] : ["$.count"]
  }
  const more = Object.keys(args).filter((key) => key !== "path")
  return [...(typeof args["path"] === "string" ? [] : ["path"]), ...more].map((key) => `$.${key}`).toSorted()
}

const decoded = (parameters: Tool["parameters"], args: Json): Json =>
  parameters === "count" && isRecord(args) ? { count: Number(args["count"]) } : args

type Called = Extract<Observation, { readonly _tag: "Answered" | "Refused" }>

/** issue: global first, then down the chain; in a scope by name (doc of `Guard`). The first reason refuses, and nothing forces. */
const guarded = (entries: List<Entry>, { scope, tool }: { readonly scope: Scope; readonly tool: string }) => {
  const guards = chainOf(scope).flatMap((host) =>
    all(entries, "Guard")
      .filter((one) => one.scope === host)
      .toSorted(by([({ item }) => item.options.name]))
  )
  const ran: Array<number> = []
  for (const guard of guards) {
    const { check, tool: only = tool } = guard.item.options
    ran.push(guard.registration)
    if (check === "passes" || only !== tool) continue
    const named = { ...owner(guard), names: [tool] }
    const failure: Failure =
      check === "refuses"
        ? { tag: "ToolRefused", ...named, reason: description(guard) }
        : { tag: "GuardFailure", ...named, reason: { fails: "failed", dies: "died", forces: "else" }[check] }
    return { ran, failure: present(failure) }
  }
  return { ran, failure: undefined }
}

/** doc of `ToolRegistryProgram.run`: what the handler gives. Plain JSON goes to the model, nothing as `null` (issue). */
const handled = (
  from: Entry<Of<"Tool">>,
  scope: Scope,
  args: Json
): { readonly answer: Json } | { readonly reason: string } => {
  const { handler, parameters } = from.item.options
  switch (handler) {
    case "answers": {
      const { registration } = from
      const given = decoded(parameters, args)
      return { answer: { registration, arguments: given, scope: scope.label, current: scope.label } }
    }
    case "gives nothing":
      return { answer: null }
    case "fails":
      return { reason: "failed" }
    case "dies":
      return { reason: "died" }
    default:
      return { reason: "else" }
  }
}

/** issue: judged by what the model was shown, and by nothing else. What was shown and has ended, or cannot run, is another failure. */
export const call = (
  entries: List<Entry>,
  { scope, tools }: Assembly,
  step: Extract<Step, { _tag: "Call" }>
): Called => {
  const refused = (failure: Failure, ran: List<number> = []): Called => ({
    _tag: "Refused",
    ran,
    failure: present(failure)
  })
  const named = tools.filter(({ shown }) => shown.name === step.tool)
  const [first] = named
  if (first === undefined) {
    const known = [...new Set(tools.map(({ shown }) => shown.name))].toSorted()
    return refused({ tag: "ToolNotFound", names: [step.tool], known })
  }
  // Of several of one name, the registered one runs.
  const { from, shown } = named.find((one) => one.from.item._tag === "Tool") ?? first
  const about = { kind: "tool", entry: step.tool, scope: shown.origin.scope, plugin: shown.origin.plugin }
  // Of a closed scope nothing can be called: its guards have ended (issue: fail closed).
  const isLive = entries.some((one) => one === from) && scope.closed !== true
  if (from.item._tag === "Tools" || !isLive || from.item.options.handler === undefined) {
    return refused({ tag: "ToolWithoutHandler", ...about })
  }
  const tool = { ...from, item: from.item }
  const names = misfits(tool.item.options.parameters, step.arguments)
  if (names.length > 0) return refused({ tag: "InvalidToolArguments", ...about, names })
  const { failure, ran } = guarded(entries, { scope, tool: step.tool })
  if (failure !== undefined) return refused(failure, ran)
  const result = handled(tool, scope, step.arguments)
  const all = [...ran, from.registration]
  return "answer" in result
    ? { _tag: "Answered", ran: all, ...result }
    : refused({ tag: "ToolFailure", ...about, ...result }, all)
}
