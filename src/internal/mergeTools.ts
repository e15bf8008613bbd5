/** The tools and restrictions of a chain of scopes, merged overlay by overlay, so that scopes share what is above them. */
import type { AssembledTool } from "../Assembly.ts"
import * as Origin from "../Origin.ts"
import type { RegisteredTool } from "../RegisteredTool.ts"
import * as Restriction from "../Restriction.ts"
import type { Overlay, Refusal, ToolView } from "../ToolView.ts"
import { byCodeUnits } from "./codeUnits.ts"
import { link } from "./toolLink.ts"

/** What a chain has registered, before restriction. */
export interface Merged {
  readonly tools: ReadonlyMap<string, Entry>
  readonly restrictions: ReadonlyArray<Placed>
}

interface Entry {
  readonly tool: RegisteredTool
  readonly shown: AssembledTool
}

/** The restrictions of one scope. */
interface Placed {
  readonly scope: string
  readonly restrictions: ReadonlyArray<Restriction.Restriction>
}

/** Of a chain without scopes. */
export const nothing: Merged = { tools: new Map(), restrictions: [] }

/** What a chain has registered, with one more scope at its end. */
export const merge = (above: Merged, { restrictions, scope, tools }: Overlay): Merged => ({
  tools: tools.length === 0 ? above.tools : shadow(above.tools, tools, scope),
  restrictions: restrictions.length === 0 ? above.restrictions : [...above.restrictions, { scope, restrictions }]
})

const shadow = (
  above: ReadonlyMap<string, Entry>,
  tools: ReadonlyArray<RegisteredTool>,
  scope: string
): ReadonlyMap<string, Entry> => {
  const merged = new Map(above)
  for (const tool of tools) {
    const hides = above.get(tool.name)?.shown.origin
    const origin = Origin.make({
      scope,
      plugin: tool.plugin,
      shadows: hides === undefined ? [] : [Object.freeze({ scope: hides.scope, ...pluginOf(hides) }), ...hides.shadows]
    })
    merged.set(tool.name, { tool, shown: shownAs(tool, origin) })
  }
  return merged
}

/** What each tool was shown as last. */
const lastShown = new WeakMap<RegisteredTool, AssembledTool>()

/** The same part as long as it says the same, whatever comes and goes beside it: what others have made of it holds. */
const shownAs = (tool: RegisteredTool, origin: Origin.Origin): AssembledTool => {
  const last = lastShown.get(tool)
  if (last !== undefined && Origin.equals(last.origin, origin)) return last
  const shown = link(Object.freeze({ schema: tool.schema, origin }), tool)
  lastShown.set(tool, shown)
  return shown
}

const pluginOf = ({ plugin }: { readonly plugin?: string | undefined }) =>
  plugin === undefined ? undefined : { plugin }

/** The view of a scope at the end of the chain. `own` is what it registers itself. */
export const view = ({ restrictions, tools }: Merged, own: ReadonlyArray<RegisteredTool>): ToolView => {
  const shown: Array<AssembledTool> = []
  const hidden: Array<ToolView["hidden"][number]> = []
  const unrestricted = new Set(own)
  for (const name of [...tools.keys()].sort(byCodeUnits)) {
    const entry = tools.get(name)!
    const by = unrestricted.has(entry.tool) ? [] : refusals(restrictions, name)
    if (by.length === 0) shown.push(entry.shown)
    else hidden.push(Object.freeze({ name, origin: entry.shown.origin, by: Object.freeze(by) }))
  }
  return Object.freeze({ tools: Object.freeze(shown), hidden: Object.freeze(hidden) })
}

const refusals = (restrictions: ReadonlyArray<Placed>, tool: string): Array<Refusal> =>
  restrictions.flatMap(({ restrictions, scope }) =>
    restrictions
      .flatMap((restriction): ReadonlyArray<Refusal> => {
        const list = Restriction.refusal(restriction, tool)
        return list === undefined ? [] : [Object.freeze({ list, scope, ...pluginOf(restriction) })]
      })
      // All of them hold, so that the order in which they were made must not show.
      .sort((a, b) => byCodeUnits(a.plugin ?? "", b.plugin ?? "") || byCodeUnits(a.list, b.list))
  )
