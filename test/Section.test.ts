import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import type { AssembleContext } from "../src/AssembleContext.ts"
import { Persona, Plugin, PromptScope, Section, SystemPrompt } from "../src/index.ts"
import { assemble, overlay, prompt } from "./support/known.ts"
import { sections } from "./support/view.ts"

const section = (name: string, order: number, text = name): Section.Options => ({ name, order, text })

const names = (options: ReadonlyArray<Section.Options>) =>
  assemble([overlay({ sections: options })]).sections.map((one) => one.name)

describe("order", () => {
  it("[57] sections stand by ascending order, whatever the order of registration", () => {
    const options = [section("b", 2), section("c", -3), section("a", 10), section("d", 9)]
    assert.deepStrictEqual(names(options), ["c", "b", "d", "a"])
    assert.deepStrictEqual(names(options.toReversed()), ["c", "b", "d", "a"])
  })

  it("[58] sections of equal order stand by the code units of their names, in both orders of registration", () => {
    const options = [section("äther", 5), section("zeta", 5), section("Zeta", 5)]
    assert.deepStrictEqual(names(options), ["Zeta", "zeta", "äther"])
    assert.deepStrictEqual(names(options.toReversed()), ["Zeta", "zeta", "äther"])
  })

  it("[58] code units, not code points, decide: a surrogate pair comes before U+FB01", () => {
    assert.deepStrictEqual(names([section("\uFB01", 0), section("\u{1F600}", 0)]), ["\u{1F600}", "\uFB01"])
  })

  it("[BC-029] two sections of one order render the same in both orders of registration", () => {
    const options = [section("skill:b", 50, "B"), section("skill:a", 50, "A")]
    for (const registered of [options, options.toReversed()]) {
      assert.strictEqual(prompt(assemble([overlay({ sections: registered })])), "A\n\nB")
    }
  })

  it("[59] negative orders come before 0, and -0 equals 0, so that the names decide", () => {
    assert.deepStrictEqual(names([section("b", -0), section("a", 0), section("z", -0.5)]), ["z", "a", "b"])
    assert.deepStrictEqual(names([section("b", 0), section("a", -0), section("z", -0.5)]), ["z", "a", "b"])
  })

  it("[8] fractions and the ends of the range sort as numbers", () => {
    const options = [section("max", Number.MAX_VALUE), section("ten", 10), section("half", 0.5), section("low", -1e9)]
    assert.deepStrictEqual(names([section("nine", 9), ...options]), ["low", "half", "nine", "ten", "max"])
  })
})

describe("shadowing", () => {
  it("[60] a nearer section of the name brings its own order, text, interpolate and requires", () => {
    const far = overlay({ sections: [section("x", 1, "far"), section("y", 2)] })
    const near = overlay(
      { sections: [{ name: "x", order: 3, text: "near {{v}}", interpolate: false, requires: ["t"] }] },
      "agent"
    )
    const tools = overlay({ tools: [{ tools: [{ name: "t", description: "", parameters: {} }] }] })
    const [y, x] = assemble([far, tools, near]).sections
    assert.strictEqual(y?.name, "y")
    assert.deepStrictEqual(x, {
      name: "x",
      order: 3,
      text: "near {{v}}",
      interpolate: false,
      requires: ["t"],
      origin: { scope: "agent", shadows: [{ scope: "global" }] }
    })
    assert.deepStrictEqual(
      assemble([far]).sections.map(({ name, order, text, interpolate, requires }) => ({
        name,
        order,
        text,
        interpolate,
        requires
      })),
      [
        { name: "x", order: 1, text: "far", interpolate: true, requires: [] },
        { name: "y", order: 2, text: "y", interpolate: true, requires: [] }
      ],
      "the farther one is as it was where nothing shadows it"
    )
  })

  it("[60] a nearer section of the name brings its own complete, set or not", () => {
    const other = overlay({ sections: [section("other", 9)] })
    const plain = { sections: [section("x", 0, "plain")] }
    const complete = { sections: [{ ...section("x", 0, "complete"), complete: true }] }
    assert.strictEqual(prompt(assemble([other, overlay(plain), overlay(complete, "agent")])), "complete")
    assert.strictEqual(prompt(assemble([other, overlay(complete), overlay(plain, "agent")])), "plain\n\nother")
  })

  it.effect("[61] the shadowed provider is never called, the one that wins is called once", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const calls: Array<string> = []
      const says = (text: string) => () => {
        calls.push(text)
        return text
      }
      const preset = yield* PromptScope.make("preset")
      const agent = yield* PromptScope.make("agent", { parent: preset.scope })
      yield* prompt.section({ name: "x", order: 0, text: says("global") })
      yield* prompt.section({ name: "x", order: 0, text: says("preset") }).pipe(PromptScope.provide(preset.scope))
      yield* prompt.section({ name: "x", order: 0, text: says("agent") }).pipe(PromptScope.provide(agent.scope))
      const assembly = yield* prompt.assemble.pipe(PromptScope.provide(agent.scope))
      assert.deepStrictEqual(calls, ["agent"])
      assert.deepStrictEqual(sections(assembly), [["x", "agent"]])
      assert.deepStrictEqual(
        assembly.sections.find((one) => one.name === "x")?.origin.shadows,
        [{ scope: "preset" }, { scope: "global" }],
        "what is hidden is named, nearest first"
      )
    }).pipe(Effect.provide(SystemPrompt.layer))
  )
})

