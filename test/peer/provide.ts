/** Registers contributions with the peer. */
import type { ToolProviderResult } from "@deepseek-ai/dsh-system-prompt"
import { Template } from "../../src/index.ts"
import type { Contribution } from "../../src/testing/Program.ts"
import { persona } from "./boot.ts"
import type { Name } from "./deviations.ts"
import { listen } from "./listen.ts"
import { type Entry, type Item, type Look, lookOf } from "./look.ts"
import { isTool } from "./tools.ts"

type Of<Tag extends Item["_tag"]> = Extract<Item, { readonly _tag: Tag }>

/** rc.8 has one section for a persona, the newer rules two, and a suppressor. */
export const itemsOf = (contribution: Contribution): ReadonlyArray<Item> => {
  if (contribution._tag !== "Persona") return [contribution]
  const { prefix, suffix = "", complete, includeRuntimeContext, plugin } = contribution.options
  return [
    { _tag: "Section", options: { ...persona.prefix, text: prefix, complete, plugin } },
    { _tag: "Section", options: { ...persona.suffix, text: suffix, plugin } },
    ...(includeRuntimeContext === false ? [{ _tag: "Suppressor" } as const] : [])
  ]
}

/** What we refuse to register, and the peer does not, and the deviation that says so. */
export const flawOf = (item: Item): Name | undefined => {
  if (item._tag === "Suppressor" || item._tag === "Variable") return undefined
  if (item.options.name === "") {
    return item._tag === "Section" || item._tag === "Context" ? "empty names" : "names of listeners"
  }
  if (item._tag === "Tools" || item._tag === "Listener") return undefined
  if (item.options.interpolate === false && Template.isTemplate(item.options.text)) return "templates as data"
  const isTorn = item._tag === "Section" && item.options.complete === true && !!item.options.requires?.length
  return isTorn ? "required tools of a complete section" : undefined
}

/**
 * A provider of the wrong type. The peer would not notice; what it does notice is that a provider throws. So a provider
 * that is wrong throws there.
 */
const wrong = "ProviderFailure"

const textOf = ({ text, interpolate }: Of<"Section" | "Context">["options"], entry: Entry, look: Look): string => {
  const isText = typeof text === "string" || Template.isTemplate(text)
  return look.give(entry, isText ? undefined : wrong, () => look.literals.encode(text, interpolate), "")
}

const toolsOf = ({ tools }: Of<"Tools">["options"], entry: Entry, look: Look): ToolProviderResult => {
  if (typeof tools !== "object") return look.give(entry, wrong, () => ({ schemas: [] }), { schemas: [] })
  const { schemas, knownNames } = "schemas" in tools ? tools : { schemas: tools }
  const give = (): ToolProviderResult => {
    const names = schemas.map(({ name }) => name)
    for (const { name, deferLoading } of schemas) look.given.push({ entry, name, deferLoading: deferLoading === true })
    return {
      schemas: schemas.map((tool) => ({ ...tool, parameters: { ...tool.parameters } })),
      ...(knownNames === undefined
        ? undefined
        : { knownNames: look.visibleIsKnown ? [...knownNames, ...names] : knownNames })
    }
  }
  return look.give(entry, schemas.every(isTool) ? undefined : "InvalidToolSchema", give, { schemas: [] })
}

const valueOf = ({ value }: Of<"Variable">["options"], entry: Entry, look: Look): string | undefined => {
  const fits = value === undefined || typeof value === "string"
  return look.give(entry, fits ? undefined : wrong, () => value, undefined)
}

/** Registers an entry in its scope, and gives what ends it. */
export const register = (entry: Entry): (() => void) => {
  const { item } = entry
  const prompt = entry.scope.peer.ctx.systemPrompt
  switch (item._tag) {
    case "Section": {
      const { name, order, complete } = item.options
      return prompt.section({
        name,
        order,
        text: (context) => textOf(item.options, entry, lookOf(context)),
        ...(complete === undefined ? undefined : { complete })
      })
    }
    case "Context": {
      const { name, order } = item.options
      return prompt.context({ name, order, text: (context) => textOf(item.options, entry, lookOf(context)) })
    }
    case "Variable":
      return prompt.variable(item.options.name, (context) => valueOf(item.options, entry, lookOf(context)))
    case "Tools":
      return prompt.tools((context) => toolsOf(item.options, entry, lookOf(context)))
    case "Listener":
      return listen(entry, item)
    case "Suppressor":
      return prompt.suppressRuntimeContext()
  }
}
