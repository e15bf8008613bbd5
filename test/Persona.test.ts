import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import {
  Overlays,
  Persona,
  Plugin,
  PromptError,
  PromptScope,
  Section,
  SystemPrompt,
  type SystemPromptOptions,
  Template
} from "../src/index.ts"
import * as registry from "./support/registry.ts"
import { untyped } from "./support/untyped.ts"
import * as view from "./support/view.ts"

const assembledFor = (scope: PromptScope.PromptScope) =>
  SystemPrompt.use((prompt) => prompt.assemble).pipe(PromptScope.provide(scope))

const renderedFor = (scope: PromptScope.PromptScope) =>
  SystemPrompt.use((prompt) => prompt.render).pipe(PromptScope.provide(scope))

const textFor = (scope: PromptScope.PromptScope) => Effect.map(renderedFor(scope), (rendered) => rendered.text)

const { global } = PromptScope

const agentScope = (label: string) => Effect.map(PromptScope.make(label), ({ scope }) => scope)

/** The two ways to give a scope a persona: a plugin that is mounted, and the service. Each gives what takes it back. */
const ways: Record<
  string,
  (
    scope: PromptScope.PromptScope,
    options: Persona.Options
  ) => Effect.Effect<Effect.Effect<void>, PromptError.RegistrationError, SystemPrompt>
> = {
  "Plugin.persona": (scope, options) =>
    registry.own(Effect.asVoid(Layer.build(Plugin.mount(scope)(Plugin.persona(options))))),
  "prompt.persona": (scope, options) =>
    registry.own(SystemPrompt.use((prompt) => prompt.persona(options)).pipe(PromptScope.provide(scope)))
}

const deployment: SystemPromptOptions = { persona: { prefix: "The deployment.", suffix: "Its suffix." } }

const guidance = Plugin.section({ name: "guide", order: 1000, text: "Guidance." })

