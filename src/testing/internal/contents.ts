/** Assemblies as what they are made of: plain data that can be read and made smaller. */
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Assembly from "../../Assembly.ts"
import * as Overlay from "../../Overlay.ts"
import type * as PromptContext from "../../PromptContext.ts"
import type * as Section from "../../Section.ts"
import type * as Template from "../../Template.ts"
import type * as ToolSchema from "../../ToolSchema.ts"
import type * as Variable from "../../Variable.ts"
import * as arbitraries from "../Arbitraries.ts"
import { distinct, list, literal } from "./generate.ts"

/** All of one overlay, with known values; it always assembles. */
export interface Contents {
  readonly sections: ReadonlyArray<Section.Options>
  readonly contexts: ReadonlyArray<PromptContext.Options>
  readonly variables: ReadonlyArray<Variable.Options>
  readonly tools: ReadonlyArray<ToolSchema.Input>
}

/** Contributions that some cases have, besides the generated ones. */
export interface Known {
  readonly sections?: ReadonlyArray<Section.Options> | undefined
  readonly contexts?: ReadonlyArray<PromptContext.Options> | undefined
  readonly variables?: ReadonlyArray<Variable.Options> | undefined
  readonly tools?: ReadonlyArray<ToolSchema.Input> | undefined
}

/** Some of the given ones, in their order; shrinks towards none. */
const some = <A>(all: ReadonlyArray<A> = []): Arbitrary.Arbitrary<ReadonlyArray<A>> =>
  Arbitrary.map(Arbitrary.all(all.map(() => literal(false, true))), (kept) => all.filter((_, i) => kept[i]))

/** First of a name is the only one. */
const unique = <A extends { readonly name: string }>(all: ReadonlyArray<A>): ReadonlyArray<A> =>
  all.filter((one, i) => all.findIndex((other) => other.name === one.name) === i)

const incomplete = (section: Section.Options): Section.Options => {
  const { complete, ...rest } = section
  return complete === undefined ? section : rest
}

/** Contents of which at most one section is complete. */
export const contents = (known: Known = {}): Arbitrary.Arbitrary<Contents> =>
  Arbitrary.map(
    Arbitrary.all({
      known: Arbitrary.all({
        sections: some(known.sections),
        contexts: some(known.contexts),
        variables: some(known.variables),
        tools: some(known.tools)
      }),
      sections: distinct(arbitraries.section, 4),
      contexts: distinct(arbitraries.context, 3),
      variables: distinct(arbitraries.variable, 4),
      tools: list(arbitraries.toolSchema, 3),
      complete: literal(false, false, true)
    }),
    ({ complete, contexts, known, sections, tools, variables }): Contents => {
      const all = unique([...known.sections, ...sections])
      const last = all.findLastIndex((one) => one.requires === undefined || one.requires.length === 0)
      return {
        sections: all.map((one, i) => (complete && i === last ? { ...one, complete: true } : incomplete(one))),
        contexts: unique([...known.contexts, ...contexts]),
        variables: unique([...known.variables, ...variables]),
        tools: [...known.tools, ...tools]
      }
    }
  )

/** The assembly of the contents, as the pure pipeline makes it. */
export const assemblyOf = (self: Contents): Assembly.Assembly =>
  Result.getOrThrow(
    Result.flatMap(Overlay.make("global", { ...self, tools: [{ tools: self.tools }] }), (overlay) =>
      Assembly.assemble([overlay])
    )
  )

/** Without the lists that are empty. */
export const showContents = (self: Contents): object =>
  Object.fromEntries(Object.entries(self).filter(([, list]) => list.length > 0))

// -----------------------------------------------------------------------------
// comparing
// -----------------------------------------------------------------------------

const plain = (self: Template.Text): unknown =>
  typeof self === "string" ? self : self.segments.map((one) => (one._tag === "Literal" ? one.text : { ref: one.name }))

/** What an assembly says, as lists of lines; who has contributed it aside. */
const sayings = (self: Assembly.Assembly): Readonly<Record<string, ReadonlyArray<string>>> => ({
  sections: self.sections.map(({ interpolate, name, order, requires, text }) =>
    JSON.stringify({ name, order, text: plain(text), interpolate, requires })
  ),
  contexts: self.contexts.map(({ interpolate, name, order, text }) =>
    JSON.stringify({ name, order, text: plain(text), interpolate })
  ),
  tools: self.tools.map((one) => JSON.stringify(one.schema)),
  variables: self.variables.map(({ name, value }) => JSON.stringify({ name, value }))
})

/** Where two assemblies differ in what they say; nothing if they do not. */
export const partingOf = (before: Assembly.Assembly, after: Assembly.Assembly): string | undefined => {
  const [was, is] = [sayings(before), sayings(after)]
  for (const [field, lines] of Object.entries(was)) {
    const others = is[field] ?? []
    const length = Math.max(lines.length, others.length)
    for (let i = 0; i < length; i++) {
      const [first = "nothing", then = "nothing"] = [lines[i], others[i]]
      if (first !== then) return `${field}[${i}] was ${first}, and then ${then}`
    }
  }
  return undefined
}
