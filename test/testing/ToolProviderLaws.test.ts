import { describe, it } from "@effect/vitest"
import { Arbitrary, Clock, Context, Effect, Schema } from "effect"
import { type Provider, ToolOrder, type ToolProvider, ToolSchema } from "effect-preamble"
import { ToolProviderLaws } from "effect-preamble/testing"
import { untyped } from "../support/untyped.ts"
import { breaks, holds, unjudged } from "./support/reports.ts"

const tool = (name: string, description = "") => ({ name, description, parameters: { type: "object" } })

const read = tool("read", "Read a file")
const bash = tool("bash", "Run a command")

describe("a good tool provider", () => {
  const good: Readonly<Record<string, Provider<ToolProvider.Tools, unknown>>> = {
    "is empty": [],
    "is a value": [read, bash],
    "is a function": () => [ToolSchema.make(read), { ...bash, execute: () => "" }],
    "is an effect": Effect.succeed({ schemas: [read], knownNames: ["read", "bash"] }),
    "is a function of an effect": () => Effect.as(Effect.yieldNow, { schemas: [read] }),
    "says different things at different times, the same of tools": Effect.as(Clock.currentTimeMillis, [bash])
  }
  for (const [title, provider] of Object.entries(good)) {
    it.effect(title, () => holds(ToolProviderLaws.all(provider)))
  }
})

describe("succeeds", () => {
  const name = "tool provider: gives tools"
  it.effect("finds a failure", () =>
    breaks(ToolProviderLaws.all(Effect.fail(new Error("offline"))), name, {
      counterexample: "there is only one case",
      expected: "no failure",
      seen: "it failed with Error: offline"
    })
  )
  it.effect("finds a throw", () =>
    breaks(
      ToolProviderLaws.all(() => {
        throw new Error("offline")
      }),
      name,
      { counterexample: "there is only one case", expected: "no failure", seen: "it died with Error: offline" }
    )
  )
  it.effect("finds a Promise", () =>
    breaks(ToolProviderLaws.all(untyped(async () => [read])), name, {
      counterexample: "there is only one case",
      expected: "tools",
      seen: "it gave a Promise"
    })
  )
  it.effect("finds one tool instead of a list", () =>
    breaks(ToolProviderLaws.all(untyped(read)), name, {
      counterexample: "there is only one case",
      expected: "tools",
      seen: "it gave an object"
    })
  )
})

describe("sameBytes", () => {
  const name = "tool provider: stable bytes"
  it.effect("finds a date in a description", () =>
    breaks(
      ToolProviderLaws.all(() => [tool("search", `Search the web. It is ${new Date().getUTCFullYear()}.`)]),
      name,
      {
        counterexample: '{ call: 2, later: "1 year" }',
        expected:
          'as tool 1, {"name":"search","description":"Search the web. It is 2026.","parameters":{"type":"object"}}',
        seen: 'in call 2, {"name":"search","description":"Search the web. It is 2027.","parameters":{"type":"object"}}'
      }
    )
  )
  it.effect("finds tools in random order", () =>
    breaks(
      ToolProviderLaws.all(() => (Math.random() < 0.5 ? [read, bash] : [bash, read])),
      name,
      {
        counterexample: '{ call: 2, later: "at once" }',
        expected: 'as tool 1, {"name":"read","description":"Read a file","parameters":{"type":"object"}}',
        seen: 'in call 2, {"name":"bash","description":"Run a command","parameters":{"type":"object"}}'
      }
    )
  )
  it.effect("finds keys that move", () => {
    const properties: Record<string, object> = { path: {}, limit: {} }
    return breaks(
      ToolProviderLaws.all(() => {
        const path = properties["path"] ?? {}
        const parameters = new Date().getUTCDate() === 1 ? { path, limit: {} } : { limit: {}, path }
        return [{ ...read, parameters }]
      }),
      name,
      {
        counterexample: '{ call: 2, later: "1 day" }',
        expected: 'as tool 1, {"name":"read","description":"Read a file","parameters":{"path":{},"limit":{}}}',
        seen: 'in call 2, {"name":"read","description":"Read a file","parameters":{"limit":{},"path":{}}}'
      }
    )
  })
  it.effect("finds one more tool", () =>
    breaks(
      ToolProviderLaws.all(() => (new Date().getFullYear() === 2026 ? [read] : [read, bash])),
      name,
      {
        counterexample: '{ call: 2, later: "1 year" }',
        expected: "1 tool",
        seen: 'in call 2, one more: {"name":"bash","description":"Run a command","parameters":{"type":"object"}}'
      }
    )
  )
  it.effect("finds a failure later on", () =>
    breaks(
      ToolProviderLaws.all(
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          now % 1000 === 0 ? Effect.succeed([read]) : Effect.fail("expired")
        )
      ),
      name,
      {
        counterexample: '{ call: 2, later: "1 ms" }',
        expected: "tools, as in the first call",
        seen: "it failed with string: expired"
      }
    )
  )
})

