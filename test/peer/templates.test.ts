/** Any text renders here as it does in the peer, or fails in the same way at the same place. */
import { renderContextSections, renderPrompt } from "@deepseek-ai/dsh-system-prompt"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Result } from "effect"
import { type PromptError, Template } from "../../src/index.ts"
import * as Arbitraries from "../../src/testing/Arbitraries.ts"
import { choose, literal } from "../../src/testing/internal/generate.ts"
import { check, Tally } from "../support/check.ts"
import { patience, runs } from "../support/runs.ts"
import { failureOf } from "./failures.ts"

const values = { a: "A", b: "{{a}}", c: undefined, constructor: "}}" }

const texts = choose(Arbitraries.bracedText, Arbitraries.bracedText, Arbitraries.referringText, Arbitraries.text)

/** What the peer quotes: 16 characters from where the trouble begins, or the group. */
const quoted = /reference at "(?<from>.*)…" in |reference "(?<group>.*)" in |variable "(?<reference>\{\{.*?\}\})" /su

interface Said {
  readonly tag: string
  readonly quote: string
  /** Of a malformed group, whether its name is what is wrong. */
  readonly isNamed: boolean
  /** The variables that it lists as known. */
  readonly known: string | undefined
}

const theirs = (text: string, kind: "section" | "context"): string | Said => {
  const parts = [{ name: "s", text }]
  const assembly = { sections: parts, contexts: parts, tools: [], variables: values }
  try {
    return kind === "section"
      ? renderPrompt(assembly)
      : renderContextSections(assembly)
          .map(({ text }) => text)
          .join("")
  } catch (error) {
    const failure = failureOf(error)
    assert.deepInclude(failure, { kind, entry: "s" })
    const message = error instanceof Error ? error.message : ""
    const { from, group, reference } = quoted.exec(message)?.groups ?? {}
    const known = /registered variables: (.*)$/su.exec(message)?.[1]
    return { tag: failure.tag, quote: from ?? group ?? reference ?? message, isNamed: group !== undefined, known }
  }
}

/** The same of our error, which says where it is. */
const saidOf = (error: PromptError.RenderError, text: string, { quote }: Said): Said => ({
  tag: error._tag,
  quote: text.slice(error.offset, error.offset + quote.length),
  isNamed: error._tag === "MalformedGroup" && error.reason.startsWith("a variable name is"),
  known: error._tag === "UnknownVariable" ? error.known.join(", ") : undefined
})

describe("Template.render", () => {
  it.effect(
    "does what the peer does",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        const variables = new Map(Object.entries(values))
        yield* check(
          Arbitrary.all([texts, literal("section", "context")]),
          ([text, kind]) =>
            Effect.sync(() => {
              const expected = theirs(text, kind)
              const ours = Template.render(text, variables, { kind, entry: "s", scope: "global" })
              if (Result.isSuccess(ours)) assert.strictEqual(ours.success, expected)
              else if (typeof expected === "string") assert.fail(`${ours.failure._tag} here, rendered there`)
              else assert.deepStrictEqual(saidOf(ours.failure, text, expected), expected)
              tally.count(typeof expected !== "string" ? expected.tag : expected === text ? "literal" : "rendered")
            }),
          { runs: runs(20_000, 1_000_000), seed: 1, maxShrinks: 1000 }
        )
        tally.assertShares("texts in both", {
          MalformedGroup: 10,
          UndefinedVariable: 2,
          UnknownVariable: 2,
          literal: 10,
          rendered: 10
        })
      }),
    patience
  )
})