describe("providers", () => {
  it.effect("[62] a section registered by a variable, tool or section provider counts from the next assembly", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const once = (name: string) => {
        let registered = false
        return Effect.suspend(() => {
          if (registered) return Effect.void
          registered = true
          return Effect.orDie(prompt.section(section(name, 1)))
        })
      }
      // The provider's own Effect scope ends with the assembly, so what it registers needs the one of the test.
      const scope = yield* Effect.scope
      const inTest = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Scope.provide(effect, scope)
      const [byVariable, byTools, bySection] = [once("by-variable"), once("by-tools"), once("by-section")]
      yield* prompt.variable("v", Effect.as(inTest(byVariable), "v"))
      yield* prompt.tools(Effect.as(inTest(byTools), []))
      yield* prompt.section({ name: "first", order: 0, text: Effect.as(inTest(bySection), "first") })
      assert.deepStrictEqual(sections(yield* prompt.assemble), [["first", "first"]])
      assert.deepStrictEqual(
        sections(yield* prompt.assemble).map(([name]) => name),
        ["first", "by-section", "by-tools", "by-variable"]
      )
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("[63] a text provider gets the context of the assembly, and is called once for each", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const agent = yield* PromptScope.make("agent")
      const seen: Array<AssembleContext> = []
      yield* prompt.section({
        name: "who",
        order: 0,
        text: (context) => {
          seen.push(context)
          return `for ${context.scope.label}`
        }
      })
      const assembly = yield* prompt.assemble.pipe(PromptScope.provide(agent.scope))
      assert.deepStrictEqual(sections(assembly), [["who", "for agent"]])
      assert.strictEqual(seen.length, 1)
      assert.strictEqual(seen[0]?.scope, agent.scope)
      assert.deepStrictEqual(sections(yield* prompt.assemble), [["who", "for global"]])
      assert.strictEqual(seen.length, 2)
    }).pipe(Effect.provide(SystemPrompt.layer))
  )
})

describe("text", () => {
  it("[64] an empty text stays in the assembly and takes no place in the prompt", () => {
    const assembly = assemble([overlay({ sections: [section("a", 0), section("none", 1, ""), section("b", 2)] })])
    assert.deepStrictEqual(
      assembly.sections.map(({ name, text }) => [name, text]),
      [
        ["a", "a"],
        ["none", ""],
        ["b", "b"]
      ]
    )
    assert.strictEqual(prompt(assembly), "a\n\nb")
  })

  it("[70] an assembled section keeps its order and where it comes from, and does not say whether it is complete", () => {
    const assembly = assemble([overlay({ sections: [{ ...section("a", 7), complete: true, plugin: "core" }] })])
    assert.deepStrictEqual(assembly.sections, [
      {
        name: "a",
        order: 7,
        text: "a",
        interpolate: true,
        requires: [],
        origin: { scope: "global", plugin: "core", shadows: [] }
      }
    ])
    assert.strictEqual(assembly.complete, "a", "the assembly says it")
  })
})