describe("the built-ins", () => {
  it.effect("[65] identity comes first, then the prefix, everything else, and the suffix last", () =>
    Effect.gen(function* () {
      const { HARNESS_IDENTITY, DEPLOYMENT_PERSONA_PREFIX, DEPLOYMENT_PERSONA_SUFFIX, ...others } = Section.orders
      const sections = Object.entries(others).map(([name, order]) => Plugin.section({ name, order, text: name }))
      yield* Layer.build(Layer.mergeAll(Layer.empty, ...sections))
      const assembly = yield* assembledFor(global)
      assert.deepStrictEqual(
        assembly.sections.map(({ name, order }) => [name, order]),
        [
          [Persona.names.identity, HARNESS_IDENTITY],
          [Persona.names.prefix, DEPLOYMENT_PERSONA_PREFIX],
          ...Object.entries(others).toSorted(([, a], [, b]) => a - b),
          [Persona.names.suffix, DEPLOYMENT_PERSONA_SUFFIX]
        ]
      )
      assert.deepStrictEqual(
        [HARNESS_IDENTITY, DEPLOYMENT_PERSONA_PREFIX, DEPLOYMENT_PERSONA_SUFFIX],
        [-1000, 0, 10200]
      )
      assert.match(yield* textFor(global), /^An identity\.\n\nThe deployment\.\n\n[^]*\n\nIts suffix\.$/)
    }).pipe(Effect.provide(registry.layerWith({ ...deployment, identity: "An identity." })))
  )

  it.effect("[66] identity is off unless configured; prefix and suffix are there even if empty", () =>
    Effect.gen(function* () {
      for (const options of [{}, { identity: false }, { persona: {} }]) {
        const assembly = yield* assembledFor(global).pipe(Effect.provide(registry.layerWith(options)))
        const origin = { scope: "global", shadows: [] }
        assert.deepStrictEqual(
          assembly.sections.map(({ name, order, text, origin }) => [name, order, text, origin]),
          [
            [Persona.names.prefix, 0, "", origin],
            [Persona.names.suffix, 10200, "", origin]
          ]
        )
      }
      const text = (options: SystemPromptOptions) => textFor(global).pipe(Effect.provide(registry.layerWith(options)))
      assert.strictEqual(yield* text({}), "")
      assert.strictEqual(yield* text({ identity: true }), Persona.neutralIdentity)
      assert.strictEqual(yield* text({ identity: "Mine." }), "Mine.")
    })
  )

  it.effect("are Templates where a string would be scanned: braces that are meant, and references", () =>
    Effect.gen(function* () {
      const persona = {
        prefix: Template.verbatim("Use {{ x }} in Jinja."),
        suffix: Template.text`In ${Template.ref("cwd")}, not {{cwd}}.`
      }
      const identity = Template.text`You are ${Template.ref("cwd")}'s {{agent}}.`
      const layer = Layer.provideMerge(Plugin.variable("cwd", "/w"), registry.layerWith({ identity, persona }))
      const text = yield* Effect.provide(textFor(global), layer)
      assert.strictEqual(text, "You are /w's {{agent}}.\n\nUse {{ x }} in Jinja.\n\nIn /w, not {{cwd}}.")
      const error = yield* renderedFor(global).pipe(
        Effect.provide(registry.layerWith({ persona: { prefix: "Use {{ x }} in Jinja." } })),
        Effect.flip
      )
      assert.include(error.message, "Template.text")
    })
  )

  it.effect("[67] a name of theirs is taken globally; in a scope it shadows them, there only, until it goes", () =>
    Effect.gen(function* () {
      const agent = yield* agentScope("agent")
      const prompt = yield* SystemPrompt
      const prefix = prompt.section({ name: Persona.names.prefix, order: 0, text: "Mine.", plugin: "p" })
      const error = yield* Effect.flip(prefix)
      assert.instanceOf(error, PromptError.DuplicateRegistration)
      assert.deepInclude(error, { kind: "section", entry: Persona.names.prefix, scope: "global", plugin: "p" })
      const close = yield* registry.own(PromptScope.provide(agent)(prefix))
      assert.strictEqual(yield* textFor(agent), "Mine.\n\nIts suffix.")
      assert.strictEqual(yield* textFor(global), "The deployment.\n\nIts suffix.")
      yield* close
      assert.strictEqual(yield* textFor(agent), "The deployment.\n\nIts suffix.")
    }).pipe(Effect.provide(registry.layerWith(deployment)))
  )

  it.effect("[68] what differs between machines comes last: two machines share the prompt up to there", () =>
    Effect.gen(function* () {
      const promptOn = (machine: string) =>
        textFor(global).pipe(
          Effect.provide(
            Layer.mergeAll(
              Plugin.section({ name: "path", order: Section.orders.HARNESS_SOURCE, text: `Source: ${machine}.` }),
              Plugin.section({ name: "web", order: Section.orders.WEB_SURFACE, text: `http://${machine}` }),
              Plugin.section({ name: "z", order: Section.orders.STRUCTURED_OUTPUT, text: "Structured output." }),
              Plugin.variable("cwd", machine),
              guidance
            ).pipe(Layer.provideMerge(registry.layerWith({ persona: { prefix: "Prefix.", suffix: "In {{cwd}}." } })))
          )
        )
      const shared = "Prefix.\n\nGuidance.\n\nStructured output.\n\n"
      assert.strictEqual(yield* promptOn("one"), `${shared}Source: one.\n\nhttp://one\n\nIn one.`)
      assert.strictEqual(yield* promptOn("two"), `${shared}Source: two.\n\nhttp://two\n\nIn two.`)
    })
  )
})

