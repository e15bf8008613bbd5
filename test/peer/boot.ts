/**
 * The peer: the system prompt service of DeepSeek Harness, 0.1.0-rc.8, in a container of its own.
 *
 * Its built-ins are brought to the newer rules here: no identity, and the persona as two sections, empty, whose names are
 * taken. The one section that rc.8 has for it stays, empty, and is left out of what is seen (see `prepare.ts`).
 */
import { Context } from "@deepseek-ai/cordis"
import { bindScopeParent, createScope, type ScopeKey, scopeChainOf } from "@deepseek-ai/dsh-scope"
import { PERSONA_SECTION, SystemPrompt } from "@deepseek-ai/dsh-system-prompt"

export interface Peer {
  /** What may use the service, in the global scope. */
  readonly ctx: Context
  readonly dispose: () => Promise<void>
}

/** A scope of the peer. The global one has no key. */
export interface PeerScope {
  readonly ctx: Context
  readonly key: ScopeKey | undefined
  readonly rebind: (parent: PeerScope) => void
  readonly dispose: () => Promise<void>
}

/** The section of the persona of rc.8. */
export const oldPersona = PERSONA_SECTION

export const persona = {
  prefix: { name: "deployment:persona-prefix", order: 0 },
  suffix: { name: "deployment:persona-suffix", order: 10200 }
} as const

/** Rejects if the tool order is refused. */
export const boot = async (toolOrder?: ReadonlyArray<string>): Promise<Peer> => {
  const base = new Context()
  await base.plugin(SystemPrompt, {
    includeHarnessIdentity: false,
    ...(toolOrder === undefined ? undefined : { toolOrder: [...toolOrder] })
  })
  const ctx = await new Promise<Context>((resolve) => {
    base.plugin({ name: "host", inject: ["systemPrompt"], apply: resolve })
  })
  for (const part of [persona.prefix, persona.suffix]) ctx.systemPrompt.section({ ...part, text: "" })
  return { ctx, dispose: async () => base.fiber.dispose() }
}

/** Stands for the global scope as a parent: the peer can move a scope to another one, but not back to none. */
const trunk: ScopeKey = { scope: "trunk" }

/** How many scopes stand above. The global scope is the only one with none. */
export const depthOf = ({ key }: PeerScope): number => scopeChainOf(key).length

export const globalScope = ({ ctx }: Peer): PeerScope => ({
  ctx,
  key: undefined,
  rebind: () => {},
  dispose: async () => {}
})

export const openScope = (peer: Peer, parent: PeerScope): PeerScope => {
  const key: ScopeKey = {}
  const binding = bindScopeParent(key, parent.key ?? trunk)
  const { ctx, dispose } = createScope(peer.ctx, key)
  return { ctx, key, rebind: (next) => binding.rebind(next.key ?? trunk), dispose }
}
