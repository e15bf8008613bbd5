/** What rendering does to any assembly at all. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Equal, Option, Result } from "effect"
import type { AssembledContext, AssembledSection, AssembledVariable, Assembly } from "../../src/Assembly.ts"
import * as PromptContext from "../../src/PromptContext.ts"
import * as Rendered from "../../src/Rendered.ts"
import * as Template from "../../src/Template.ts"
import { VariableName } from "../../src/VariableName.ts"
import * as arbitraries from "../../src/testing/Arbitraries.ts"
import * as generate from "../../src/testing/internal/generate.ts"
import * as chains from "../support/chains.ts"
import { check, patience, Tally } from "../support/check.ts"

const quiet = (chain: chains.Chain): chains.Chain => chain.map((one) => ({ ...one, listeners: [] }))

/** Chains that assemble; whether the assembly renders is another matter. */
const assembling = Arbitrary.filter(Arbitrary.map(arbitraries.chain, quiet), (chain) =>
  Result.isSuccess(chains.assemble(chain))
)

/** Chains whose assembly renders. */
const rendering = Arbitrary.filter(arbitraries.renderableChain, (chain) => Result.isSuccess(chains.assemble(chain)))

const assemblyOf = (chain: chains.Chain): Assembly => Result.getOrThrow(chains.assemble(chain))

const renderedOf = (self: Assembly): Rendered.Rendered => Result.getOrThrow(Rendered.render(self))

const byCodeUnits = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

const inOrder = <A extends { readonly name: string; readonly order: number }>(all: ReadonlyArray<A>) =>
  all.toSorted((a, b) => a.order - b.order || byCodeUnits(a.name, b.name))

const joined = (texts: ReadonlyArray<string>) => texts.filter((text) => text !== "").join("\n\n")

/** The same values in new objects; a template is made anew from its parts. */
const anew = (chain: chains.Chain): chains.Chain => {
  const copy = (text: Template.Text): Template.Text =>
    typeof text === "string"
      ? text
      : text.segments.reduce<Template.Template>(
          (all, one) =>
            Template.text`${all}${one._tag === "Literal" ? Template.verbatim(one.text) : Template.ref(VariableName.make(one.name))}`,
          Template.verbatim("")
        )
  return chain.map((one) => ({
    ...one,
    sections: one.sections.map((section) => ({ ...section, text: copy(section.text) })),
    contexts: one.contexts.map((context) => ({ ...context, text: copy(context.text) }))
  }))
}

describe("texts without references", () => {
  const own = Arbitrary.map(
    Arbitrary.all([
      generate.distinct(arbitraries.section, 5),
      generate.distinct(arbitraries.context, 4),
      Arbitrary.array(arbitraries.grouplessText, { minLength: 9, maxLength: 9 })
    ]),
    ([sections, contexts, texts]) => {
      const fix = <A extends { readonly interpolate?: boolean | undefined }>(all: ReadonlyArray<A>, from: number) =>
        // Text that is data may have any groups.
        all.map((one, i) => (one.interpolate === false ? one : { ...one, text: texts[from + i]! }))
      return {
        sections: fix(sections, 0).map((section) => ({ ...section, complete: false, requires: [] })),
        contexts: fix(contexts, 5)
      }
    }
  )

  it.effect(
    "[205] are fixed points: the prompt and the snapshot are the texts, in order, byte for byte",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        yield* check(
          own,
          ({ sections, contexts }) =>
            Effect.sync(() => {
              const rest = { variables: [], tools: [], listeners: [], suppressors: 0 }
              const rendered = renderedOf(assemblyOf([{ label: "global", sections, contexts, ...rest }]))
              assert.strictEqual(rendered.text, joined(inOrder(sections).map(({ text }) => String(text))))
              const body = joined(inOrder(contexts).map(({ text }) => String(text)))
              assert.strictEqual(rendered.snapshot, body === "" ? "" : `${PromptContext.heading}\n\n${body}`)
              tally.count(
                /[{}]/u.test(rendered.text) ? "braces" : "none",
                rendered.sections.length > 1 ? "several" : "few"
              )
            }),
          { runs: 1_000 }
        )
        tally.assertShares("fixed points", { braces: 30, several: 20 })
      }),
    patience
  )
})