for (const [way, persona] of Object.entries(ways)) {
  describe(way, () => {
    it.effect("[316] without a scope is a duplicate, and leaves nothing", () =>
      Effect.gen(function* () {
        yield* Layer.build(Plugin.context({ name: "c", order: 0, text: "C" }))
        const size = yield* Overlays.use((overlays) => Effect.succeed(overlays.size(global)))
        const options = { prefix: "Mine.", suffix: "S", includeRuntimeContext: false, plugin: "p" }
        const error = yield* Effect.flip(persona(global, options))
        assert.instanceOf(error, PromptError.DuplicateRegistration)
        assert.deepInclude(error, { kind: "section", entry: Persona.names.prefix, scope: "global", plugin: "p" })
        assert.include(error.message, "prompt scope of its own")
        assert.strictEqual(yield* Overlays.use((overlays) => Effect.succeed(overlays.size(global))), size)
        const rendered = yield* renderedFor(global)
        assert.strictEqual(rendered.text, "The deployment.\n\nIts suffix.")
        assert.deepStrictEqual(
          rendered.contexts.map(({ name }) => name),
          ["c"]
        )
      }).pipe(Effect.provide(registry.layerWith(deployment)))
    )

    it.effect("that fails at its suffix takes its prefix back", () =>
      Effect.gen(function* () {
        const agent = yield* agentScope("agent")
        const taken = Plugin.section({ name: Persona.names.suffix, order: 10200, text: "Taken.", plugin: "first" })
        yield* Layer.build(Plugin.mount(agent)(taken))
        const error = yield* Effect.flip(persona(agent, { prefix: "Mine.", plugin: "p", includeRuntimeContext: false }))
        assert.deepInclude(error, {
          _tag: "DuplicateRegistration",
          entry: Persona.names.suffix,
          scope: "agent",
          plugin: "p",
          existingPlugin: "first"
        })
        const assembly = yield* assembledFor(agent)
        assert.deepStrictEqual(view.sections(assembly), [
          [Persona.names.prefix, "The deployment."],
          [Persona.names.suffix, "Taken."]
        ])
        assert.isFalse(assembly.suppressed)
      }).pipe(Effect.provide(registry.layerWith(deployment)))
    )

    it.effect("whose flags are no booleans is refused, and leaves nothing", () =>
      Effect.gen(function* () {
        const agent = yield* agentScope("agent")
        for (const [field, kind, entry, value, got] of [
          ["includeRuntimeContext", "suppressor", "", "false", "a string"],
          ["includeRuntimeContext", "suppressor", "", 0, "the number 0"],
          ["includeRuntimeContext", "suppressor", "", null, "null"],
          ["complete", "section", Persona.names.prefix, "true", "a string"]
        ] as const) {
          const options: Persona.Options = { prefix: "Mine.", plugin: "p", [field]: untyped(value) }
          const error = yield* Effect.flip(persona(agent, options))
          assert.deepInclude(error, { _tag: "InvalidRegistration", kind, entry, scope: "agent", plugin: "p", field })
          assert.include(error.message, `expected true or false, got ${got}`)
          assert.strictEqual(yield* Overlays.use((overlays) => Effect.succeed(overlays.size(agent))), 0)
        }
      }).pipe(Effect.provide(registry.layerWith(deployment)))
    )

    it.effect("[317, 319] two scopes have personas of their own; one that goes gives back the deployment's", () =>
      Effect.gen(function* () {
        const [a, b] = [yield* agentScope("a"), yield* agentScope("b")]
        yield* Layer.build(guidance)
        const closeA = yield* persona(a, { prefix: "I am A.", suffix: "So says A.", plugin: "pa" })
        const closeB = yield* persona(b, { prefix: "I am B.", suffix: "So says B." })
        assert.strictEqual(yield* textFor(a), "I am A.\n\nGuidance.\n\nSo says A.")
        assert.strictEqual(yield* textFor(b), "I am B.\n\nGuidance.\n\nSo says B.")
        assert.strictEqual(yield* textFor(global), "The deployment.\n\nGuidance.\n\nIts suffix.")
        const [prefix] = (yield* assembledFor(a)).sections
        assert.deepStrictEqual(prefix?.origin, { scope: "a", plugin: "pa", shadows: [{ scope: "global" }] })
        yield* closeA
        assert.strictEqual(yield* textFor(a), "The deployment.\n\nGuidance.\n\nIts suffix.")
        assert.strictEqual(yield* textFor(b), "I am B.\n\nGuidance.\n\nSo says B.")
        yield* closeB
        assert.strictEqual(yield* textFor(b), "The deployment.\n\nGuidance.\n\nIts suffix.")
      }).pipe(Effect.provide(registry.layerWith(deployment)))
    )

    it.effect("[318, 319] an empty prefix takes the deployment's away, until it goes", () =>
      Effect.gen(function* () {
        const agent = yield* agentScope("agent")
        const close = yield* persona(agent, { prefix: "", suffix: "Mine." })
        assert.strictEqual(yield* textFor(agent), "Mine.")
        yield* close
        assert.strictEqual(yield* textFor(agent), "The deployment.\n\nIts suffix.")
      }).pipe(Effect.provide(registry.layerWith(deployment)))
    )

    it.effect("[320] no suffix, or an empty one, takes the deployment's away", () =>
      Effect.gen(function* () {
        for (const options of [
          { prefix: "Mine." },
          { prefix: "Mine.", suffix: undefined },
          { prefix: "Mine.", suffix: "" }
        ]) {
          const agent = yield* agentScope("agent")
          yield* persona(agent, options)
          assert.strictEqual(yield* textFor(agent), "Mine.")
        }
      }).pipe(Effect.provide(registry.layerWith(deployment)))
    )

    it.effect("[321] complete without runtime context: exactly the prefix, interpolated; others are as before", () =>
      Effect.gen(function* () {
        const agent = yield* agentScope("agent")
        const minimal = { prefix: "You run on {{model}}.", complete: true, includeRuntimeContext: false }
        yield* Layer.build(
          Layer.mergeAll(
            guidance,
            Plugin.variable("model", "m"),
            Plugin.context({ name: "time", order: 0, text: Effect.die("is not called") }).pipe(Plugin.mount(agent)),
            Plugin.context({ name: "c", order: 0, text: "C" })
          )
        )
        const before = yield* renderedFor(global)
        const close = yield* persona(agent, minimal)
        const rendered = yield* renderedFor(agent)
        assert.strictEqual(rendered.text, "You run on m.")
        assert.deepStrictEqual(rendered.contexts, [])
        assert.strictEqual(rendered.snapshot, "")
        assert.strictEqual(yield* renderedFor(global), before)
        assert.deepStrictEqual(
          before.contexts.map(({ name }) => name),
          ["c"]
        )
        yield* close
        const after = yield* assembledFor(agent).pipe(Effect.flip)
        assert.deepInclude(after, { _tag: "ProviderFailure", entry: "time" })
      }).pipe(Effect.provide(registry.layerWith({ ...deployment, identity: true })))
    )

    it.effect("complete with runtime context: contexts stay, unless said otherwise", () =>
      Effect.gen(function* () {
        const agent = yield* agentScope("agent")
        yield* Layer.build(Plugin.context({ name: "c", order: 0, text: "C" }))
        for (const include of [{}, { includeRuntimeContext: true }, { includeRuntimeContext: undefined }]) {
          const close = yield* persona(agent, { prefix: "All.", suffix: "Not this.", complete: true, ...include })
          const rendered = yield* renderedFor(agent)
          assert.strictEqual(rendered.text, "All.")
          assert.deepStrictEqual(
            rendered.contexts.map(({ text }) => text),
            ["C"]
          )
          yield* close
        }
      }).pipe(Effect.provide(registry.layerWith(deployment)))
    )

    it.effect("[322] {{model}} and {{cwd}} are those of each session", () =>
      Effect.gen(function* () {
        const standard = yield* agentScope("standard")
        yield* persona(standard, {
          prefix: "You are a coding agent powered by {{model}}.",
          suffix: Template.text`Your working directory is ${Template.ref("cwd")}.`
        })
        const session = (label: string, model: string, cwd: string) =>
          Effect.gen(function* () {
            const { scope } = yield* PromptScope.make(label, { parent: standard })
            const variables = Layer.merge(
              Plugin.variable("model", model),
              Plugin.variable("cwd", () => Effect.succeed(cwd))
            )
            yield* Layer.build(Plugin.mount(scope)(variables))
            return scope
          })
        const [one, two] = [yield* session("one", "m-1", "/one"), yield* session("two", "m-2", "/two")]
        const texts = yield* Effect.all([one, two].map(textFor), { concurrency: "unbounded" })
        assert.deepStrictEqual(texts, [
          "You are a coding agent powered by m-1.\n\nYour working directory is /one.",
          "You are a coding agent powered by m-2.\n\nYour working directory is /two."
        ])
      }).pipe(Effect.provide(registry.layer))
    )

    it.effect("[208] a {{cwd}} without a value in its suffix is an error that names the suffix", () =>
      Effect.gen(function* () {
        const agent = yield* agentScope("agent")
        yield* Layer.build(Plugin.variable("cwd", undefined))
        yield* persona(agent, { prefix: "P", suffix: "Your working directory is {{cwd}}.", plugin: "p" })
        const error = yield* Effect.flip(renderedFor(agent))
        assert.instanceOf(error, PromptError.UndefinedVariable)
        assert.deepInclude(error, {
          kind: "section",
          entry: Persona.names.suffix,
          scope: "agent",
          plugin: "p",
          variable: "cwd",
          offset: 26
        })
        for (const part of [Persona.names.suffix, "{{cwd}}", "agent", '"p"']) assert.include(error.message, part)
      }).pipe(Effect.provide(registry.layer))
    )
  })
}

it.effect("[208] the same of the deployment's own suffix", () =>
  Effect.gen(function* () {
    yield* Layer.build(Plugin.variable("cwd", undefined))
    const error = yield* Effect.flip(renderedFor(global))
    assert.deepInclude(error, {
      _tag: "UndefinedVariable",
      kind: "section",
      entry: Persona.names.suffix,
      scope: "global",
      variable: "cwd"
    })
    assert.include(error.message, Persona.names.suffix)
  }).pipe(Effect.provide(registry.layerWith({ persona: { suffix: "In {{cwd}}" } })))
)