describe("leavesResults", () => {
  const name = "tool provider: leaves its results alone"
  const only = (provider: Provider<ToolProvider.Tools, unknown>) => [ToolProviderLaws.leavesResults(provider)]
  it.effect("finds one list that is filled again", () => {
    const list: Array<ToolSchema.Input> = []
    return breaks(
      only(() => {
        list.length = 0
        list.push(tool(`t${Math.random().toFixed(3).slice(2)}`))
        return list
      }),
      name,
      {
        counterexample: "there is only one case",
        expected: 'as tool 1, {"name":"t266","description":"","parameters":{"type":"object"}}',
        seen: 'after another call, in the first result: {"name":"t000","description":"","parameters":{"type":"object"}}'
      }
    )
  })
  it.effect("finds a description that is written over", () => {
    const mine = { ...read }
    return breaks(
      only(() => {
        mine.description = mine.description === "once" ? "twice" : "once"
        return [mine]
      }),
      name,
      {
        counterexample: "there is only one case",
        expected: 'as tool 1, {"name":"read","description":"once","parameters":{"type":"object"}}',
        seen: 'after another call, in the first result: {"name":"read","description":"twice","parameters":{"type":"object"}}'
      }
    )
  })
  it.effect("finds tools that are taken back", () => {
    let last: Array<ToolSchema.Input> = []
    return breaks(
      only(() => {
        last.length = 0
        last = [read, bash]
        return last
      }),
      name,
      {
        counterexample: "there is only one case",
        expected: 'as tool 1, {"name":"read","description":"Read a file","parameters":{"type":"object"}}',
        seen: "after another call, in the first result: no more tools"
      }
    )
  })
})

describe("plainJson", () => {
  const name = "tool provider: plain JSON"
  const cases: ReadonlyArray<readonly [kind: string, parameters: object, path: string, reason: string]> = [
    ["a function", { run: () => 1 }, "run", "a function is not JSON. Leave it out: what is sent or stored is data."],
    ["a Date", { default: new Date(0) }, "default", "an instance of Date is not plain JSON. Write what it stands for."],
    ["NaN", { maximum: Number.NaN }, "maximum", "NaN is not JSON. Write a finite number or leave it out."]
  ]
  for (const [kind, parameters, path, reason] of cases) {
    it.effect(`finds ${kind}`, () =>
      breaks(ToolProviderLaws.all([{ ...read, parameters }]), name, {
        counterexample: "there is only one case",
        expected: "a valid tool",
        seen: `tool "read" from tool provider of scope "global" is invalid at $.parameters.${path}: ${reason}`
      })
    )
  }
})

describe("legal", () => {
  const name = "tool provider: legal names"
  for (const illegal of ["", "read file", "läsen", "a".repeat(65)]) {
    it.effect(`finds ${JSON.stringify(illegal.slice(0, 20))}`, () =>
      breaks([ToolProviderLaws.legal([tool(illegal)])], name, {
        counterexample: "there is only one case",
        expected: "a name that matches /^[A-Za-z0-9_-]{1,64}$/u",
        seen: JSON.stringify(illegal)
      })
    )
  }
  it.effect("finds the rest marker", () =>
    breaks(ToolProviderLaws.all([tool(ToolOrder.restMarker)]), name, {
      counterexample: "there is only one case",
      expected: "a name that is not reserved",
      seen: 'tool provider of scope "global" returned a tool named "<unlisted-tools>", which marks "all other tools" in toolOrder. Rename the tool.'
    })
  )
  it.effect("can be told which names are", () =>
    holds(ToolProviderLaws.all([tool("mcp.read")], { names: /^[a-z.]+$/u }))
  )
})

describe("unique", () => {
  const name = "tool provider: unique names"
  it.effect("finds two of one name", () =>
    breaks(ToolProviderLaws.all([read, bash, { ...read, description: "again" }]), name, {
      counterexample: "there is only one case",
      expected: "one tool of each name",
      seen: '2 tools named "read"'
    })
  )
})

describe("knowsVisible", () => {
  const name = "tool provider: knows what it shows"
  it.effect("finds names of hidden tools only", () =>
    breaks(ToolProviderLaws.all({ schemas: [read, bash], knownNames: ["bash", "edit"] }), name, {
      counterexample: "there is only one case",
      expected: "all visible tools in knownNames",
      seen: '"read" missing'
    })
  )
  it.effect("finds no names at all", () =>
    breaks(
      ToolProviderLaws.all(() => ({ schemas: [read, bash], knownNames: [] })),
      name,
      {
        counterexample: "there is only one case",
        expected: "all visible tools in knownNames",
        seen: '"read", "bash" missing'
      }
    )
  )
})

describe("a tool provider that always fails", () => {
  for (const [title, provider] of [
    ["fails", Effect.fail("offline")],
    ["gives no list", untyped(read)]
  ] as const) {
    it.effect(`is judged only by the law that says so: ${title}`, () =>
      unjudged(
        ToolProviderLaws.all(provider).filter((law) => law.name !== "tool provider: gives tools"),
        "the provider gave no tools in any case; see the law `succeeds`"
      )
    )
  }
})

describe("annotations", () => {
  const Mode = Context.Reference<string>("test/Mode", { defaultValue: () => "write" })
  const modes = Arbitrary.map(Arbitrary.schema(Schema.Literals(["write", "read"])), (mode) => Context.make(Mode, mode))
  it.effect("are what a runtime tells the provider", () =>
    breaks(
      ToolProviderLaws.all(
        Effect.map(Mode, (mode) => (mode === "read" ? [read, read] : [read])),
        { annotations: modes }
      ),
      "tool provider: unique names",
      {
        counterexample: '{ annotations: { "test/Mode": "read" } }',
        expected: "one tool of each name",
        seen: '2 tools named "read"'
      }
    )
  )
})