describe("rendering", () => {
  it.effect(
    "[206] is total: text or one of three errors, the first of all problems, and each of them happens",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        yield* check(
          assembling,
          (chain) =>
            Effect.sync(() => {
              const self = assemblyOf(chain)
              const result = Rendered.render(self)
              const problems = Rendered.problems(self)
              if (Result.isSuccess(result)) {
                assert.deepStrictEqual(problems, [])
                assert.strictEqual(typeof result.success.text, "string")
              } else {
                assert.include(["MalformedGroup", "UnknownVariable", "UndefinedVariable"], result.failure._tag)
                assert.isTrue(Equal.equals(problems[0], result.failure))
              }
              const texts = [...self.sections, ...self.contexts].map(({ text }) => String(text)).join("")
              tally.count(
                Result.isSuccess(result) ? "text" : result.failure._tag,
                /[{}]/u.test(texts) ? "braces" : "none",
                ...(Result.isFailure(result) && result.failure.kind === "context" ? ["in a context"] : [])
              )
            }),
          { runs: 2_000 }
        )
        tally.assertShares("rendering", {
          text: 5,
          MalformedGroup: 5,
          UnknownVariable: 5,
          UndefinedVariable: 5,
          braces: 40,
          "in a context": 2
        })
      }),
    patience
  )

  it.effect(
    "[206] never depends on variables that no text refers to",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        yield* check(
          Arbitrary.all([
            generate.choose(rendering, assembling),
            arbitraries.value,
            generate.literal("other", "keep", "unset", "remove")
          ]),
          ([chain, value, change]) =>
            Effect.sync(() => {
              const self = assemblyOf(chain)
              const used = new Set(
                [...self.sections, ...self.contexts].flatMap((one) =>
                  one.interpolate ? Template.references(one.text) : []
                )
              )
              const changed: Assembly = {
                ...self,
                variables: [
                  ...self.variables.flatMap((one) => {
                    if (used.has(one.name) || change === "keep") return [one]
                    if (change === "remove") return []
                    return [
                      { ...one, value: change === "unset" ? undefined : value, origin: { scope: "x", shadows: [] } }
                    ]
                  }),
                  { name: "zz_new", value, origin: { scope: "x", shadows: [] } }
                ]
              }
              const before = Rendered.render(self)
              if (Result.isSuccess(before)) {
                // The very same object, so nothing in it can be different.
                assert.strictEqual(Result.getOrThrow(Rendered.render(changed, before.success)), before.success)
              } else {
                const after = Result.getOrThrow(Result.flip(Rendered.render(changed)))
                const { _tag, kind, entry, scope, offset, line, column, excerpt } = before.failure
                assert.deepInclude(after, { _tag, kind, entry, scope, offset, line, column, excerpt })
              }
              tally.count(
                Result.isSuccess(before) ? "text" : "error",
                self.variables.some(({ name }) => !used.has(name)) ? "unused" : "all used"
              )
            }),
          { runs: 1_000 }
        )
        tally.assertShares("unused variables", { text: 20, error: 5, unused: 30 })
      }),
    patience
  )

  it.effect(
    "gives the same object again for an assembly made anew from equal values",
    () =>
      check(
        rendering,
        (chain) =>
          Effect.sync(() => {
            const first = renderedOf(assemblyOf(chain))
            const again = assemblyOf(anew(chain))
            assert.strictEqual(Result.getOrThrow(Rendered.render(again, first)), first)
          }),
        { runs: 300 }
      ),
    patience
  )
})

// -----------------------------------------------------------------------------
// values and origins, against the rules written down naively
// -----------------------------------------------------------------------------

/** A character of a rendered text, and where it comes from. */
type Character = readonly [character: string, source: Rendered.Source]

