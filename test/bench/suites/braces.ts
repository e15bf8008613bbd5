/** Texts that nobody has seen before, full of braces: reading and rendering them must stay linear. */
import { renderPrompt, type PromptAssembly } from "@deepseek-ai/dsh-system-prompt"
import { Result } from "effect"
import { Template } from "../../../src/index.ts"
import { flat } from "../harness.ts"
import type { Run, Sweep } from "../sweeps.ts"

const owner = { kind: "section", entry: "braces", scope: "global" } as const
const variables = { v: "value" }
const values = new Map(Object.entries(variables))

let texts = 0

/** Each time another text, so that no cache of texts helps. */
const fresh = (body: string): string => `${texts++} ${body}`

const ours =
  (body: (n: number) => string) =>
  (n: number): Run => {
    const text = body(n)
    return (times) => {
      for (let i = 0; i < times; i++) flat(Result.getOrThrow(Template.render(fresh(text), values, owner)))
    }
  }

const peer =
  (body: (n: number) => string) =>
  (n: number): Run => {
    const text = body(n)
    const assembly = (text: string): PromptAssembly => ({
      sections: [{ name: "braces", text }],
      contexts: [],
      tools: [],
      variables
    })
    return (times) => {
      for (let i = 0; i < times; i++) flat(renderPrompt(assembly(fresh(text))))
    }
  }

const both = (body: (n: number) => string): Pick<Sweep, "ours" | "peer"> => ({ ours: ours(body), peer: peer(body) })

const filler = "words up to the next pair of braces, "

const problems =
  (body: (n: number) => string) =>
  (n: number): Run => {
    const text = body(n)
    return (times) => {
      for (let i = 0; i < times; i++) Template.problems(fresh(text), values, owner)
    }
  }

export const braces: ReadonlyArray<Sweep> = [
  {
    id: "growth/lone",
    what: "render over lone `{{`, one in 40 characters",
    // From 300 kB on, where texts are in the large-object space of V8, so that the step into it is in no exponent.
    sizes: [500, 8000, 16_000, 32_000],
    most: 8000,
    ...both((n) => `{{ ${filler}`.repeat(n))
  },
  {
    id: "growth/repeated",
    what: "render over `{{` end to end",
    sizes: [1000, 4000, 16_000, 64_000],
    most: 16_000,
    ...both((n) => "{{".repeat(n))
  },
  {
    id: "growth/references",
    what: "render over references, one in 40 characters",
    sizes: [100, 400, 1600, 6400],
    ...both((n) => `{{v}} ${filler}`.repeat(n))
  },
  {
    id: "growth/adjacent",
    what: "render over references end to end",
    sizes: [100, 400, 1600, 6400],
    ...both((n) => "{{v}}".repeat(n))
  },
  {
    id: "growth/malformed",
    what: "all problems of a text, over malformed groups",
    sizes: [100, 200, 400, 800],
    ours: problems((n) => `{{V}} ${filler}\n`.repeat(n))
  },
  {
    id: "growth/length",
    what: "render over bytes of text, 20 references",
    sizes: [10_000, 20_000, 40_000, 80_000],
    ...both((n) => `{{v}} ${"x".repeat(n / 20 - 6)}`.repeat(20))
  }
]