describe("built-ins", () => {
  const persona = { prefix: "Prefix.", suffix: "Suffix." }

  it.effect("[65] identity comes first, then the prefix, guidance, and the suffix last, at their named orders", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.section(section("tool:bash", Section.orders.TOOL_BASH))
      yield* prompt.section(section("web", Section.orders.WEB_SURFACE))
      const assembly = yield* prompt.assemble
      assert.deepStrictEqual(
        assembly.sections.map(({ name, order, text }) => [name, order, text]),
        [
          [Persona.names.identity, -1000, "I am."],
          [Persona.names.prefix, 0, "Prefix."],
          ["tool:bash", 1000, "tool:bash"],
          ["web", 10100, "web"],
          [Persona.names.suffix, 10200, "Suffix."]
        ]
      )
    }).pipe(Effect.provide(SystemPrompt.layerWith({ identity: "I am.", persona })))
  )

  it.effect("[66] without configuration there is no identity; prefix and suffix exist, empty", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const assembly = yield* prompt.assemble
      assert.deepStrictEqual(
        assembly.sections.map(({ name, text }) => [name, text]),
        [
          [Persona.names.prefix, ""],
          [Persona.names.suffix, ""]
        ]
      )
      assert.strictEqual((yield* prompt.render).text, "")
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("[66] identity: false is off, true is a neutral sentence", () =>
    Effect.gen(function* () {
      const rendered = SystemPrompt.use((prompt) => prompt.render)
      const off = yield* rendered.pipe(Effect.provide(SystemPrompt.layerWith({ identity: false })))
      const on = yield* rendered.pipe(Effect.provide(SystemPrompt.layerWith({ identity: true })))
      assert.strictEqual(off.text, "")
      assert.strictEqual(on.text, Persona.neutralIdentity)
      assert.notStrictEqual(Persona.neutralIdentity, "")
    })
  )

  it.effect("[67] the prefix cannot be registered globally again; in a scope it shadows, until it goes", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const own = section(Persona.names.prefix, 0, "Own.")
      const error = yield* Effect.flip(prompt.section(own))
      assert.strictEqual(error._tag, "DuplicateRegistration")
      assert.include(error, { kind: "section", entry: Persona.names.prefix, scope: "global" })
      const agent = yield* PromptScope.make("agent")
      const registration = yield* Scope.make()
      yield* prompt.section(own).pipe(PromptScope.provide(agent.scope), Scope.provide(registration))
      const text = Effect.map(prompt.render, (rendered) => rendered.text)
      assert.strictEqual(yield* PromptScope.provide(agent.scope)(text), "Own.\n\nSuffix.")
      assert.strictEqual(yield* text, "Prefix.\n\nSuffix.")
      yield* Scope.close(registration, Exit.void)
      assert.strictEqual(yield* PromptScope.provide(agent.scope)(text), "Prefix.\n\nSuffix.")
    }).pipe(Effect.provide(SystemPrompt.layerWith({ persona })))
  )

  it.effect("[68] two machines share the rendered text before the sections that depend on the environment", () =>
    Effect.gen(function* () {
      const plugin = Plugin.section(section("tool:bash", Section.orders.TOOL_BASH, "Prefer small commands."))
      const on = (machine: string) =>
        SystemPrompt.use((prompt) =>
          Effect.gen(function* () {
            yield* prompt.variable("cwd", machine)
            yield* prompt.section(section("surface", Section.orders.WEB_SURFACE, "Served at {{cwd}}."))
            yield* prompt.section(section("source", Section.orders.HARNESS_SOURCE, "Source in {{cwd}}."))
            return (yield* prompt.render).text
          })
        ).pipe(
          Effect.provide(plugin),
          Effect.provide(
            SystemPrompt.layerWith({ identity: "I am.", persona: { prefix: "P.", suffix: "In {{cwd}}." } })
          )
        )
      const [a, b] = [yield* on("/a"), yield* on("/b")]
      const shared = "I am.\n\nP.\n\nPrefer small commands.\n\n"
      assert.strictEqual(a, `${shared}Source in /a.\n\nServed at /a.\n\nIn /a.`)
      assert.strictEqual(b, `${shared}Source in /b.\n\nServed at /b.\n\nIn /b.`)
    })
  )
})

describe("orders", () => {
  it("[69] are those of the specification, unique integers at least 10 apart, frozen", () => {
    assert.deepStrictEqual(
      { ...Section.orders },
      {
        HARNESS_IDENTITY: -1000,
        DEPLOYMENT_PERSONA_PREFIX: 0,
        PLAN_POLICY: 500,
        TEAM_POLICY: 600,
        PTC_ONLY: 800,
        FILE_REFERENCE: 900,
        TOOL_BASH: 1000,
        TOOL_PWSH: 1010,
        TOOL_READ: 1100,
        TOOL_WRITE: 1200,
        TOOL_EDIT: 1300,
        TOOL_GLOB: 1400,
        TOOL_GREP: 1500,
        TOOL_JOBS: 1600,
        TOOL_PTY: 1700,
        TOOL_WEB_SEARCH: 2000,
        TOOL_WEB_FETCH: 2100,
        TOOL_LSP: 2200,
        TOOL_SESSION_QUERY: 2300,
        TOOL_GOAL: 2400,
        TOOL_WORKFLOW: 2600,
        TOOL_RALPH: 2700,
        TOOL_SUBAGENT: 2800,
        TOOL_REPORT: 2900,
        TOOL_COMPUTER_USE: 3000,
        MCP_SERVERS: 3100,
        TOOLS_SDK: 5000,
        DELIVERABLE_FILE_REFERENCES: 9000,
        STRUCTURED_OUTPUT: 9900,
        HARNESS_SOURCE: 10000,
        WEB_SURFACE: 10100,
        DEPLOYMENT_PERSONA_SUFFIX: 10200
      }
    )
    const numbers = Object.values(Section.orders).sort((a, b) => a - b)
    for (const [i, order] of numbers.entries()) {
      assert.isTrue(Number.isInteger(order))
      if (i > 0) assert.isAtLeast(order - numbers[i - 1]!, 10)
    }
    assert.isTrue(Object.isFrozen(Section.orders))
  })
})
