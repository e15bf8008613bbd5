/**
 * Assembles with the peer, and works out what we are to do where we differ: which failure comes first, and what remains
 * of the assembly. An assembly that fails is made again with that failure mended, until all failures of providers are
 * known, in the order in which the peer meets them.
 */
import type { PromptAssembly } from "@deepseek-ai/dsh-system-prompt"
import type { Failure } from "../../src/testing/Program.ts"
import { depthOf } from "./boot.ts"
import type { Name } from "./deviations.ts"
import { blame, failureOf, Thrown } from "./failures.ts"
import { type Entry, Look, type Repairs, type Scope } from "./look.ts"
import { by } from "./order.ts"
import { emit, isReserved } from "./tools.ts"
import type { Literals } from "./texts.ts"

/** What comes of it: an assembly, or the failure that is ours. */
export interface Outcome {
  readonly look: Look
  readonly result: PromptAssembly | Failure
}

export interface Request {
  readonly scope: Scope
  readonly toolOrder: ReadonlyArray<string> | undefined
  readonly literals: Literals
  readonly note: (name: Name) => void
}

export const isFailure = (self: PromptAssembly | Failure): self is Failure => "tag" in self

const phases = ["variable", "tools", "section", "context"]

/**
 * The order in which providers are evaluated here: design §3, "Fine print". What it leaves open, for providers of one name
 * and plugin, is the order of registration on both sides.
 */
const byEvaluation = ({ calls }: Look) =>
  by<Thrown>(
    ({ entry }) => phases.indexOf(entry.kind),
    ({ entry: { item } }) => (item._tag === "Section" || item._tag === "Context" ? item.options.order : 0),
    ({ entry: { item, host } }) => (item._tag === "Tools" ? depthOf(host.peer) : 0),
    ({ entry }) => entry.name,
    ({ entry }) => entry.plugin ?? "",
    ({ entry }) => calls.indexOf(entry)
  )

const once = async ({ scope, toolOrder, literals }: Request, repairs: Repairs) => {
  const look = new Look(literals, toolOrder, repairs)
  const { ctx, key } = scope.peer
  try {
    const result = await ctx.systemPrompt.assemble({ look, ...(key === undefined ? undefined : { scope: key }) })
    return { look, result }
  } catch (error) {
    return { look, error }
  }
}

type Attempt = Awaited<ReturnType<typeof once>>

const ownFailure = ({ error }: Attempt): Failure | undefined => (error === undefined ? undefined : failureOf(error))

/** The provider that a failure is about. */
const culprit = ({ error, look }: Attempt): Thrown | undefined => {
  if (error instanceof Thrown) return error.entry.kind === "listener" ? undefined : error
  if (error === undefined || failureOf(error).tag !== "ReservedToolName") return undefined
  const giver = look.given.find(isReserved)
  return giver === undefined ? undefined : new Thrown("ReservedToolName", giver.entry)
}

/** The failures of providers as the peer meets them, and what comes if they do not fail. */
const exhaust = async (request: Request) => {
  const thrown: Array<Thrown> = []
  const muted = new Set<Entry>()
  for (;;) {
    const attempt = await once(request, { muted, visibleIsKnown: false })
    const one = culprit(attempt)
    if (one === undefined) {
      const failure = ownFailure(attempt)
      if (failure?.tag !== "UnknownTool") return { thrown, attempt }
      // Tools that are shown are known here.
      const informed = await once(request, { muted, visibleIsKnown: true })
      if (thrown.length === 0 && ownFailure(informed)?.entry !== failure.entry) request.note("known names")
      return { thrown, attempt: informed }
    }
    thrown.push(one)
    muted.add(one.entry)
  }
}

/** The failure that comes first here. */
const firstOf = (thrown: ReadonlyArray<Thrown>, look: Look, note: Request["note"]): Thrown | undefined => {
  const isHidden = ({ entry }: Thrown) => entry.kind === "variable" && look.winner(entry.kind, entry.name) !== entry
  const visible = thrown.filter((one) => !isHidden(one))
  if (thrown[0] !== undefined && isHidden(thrown[0])) note("hidden variables")
  const first = visible.toSorted(byEvaluation(look))[0]
  if (first?.tag === "ReservedToolName" && first !== visible[0]) note("reserved names")
  else if (first !== visible[0]) note(first?.entry.kind === "context" ? "context ties" : "first failure")
  return first
}

/** What the waterfall leaves. */
const seal = (assembly: PromptAssembly, look: Look): PromptAssembly => {
  const has = (name: string) => assembly.tools.some((tool) => tool.name === name)
  const sections = assembly.sections.filter((one) => look.factsOf("section", one).requires.every(has))
  if (sections.length < assembly.sections.length) look.notes.add("required tools")
  if (assembly.tools.some((tool) => JSON.stringify(tool) !== emit(tool))) look.notes.add("extra fields")
  if (assembly.contexts.some((one) => !look.factsOf("context", one).interpolate)) look.notes.add("contexts as data")
  return { ...assembly, sections }
}

export const assemble = async (request: Request): Promise<Outcome> => {
  const { note } = request
  const { thrown, attempt } = await exhaust(request)
  const { look } = attempt
  const failure = ownFailure(attempt)
  const failed = (failure: Failure): Outcome => ({ look, result: failure })

  if (failure?.tag === "MultipleCompleteSections") {
    if (thrown.length > 0) note("two complete sections")
    return failed(failure)
  }
  const first = firstOf(thrown, look, note)
  if (first !== undefined) {
    if (first.tag === "ProviderFailure") note("failing providers")
    return failed(failureOf(first))
  }
  for (const name of look.notes) note(name)
  if (look.malformed !== undefined) {
    note("results of listeners")
    return failed(blame("InvalidAssembly", look.malformed))
  }
  if (failure?.tag === "ListenerFailure") note("failing listeners")
  if (failure !== undefined || attempt.result === undefined) return failed(failure ?? { tag: "no result" })
  const result = seal(attempt.result, look)
  for (const name of look.notes) note(name)
  return { look, result }
}