/** Replaces each reference by its value, and notes for each character what it is a copy of. */
const naive = (section: AssembledSection, variables: ReadonlyArray<AssembledVariable>): ReadonlyArray<Character> => {
  const characters: Array<Character> = []
  const text = String(section.text)
  const spans =
    typeof section.text === "string"
      ? section.interpolate
        ? [...text.matchAll(/\{\{([a-z][a-z0-9_]*)\}\}/gu)].map((match) => [match.index, match[1]!] as const)
        : []
      : section.text.segments.flatMap((one) => (one._tag === "Reference" ? [[one.start, one.name] as const] : []))
  const literally = (from: number, to: number) => {
    for (let i = from; i < to; i++) characters.push([text[i]!, { _tag: "Text", section, offset: i }])
  }
  let at = 0
  for (const [start, name] of spans) {
    literally(at, start)
    const variable = variables.find((one) => one.name === name)!
    for (let i = 0; i < variable.value!.length; i++) {
      characters.push([variable.value![i]!, { _tag: "Value", section, variable, offset: i, reference: start }])
    }
    at = start + name.length + 4
  }
  literally(at, text.length)
  return characters
}

describe("every character of a prompt", () => {
  it.effect(
    "[207] is that of the section's own text, or that of a value, at the offset that its origin says",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        yield* check(
          rendering,
          (chain) =>
            Effect.sync(() => {
              const self = assemblyOf(chain)
              const rendered = renderedOf(self)
              const shown = self.sections
                .map((section) => [section, naive(section, self.variables)] as const)
                .filter(([, characters]) => characters.length > 0)
              const expected: Array<Character> = []
              for (const [i, [section, characters]] of shown.entries()) {
                const before = shown[i - 1]?.[0]
                if (before !== undefined) {
                  for (const offset of [0, 1]) {
                    expected.push(["\n", { _tag: "Separator", before, after: section, offset }])
                  }
                }
                assert.strictEqual(rendered.sections[i]?.offset, expected.length)
                expected.push(...characters)
              }
              assert.strictEqual(rendered.text, expected.map(([character]) => character).join(""))
              for (let i = 0; i < rendered.text.length; i++) {
                const source = Option.getOrThrow(Rendered.sourceAt(rendered, i))
                assert.deepStrictEqual(source, expected[i]![1])
                // Not only equal: parts of this assembly, with their origins.
                if (source._tag !== "Separator") assert.include(self.sections, source.section)
                if (source._tag === "Value") assert.include(self.variables, source.variable)
              }
              for (const outside of [-1, rendered.text.length, 0.5, Number.NaN, Infinity]) {
                assert.isTrue(Option.isNone(Rendered.sourceAt(rendered, outside)), String(outside))
              }
              tally.count(
                ...expected.map(([, source]) => source._tag),
                ...(self.sections.some((section) => Template.isTemplate(section.text)) ? ["Template"] : []),
                expected.some(([character, source]) => source._tag === "Value" && character === "{") ? "braces" : "none"
              )
            }),
          { runs: 1_000 }
        )
        tally.assertShares("origins", { Text: 30, Value: 20, Separator: 20, Template: 20, braces: 5 })
      }),
    patience
  )

  it.effect(
    "of the snapshot is likewise that of a context, at the part that has it",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        yield* check(
          rendering,
          (chain) =>
            Effect.sync(() => {
              const self = assemblyOf(chain)
              const rendered = renderedOf(self)
              const textOf = (context: AssembledContext) =>
                naive({ ...context, requires: [] }, self.variables)
                  .map(([character]) => character)
                  .join("")
              const shown = self.contexts.filter((context) => textOf(context) !== "")
              assert.deepStrictEqual(
                rendered.contexts.map(({ name, order, text, source }) => ({ name, order, text, source })),
                shown.map((source) => ({ name: source.name, order: source.order, text: textOf(source), source }))
              )
              for (const part of rendered.contexts) {
                assert.strictEqual(rendered.snapshot.slice(part.offset, part.offset + part.text.length), part.text)
              }
              const body = joined(shown.map(textOf))
              assert.strictEqual(rendered.snapshot, body === "" ? "" : `${PromptContext.heading}\n\n${body}`)
              tally.count(body === "" ? "none" : "snapshot")
            }),
          { runs: 500 }
        )
        tally.assertShares("snapshots", { snapshot: 30 })
      }),
    patience
  )
})
