/** What an assembly came to, and where two of them part, in words. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { Annotations } from "../../AssembleContext.ts"
import type { AssembledSection } from "../../Assembly.ts"
import * as Difference from "../../Difference.ts"
import { lineAround, visible } from "../../internal/excerpt.ts"
import { describeOwner, type Kind, ownerFields } from "../../Owner.ts"
import * as PromptScope from "../../PromptScope.ts"
import type { Source } from "../../Rendered.ts"
import type { SystemPrompt } from "../../SystemPrompt.ts"
import { showCause } from "./show.ts"

/** An assembly and its texts, or why there are none. */
export type Outcome =
  | { readonly _tag: "Made"; readonly side: Difference.Side }
  | { readonly _tag: "Refused"; readonly why: string }

/** Assembles and renders for a scope. */
export const outcomeOf = (
  prompt: SystemPrompt["Service"],
  scope: PromptScope.PromptScope,
  annotations: Context.Context<never> = Context.empty()
): Effect.Effect<Outcome> =>
  Effect.flatMap(prompt.assemble, (assembly) =>
    Effect.map(prompt.renderAssembly(assembly), (rendered) => ({ assembly, rendered }))
  ).pipe(
    PromptScope.provide(scope),
    Effect.provideService(Annotations, annotations),
    Effect.exit,
    Effect.map((exit): Outcome =>
      Exit.isSuccess(exit) ? { _tag: "Made", side: exit.value } : { _tag: "Refused", why: showCause(exit.cause) }
    )
  )

/** Where two outcomes part in what a model sees; nothing if they do not. Contexts count only on request. */
export const parting = (
  before: Outcome,
  after: Outcome,
  options?: { readonly contexts?: boolean }
): string | undefined => {
  if (before._tag === "Refused" || after._tag === "Refused") {
    const [was, is] = [before, after].map((one) => (one._tag === "Refused" ? one.why : "it assembled and rendered"))
    return was === is ? undefined : `first ${was}; then ${is}`
  }
  const { prompt, snapshot, tools } = Difference.make(before.side, after.side)
  const texts = (pick: (side: Difference.Side) => string) => ({ was: pick(before.side), is: pick(after.side) })
  if (tools !== undefined) {
    const place = tools.after ?? tools.before
    const tool = place === undefined ? "at its end" : `${toolAt(place)}`
    return sentence(
      "tools",
      tool,
      tools,
      texts(({ assembly }) => Difference.emitTools(assembly.tools))
    )
  }
  if (prompt !== undefined) {
    const source = prompt.after ?? prompt.before
    const owner = source === undefined ? "at its end" : sourceIn(source)
    return sentence(
      "prompt",
      owner,
      prompt,
      texts(({ rendered }) => rendered.text)
    )
  }
  return snapshot === undefined || options?.contexts !== true
    ? undefined
    : sentence(
        "context snapshot",
        "",
        snapshot,
        texts(({ rendered }) => rendered.snapshot)
      )
}

const sentence = (
  what: string,
  owner: string,
  point: Difference.Point,
  { is, was }: { readonly was: string; readonly is: string }
): string => {
  const excerpt = (text: string) => `\`${visible(lineAround(text, point.offset, point.offset))}\``
  const place = `byte ${point.byte} (line ${point.line}, column ${point.column}) of the ${what}`
  return `${place} differs${owner === "" ? "" : `, ${owner}`}: first ${excerpt(was)}, then ${excerpt(is)}`
}

const toolAt = ({ path, tool }: Difference.ToolPlace): string => {
  const name = tool.origin.provider ?? ""
  return `in tool ${JSON.stringify(tool.schema.name)} at ${path}, from ${ownerOf("tools", { name, origin: tool.origin })}`
}

const sourceIn = (source: Source): string => {
  switch (source._tag) {
    case "Text":
      return `in ${ownerOf("section", source.section)}`
    case "Value":
      return `in the value of {{${source.variable.name}}} in ${ownerOf("section", source.section)}`
    case "Separator":
      return `between ${ownerOf("section", source.before)} and ${ownerOf("section", source.after)}`
  }
}

/** The owner of a part, and the listener that has changed it. */
export const ownerOf = (kind: Kind, { name, origin }: Pick<AssembledSection, "name" | "origin">): string => {
  const owner = describeOwner(ownerFields({ kind, entry: name, scope: origin.scope, plugin: origin.plugin }))
  return origin.listener === undefined
    ? owner
    : `${owner}, as listener ${JSON.stringify(origin.listener.name)} has left it`
}
