/** The peer: the system prompt of DeepSeek Harness, registered with a workload. */
import { Context } from "@deepseek-ai/cordis"
import { createScope, type ScopeKey } from "@deepseek-ai/dsh-scope"
import { renderContextSnapshot, renderPrompt, SystemPrompt } from "@deepseek-ai/dsh-system-prompt"
import { flat } from "../harness.ts"
import { provider, step, type Contributions, type Workload } from "../workloads.ts"

export interface Peer {
  /** A context that may use the service, in the global scope. */
  readonly root: Context
  /** The innermost scope of the workload's chain; none for a chain of one. */
  readonly scope: ScopeKey | undefined
  /** The value of the variable that changes. */
  readonly cell: { step: string }
}

export const register = (ctx: Context, contributions: Contributions, cell: Peer["cell"]): void => {
  const prompt = ctx.systemPrompt
  for (const section of contributions.sections) prompt.section({ ...section, text: provider(section) })
  for (const context of contributions.contexts) prompt.context({ ...context, text: provider(context) })
  for (const { name, value } of contributions.variables) {
    prompt.variable(name, name === step ? () => cell.step : () => value)
  }
  for (const tools of contributions.tools) {
    // The peer's type wants schemas that it may change; it changes none.
    const schemas = tools.map((tool) => ({ ...tool }))
    prompt.tools(() => ({ schemas }))
  }
  for (let i = 0; i < contributions.listeners; i++) {
    ctx.on("system-prompt/assemble", (_assembly, _context, next) => next())
  }
}

const host = (base: Context): Promise<Context> =>
  new Promise((resolve) => {
    base.plugin({ name: "host", inject: ["systemPrompt"], apply: resolve })
  })

export const boot = async (workload: Workload): Promise<Peer> => {
  const base = new Context()
  await base.plugin(SystemPrompt, {
    includeHarnessIdentity: false,
    ...(workload.toolOrder === undefined ? undefined : { toolOrder: [...workload.toolOrder] })
  })
  const root = await host(base)
  const cell = { step: "0" }
  let scope: ScopeKey | undefined
  workload.chain.forEach((contributions, i) => {
    if (i === 0) return register(root, contributions, cell)
    const key: ScopeKey = { scope: i }
    register(createScope(root, key, scope === undefined ? {} : { parent: scope }).ctx, contributions, cell)
    scope = key
  })
  return { root, scope, cell }
}

export const assemble = (self: Peer, scope: ScopeKey | undefined = self.scope) =>
  self.root.systemPrompt.assemble(scope === undefined ? {} : { scope })

/** One step, as a model call wants it: the assembly, the prompt and the snapshot. */
export const stepOnce = async (self: Peer, scope: ScopeKey | undefined = self.scope): Promise<void> => {
  const assembly = await assemble(self, scope)
  flat(renderPrompt(assembly))
  flat(renderContextSnapshot(assembly))
}

export interface Output {
  readonly prompt: string
  readonly snapshot: string
  readonly tools: unknown
  readonly variables: unknown
}

/** Each has a heading of its own over its contexts. */
export const withoutHeading = (snapshot: string): string => snapshot.slice(snapshot.indexOf("\n\n") + 2)

export const output = async (self: Peer, scope: ScopeKey | undefined = self.scope): Promise<Output> => {
  const assembly = await assemble(self, scope)
  return {
    prompt: renderPrompt(assembly),
    snapshot: withoutHeading(renderContextSnapshot(assembly)),
    tools: assembly.tools,
    variables: Object.entries(assembly.variables).sort(([a], [b]) => (a < b ? -1 : 1))
  }
}
