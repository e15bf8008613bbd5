/** Listeners of the peer that make the edits of ours, on its mutable assembly. */
import type { AssembledContext, PromptAssembly } from "@deepseek-ai/dsh-system-prompt"
import type * as PromptContext from "../../src/PromptContext.ts"
import type * as Section from "../../src/Section.ts"
import type * as Edit from "../../src/testing/Edit.ts"
import { Thrown } from "./failures.ts"
import { type Entry, type Item, type Look, lookOf } from "./look.ts"
import { byPlace } from "./prepare.ts"
import { byToolOrder, isReserved, isTool } from "./tools.ts"
import { insert } from "./order.ts"

type Listener = Extract<Item, { readonly _tag: "Listener" }>

const draft = (
  look: Look,
  { name, order, text, interpolate = true, requires = [] }: PromptContext.Options & Pick<Section.Options, "requires">,
  owner?: Entry
): AssembledContext => {
  const part = { name, text: look.literals.encode(text, interpolate) }
  look.facts.set(part, { order, interpolate, requires, owner })
  return part
}

const edit = (assembly: PromptAssembly, step: Edit.Step, look: Look, entry: Entry): void => {
  switch (step._tag) {
    case "AddSection":
      return insert(assembly.sections, draft(look, step.section), byPlace(look, "section"))
    case "ReplaceSection":
      assembly.sections = assembly.sections.map((one) =>
        one.name === step.section.name ? draft(look, step.section, look.factsOf("section", one).owner) : one
      )
      return
    case "RemoveSection":
      assembly.sections = assembly.sections.filter((one) => one.name !== step.name)
      return
    case "ReverseSections":
      assembly.sections.reverse()
      return
    case "AddContext":
      return insert(assembly.contexts, draft(look, step.context), byPlace(look, "context"))
    case "RemoveContext":
      assembly.contexts = assembly.contexts.filter((one) => one.name !== step.name)
      return
    case "AddTool":
      // A copy, since it may be edited; the peer's type knows no parameters of classes.
      return insert(assembly.tools, { ...step.tool } as PromptAssembly["tools"][number], byToolOrder(look))
    case "DescribeTool":
      for (const tool of assembly.tools) if (tool.name === step.name) tool.description = step.description
      return
    case "RemoveTool":
      assembly.tools = assembly.tools.filter((one) => one.name !== step.name)
      return
    case "SetVariable":
      assembly.variables[step.name] = step.value
      return
    case "RemoveVariable":
      delete assembly.variables[step.name]
      return
    case "Annotate":
      return
    case "Throw":
      throw new Thrown("ListenerFailure", entry)
    case "Promise":
      // Listeners of the peer return promises by rights. Ours are edits, whose result would be no assembly.
      look.malformed ??= entry
      return
  }
}

const isDuplicate = (
  { name }: { readonly name: string },
  index: number,
  all: ReadonlyArray<{ readonly name: string }>
) => all.findIndex((one) => one.name === name) !== index

const isMalformed = ({ sections, contexts, tools }: PromptAssembly): boolean =>
  sections.some(isDuplicate) || contexts.some(isDuplicate) || tools.some((tool) => !isTool(tool) || isReserved(tool))

/** Registers it as the last one. */
export const listen = (entry: Entry, { options }: Listener): (() => void) =>
  entry.scope.peer.ctx.on(
    "system-prompt/assemble",
    (assembly, context, next) => {
      const look = lookOf(context)
      for (const step of options.steps) edit(assembly, step, look, entry)
      if (isMalformed(assembly)) look.malformed ??= entry
      return next()
    },
    { global: options.global === true }
  )
