import { describe, it } from "@effect/vitest"
import { Arbitrary, Clock, Context, DateTime, Effect, Exit, Layer, Schema, Scope } from "effect"
import {
  Assembly,
  Persona,
  Plugin,
  PromptScope,
  SystemPrompt,
  Template,
  ToolRegistry,
  Variables
} from "effect-preamble"
import { PluginLaws } from "effect-preamble/testing"
import houseRules from "../../docs/examples/plugin/house-rules.ts"
import readOnly from "../../docs/examples/plugin/read-only.ts"
import { breaks, holds, misused, unjudged } from "./support/reports.ts"

/** Registers with whatever the service can do. */
const registering = <E>(
  f: (prompt: SystemPrompt["Service"]) => Effect.Effect<unknown, E, Scope.Scope | ToolRegistry>
): Layer.Layer<never, E, SystemPrompt | ToolRegistry> => Layer.effectDiscard(SystemPrompt.use(f))

const section = (text: string) => Plugin.section({ name: "s", order: 1, text })

/** A tool that others have registered. */
const base = Plugin.tool({
  name: "base",
  description: "",
  parameters: { type: "object" },
  handler: () => Effect.die("is not ours")
})

describe("a good plugin", () => {
  const vars = Variables.define({ model: "m", cwd: "/home" })
  const good: Readonly<Record<string, Layer.Layer<never, unknown, SystemPrompt | ToolRegistry>>> = {
    "is empty": Layer.empty,
    "has a section": section("x"),
    "has all kinds of contributions": Layer.mergeAll(
      Plugin.section({ name: "s", order: 1, text: "You run on {{model}}.", requires: ["bash"] }),
      Plugin.variable("model", () => Effect.succeed("m")),
      Plugin.context({ name: "time", order: 1, text: () => Effect.map(DateTime.now, DateTime.formatIso) }),
      Plugin.tools(() => [{ name: "bash", description: "{{x}}", parameters: { type: "object" } }]),
      Plugin.listener({ name: "l", edit: Assembly.addSection({ name: "added", order: 2, text: "x" }) }),
      Plugin.suppressContexts
    ),
    "has checked variables": Layer.merge(
      vars.layer,
      vars.section({ name: "s", order: 1, text: Template.text`{{ {{x}} ${vars.ref("cwd")}` })
    ),
    "brings its own scope": registering((prompt) =>
      Effect.flatMap(PromptScope.make("inner"), ({ scope }) =>
        prompt.section({ name: "s", order: 1, text: "x" }).pipe(PromptScope.provide(scope))
      )
    )
  }
  for (const [title, plugin] of Object.entries(good)) it.effect(title, () => holds(PluginLaws.all(plugin)))

  it.effect("is a persona, for scopes", () =>
    holds(PluginLaws.all(Plugin.persona({ prefix: "You review.", complete: true }), { where: "scope" }))
  )
  it.effect("is what a service has built in, for scopes", () =>
    holds(
      PluginLaws.all(
        Layer.mergeAll(
          Layer.empty,
          ...Persona.sections({ prefix: "a", suffix: "b" }).map((one) => Plugin.section(one))
        ),
        { where: "scope" }
      )
    )
  )
  it.effect("is a listener for everybody, there once", () =>
    holds(
      PluginLaws.all(Plugin.listener({ name: "l", global: true, edit: (assembly) => assembly }), { where: "global" })
    )
  )
  for (const [title, plugin] of Object.entries({ houseRules, readOnly })) {
    it.effect(`is the one of our documentation: ${title}`, () => holds(PluginLaws.all(plugin)))
  }
  it.effect("has tools with handlers and guards, and counts on tools", () =>
    holds(
      PluginLaws.all(
        Layer.mergeAll(
          Plugin.tool({
            name: "read",
            description: "Read a file",
            parameters: Schema.Struct({
              path: Schema.NonEmptyString,
              since: Schema.optionalKey(Schema.DateFromString)
            }),
            handler: ({ path, since }) => (since === undefined ? Effect.succeed({ path }) : Effect.fail("no history"))
          }),
          Plugin.tool({
            name: "list",
            description: "List files",
            parameters: { type: "object", properties: { glob: { type: "string", pattern: "^[*a-z]+$" } } },
            handler: () => Effect.void
          }),
          Plugin.tool({ name: "edit", description: "Edit a file", parameters: { type: "object" } }),
          Plugin.guard({ name: "rules", check: (call) => (call.tool === "edit" ? "no" : undefined) })
        ),
        { needs: base, runsTools: true }
      )
    )
  )
  it.effect("restricts what it inherits, for scopes", () =>
    holds(PluginLaws.all(Plugin.restrict({ deny: ["base"] }), { where: "scope", needs: base }))
  )
  it.effect("counts on others", () =>
    holds(
      PluginLaws.all(section("{{theirs}} {{hosts}}"), {
        needs: Plugin.variable("theirs", "x"),
        variables: ["hosts"]
      })
    )
  )
  it.effect("follows its inputs", () =>
    holds(
      PluginLaws.all((branch: string) => section(`On ${branch}.`), {
        inputs: Arbitrary.schema(Schema.Literals(["main", "next"]))
      })
    )
  )
})

describe("assembles", () => {
  const name = "plugin: assembles"
  it.effect("finds a registration that is illegal", () =>
    breaks(PluginLaws.all(Plugin.section({ name: "", order: 1, text: "x" })), name, {
      counterexample: '{ mounted: "global" }',
      expected: "a layer that builds",
      seen: 'it failed with InvalidRegistration: section "" of scope "global" has an invalid name: expected a non-empty string, got an empty one. Choose a name that no other section of the scope has.'
    })
  )
  it.effect("finds a provider that fails", () =>
    breaks(PluginLaws.all(Plugin.section({ name: "s", order: 1, text: () => Effect.fail("no disk") })), name, {
      counterexample: '{ mounted: "global" }',
      expected: "an assembly that renders",
      seen: 'it failed with ProviderFailure: section "s" of scope "global" failed: no disk. Correct the provider, or let it handle its failure.'
    })
  )
  it.effect("finds what is only for scopes", () =>
    breaks(PluginLaws.all(Plugin.persona({ prefix: "You review." })), name, {
      counterexample: '{ mounted: "global" }',
      expected: "a layer that builds",
      seen: 'it failed with DuplicateRegistration: section "deployment:persona-prefix" of scope "global" is already registered. It is built in. Configure it with SystemPrompt.layerWith, or register yours in a prompt scope of its own to shadow it there.'
    })
  )
  it.effect("finds braces for some inputs only", () =>
    breaks(
      PluginLaws.all((title: string) => section(`Working on ${title}.`), {
        inputs: Arbitrary.schema(Schema.Literals(["main", "fix {{X}}", "fix {{Y}}"]))
      }),
      name,
      {
        counterexample: '{ input: "fix {{X}}", mounted: "global" }',
        expected: "an assembly that renders",
        seen: 'it failed with MalformedGroup: section "s" of scope "global" has a malformed group `{{X}}` at line 1, column 16 (offset 15): a variable name is a–z, then a–z, 0–9, _. Write {{x}}. For literal braces set `interpolate: false`, or build the text with Template.text.'
      }
    )
  )
})

describe("leavesNothing", () => {
  const name = "plugin: leaves nothing behind"
  const own = (effect: Effect.Effect<void, unknown, Scope.Scope>) =>
    Effect.flatMap(Scope.make(), (scope) => Effect.as(Scope.provide(effect, scope), scope))

  it.effect("finds a scope that nobody closes", () =>
    breaks(PluginLaws.all(registering((prompt) => own(prompt.section({ name: "s", order: 1, text: "x" })))), name, {
      counterexample: '{ mounted: "global", end: "closed" }',
      expected: "nothing registered once its layer is closed",
      seen: 'section "s" of scope "global" is still registered'
    })
  )
  it.effect("finds a fiber that outlives the layer", () =>
    breaks(
      PluginLaws.all(
        Layer.merge(
          section("x"),
          registering((prompt) =>
            Effect.forkDetach(Effect.scoped(Effect.andThen(prompt.variable("branch", "main"), Effect.never)), {
              startImmediately: true
            })
          )
        )
      ),
      name,
      {
        counterexample: '{ mounted: "global", end: "closed" }',
        expected: "nothing registered once its layer is closed",
        seen: 'variable "branch" of scope "global" is still registered'
      }
    )
  )
  it.effect("finds what stays when a later registration is refused", () =>
    breaks(
      PluginLaws.all(
        registering((prompt) =>
          Effect.gen(function* () {
            const scope = yield* own(prompt.section({ name: "s", order: 1, text: "x" }))
            yield* prompt.context({ name: "c", order: 1, text: "x" })
            yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
          })
        )
      ),
      name,
      {
        counterexample: '{ mounted: "global", end: "refused at registration 2" }',
        expected: "nothing registered once its build has failed",
        seen: 'section "s" of scope "global" is still registered'
      }
    )
  )
  it.effect("finds what stays when the build is interrupted", () =>
    breaks(
      PluginLaws.all(
        registering((prompt) =>
          Effect.gen(function* () {
            const scope = yield* own(prompt.section({ name: "s", order: 1, text: "x" }))
            yield* prompt
              .context({ name: "c", order: 1, text: "x" })
              .pipe(Effect.tapError(() => Scope.close(scope, Exit.void)))
            yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
          })
        )
      ),
      name,
      {
        counterexample: '{ mounted: "global", end: "interrupted at registration 2" }',
        expected: "nothing registered once it was interrupted",
        seen: 'section "s" of scope "global" is still registered'
      }
    )
  )
  const inRegistry = (f: (registry: ToolRegistry["Service"]) => Effect.Effect<void, unknown, Scope.Scope>) =>
    Layer.effectDiscard(ToolRegistry.use((registry) => Effect.asVoid(own(f(registry)))))
  const forever: Readonly<Record<string, Layer.Layer<never, unknown, SystemPrompt | ToolRegistry>>> = {
    'tool "t"': inRegistry((registry) => registry.register({ name: "t", description: "", parameters: {} })),
    restriction: inRegistry((registry) => registry.restrict({ allow: [] })),
    'guard "g"': inRegistry((registry) => registry.guard({ name: "g", check: () => undefined }))
  }
  for (const [what, plugin] of Object.entries(forever)) {
    it.effect(`finds a scope of a ${what} that nobody closes`, () =>
      breaks([PluginLaws.leavesNothing(plugin, { where: "scope" })], name, {
        counterexample: '{ mounted: "scope", end: "closed" }',
        expected: "nothing registered once its layer is closed",
        seen: `${what} of scope "agent" is still registered`
      })
    )
  }
  it.effect("finds what stays when the registration of a tool is refused", () =>
    breaks(
      [
        PluginLaws.leavesNothing(
          registering((prompt) =>
            Effect.gen(function* () {
              const scope = yield* own(prompt.section({ name: "s", order: 1, text: "x" }))
              const registry = yield* ToolRegistry
              yield* registry.register({ name: "t", description: "", parameters: {} })
              yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
            })
          )
        )
      ],
      name,
      {
        counterexample: '{ mounted: "global", end: "refused at registration 2" }',
        expected: "nothing registered once its build has failed",
        seen: 'section "s" of scope "global" is still registered'
      }
    )
  )
})

describe("ignoresOrder", () => {
  const name = "plugin: any order of others"
  const seeing = <A>(f: (assembly: Assembly.Assembly) => A) =>
    registering((prompt) =>
      Effect.flatMap(prompt.assemble, (assembly) =>
        prompt.section({ name: "s", order: 1, text: JSON.stringify(f(assembly)) })
      )
    )
  it.effect("finds what lists the tools of others", () =>
    breaks(PluginLaws.all(seeing(({ tools }) => tools.map((tool) => tool.schema.name))), name, {
      counterexample: `{
  mounted: "global",
  built: "after 1 of 1",
  others: [{ _tag: "Tool", name: "bash", description: "" }]
}`,
      expected: "the same bytes as when it is built first",
      seen: 'byte 1 (line 1, column 2) of the prompt differs, in section "s" of scope "global": first `[]`, then `["bash"]`'
    })
  )
  it.effect("finds what counts variables", () =>
    breaks(PluginLaws.all(seeing(({ variables }) => variables.length)), name, {
      counterexample: `{
  mounted: "global",
  built: "after 1 of 1",
  others: [{ _tag: "Variable", name: "other_1", value: "" }]
}`,
      expected: "the same bytes as when it is built first",
      seen: 'byte 0 (line 1, column 1) of the prompt differs, in section "s" of scope "global": first `0`, then `1`'
    })
  )
  it.effect("finds what reckons its order from how many there are", () =>
    breaks(
      PluginLaws.all(
        registering((prompt) =>
          Effect.flatMap(prompt.assemble, ({ sections }) =>
            prompt.section({ name: "s", order: sections.length, text: "last" })
          )
        )
      ),
      name,
      {
        counterexample: `{
  mounted: "global",
  built: "after 1 of 1",
  others: [{ _tag: "Section", name: "zzz", order: 2, text: "x" }]
}`,
        expected: "the same bytes as when it is built first",
        seen: 'byte 0 (line 1, column 1) of the prompt differs, in section "zzz" of scope "global": first `last`, then `x`'
      }
    )
  )
})

describe("sameText", () => {
  const name = "plugin: same inputs, same text"
  const text = (text: () => string | Effect.Effect<string>) => Plugin.section({ name: "s", order: 1, text })

  it.effect("finds a date", () =>
    breaks(PluginLaws.all(text(() => `Today is ${new Date().toISOString().slice(0, 10)}.`)), name, {
      counterexample: '{ mounted: "global", assembly: 2, later: "1 day", rebuilt: false }',
      expected: "the bytes of the first assembly",
      seen: 'in assembly 2, byte 18 (line 1, column 19) of the prompt differs, in section "s" of scope "global": first `Today is 2026-01-01.`, then `Today is 2026-01-02.`'
    })
  )
  it.effect("finds the clock of Effect", () =>
    breaks(PluginLaws.all(text(() => Effect.map(Clock.currentTimeMillis, String))), name, {
      counterexample: '{ mounted: "global", assembly: 2, later: "1 ms", rebuilt: false }',
      expected: "the bytes of the first assembly",
      seen: 'in assembly 2, byte 12 (line 1, column 13) of the prompt differs, in section "s" of scope "global": first `1767225600000`, then `1767225600001`'
    })
  )
  it.effect("finds a time that was read while it was built", () =>
    breaks(
      PluginLaws.all(
        registering((prompt) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => prompt.section({ name: "s", order: 1, text: `${now}` }))
        )
      ),
      name,
      {
        counterexample: '{ mounted: "global", assembly: 2, later: "1 ms", rebuilt: true }',
        expected: "the bytes of the first assembly",
        seen: 'in assembly 2, byte 12 (line 1, column 13) of the prompt differs, in section "s" of scope "global": first `1767225600000`, then `1767225600001`'
      }
    )
  )
  it.effect("finds a coin in a tool", () =>
    breaks(
      PluginLaws.all(
        Plugin.tools(() => [{ name: "bash", description: Math.random() < 0.5 ? "Heads" : "Tails", parameters: {} }], {
          name: "fs",
          plugin: "shell"
        })
      ),
      name,
      {
        counterexample: '{ mounted: "global", assembly: 2, later: "at once", rebuilt: false }',
        expected: "the bytes of the first assembly",
        seen: 'in assembly 2, byte 31 (line 1, column 32) of the tools differs, in tool "bash" at $.description, from tool provider "fs" of scope "global" (plugin "shell"): first `…":"bash","description":"Heads","parameters":{}}]`, then `…":"bash","description":"Tails","parameters":{}}]`'
      }
    )
  )
  it.effect("finds a counter in the value of a variable", () => {
    const plugin = registering((prompt) =>
      Effect.suspend(() => {
        let count = 0
        return Effect.andThen(
          prompt.section({ name: "s", order: 1, text: "Call {{n}}." }),
          prompt.variable("n", () => `${++count}`)
        )
      })
    )
    return breaks(PluginLaws.all(plugin), name, {
      counterexample: '{ mounted: "global", assembly: 2, later: "at once", rebuilt: false }',
      expected: "the bytes of the first assembly",
      seen: 'in assembly 2, byte 5 (line 1, column 6) of the prompt differs, in the value of {{n}} in section "s" of scope "global": first `Call 1.`, then `Call 2.`'
    })
  })
  it.effect("finds tools that turn round", () => {
    const plugin = registering((prompt) =>
      Effect.suspend(() => {
        const descriptions = ["first", "second"]
        return prompt.listener({
          name: "l",
          edit: (assembly) =>
            descriptions
              .reverse()
              .reduce((all, description) => Assembly.addTool(all, { name: "x", description, parameters: {} }), assembly)
        })
      })
    )
    return breaks(PluginLaws.all(plugin), name, {
      counterexample: '{ mounted: "global", assembly: 2, later: "at once", rebuilt: false }',
      expected: "the bytes of the first assembly",
      seen: 'in assembly 2, byte 28 (line 1, column 29) of the tools differs, in tool "x" at $.description, from tool provider of scope "global", as listener "l" has left it: first `…ame":"x","description":"second","parameters":{}…`, then `…ame":"x","description":"first","parameters":{}}…`'
    })
  })
  it.effect("does not mind a context that changes", () =>
    holds(PluginLaws.all(Plugin.context({ name: "c", order: 1, text: () => new Date().toISOString() })))
  )
})

describe("declaresVariables", () => {
  const name = "plugin: declares its variables"
  const only = (plugin: Layer.Layer<never, unknown, SystemPrompt>, options?: PluginLaws.Options) => [
    PluginLaws.declaresVariables(plugin, options)
  ]
  it.effect("finds an unknown one", () =>
    breaks(only(section("On {{branch}}.")), name, {
      counterexample: '{ mounted: "global" }',
      expected: "no unknown variable",
      seen: 'section "s" of scope "global" refers to the unknown variable {{branch}} at line 1, column 4 (offset 3): `On {{branch}}.`. Known variables: none. Register it, correct the name, look for a listener that removed it, or set `interpolate: false` if the braces are literal text.'
    })
  )
  it.effect("finds a typo in a context", () =>
    breaks(only(Plugin.context({ name: "c", order: 1, text: "{{modle}}" }), { variables: ["model"] }), name, {
      counterexample: '{ mounted: "global" }',
      expected: "no unknown variable",
      seen: 'context "c" of scope "global" refers to the unknown variable {{modle}} at line 1, column 1 (offset 0): `{{modle}}`. Did you mean {{model}}? Known variables: model. Register it, correct the name, or set `interpolate: false` if the braces are literal text.'
    })
  )
  it.effect("finds one of a listener's section", () =>
    breaks(
      only(Plugin.listener({ name: "l", edit: Assembly.addSection({ name: "s", order: 1, text: "{{x}}" }) })),
      name,
      {
        counterexample: '{ mounted: "global" }',
        expected: "no unknown variable",
        seen: 'section "s" of scope "global" (as listener "l" left it) refers to the unknown variable {{x}} at line 1, column 1 (offset 0): `{{x}}`. Known variables: none. Register it, correct the name, look for a listener that removed it, or set `interpolate: false` if the braces are literal text.'
      }
    )
  )
  it.effect("does not mind one without a value, which is another law's", () =>
    holds(only(Layer.merge(section("{{ticket}}"), Plugin.variable("ticket", undefined))))
  )
})

describe("a plugin that always fails", () => {
  const build = "the plugin did not build in any case; see the law `assembles`"
  const assemble = "the plugin did not build, assemble and render in any case; see the law `assembles`"
  it.effect("is not judged where it does not build", () => {
    const plugin = Layer.effectDiscard(Effect.fail("no disk"))
    return Effect.all([
      unjudged(
        [PluginLaws.leavesNothing(plugin), PluginLaws.mountsTwice(plugin), PluginLaws.refusesTwice(plugin)],
        build
      ),
      unjudged(
        [PluginLaws.ignoresOrder(plugin), PluginLaws.sameText(plugin), PluginLaws.declaresVariables(plugin)],
        assemble
      )
    ])
  })
  it.effect("is not judged where it does not assemble", () => {
    const plugin = Plugin.section({ name: "s", order: 1, text: () => Effect.fail("no disk") })
    return Effect.all([
      unjudged(
        [
          PluginLaws.ignoresOrder(plugin),
          PluginLaws.sameText(plugin),
          PluginLaws.declaresVariables(plugin),
          PluginLaws.mountsTwice(plugin)
        ],
        assemble
      ),
      holds([PluginLaws.leavesNothing(plugin), PluginLaws.refusesTwice(plugin)])
    ])
  })
  it.effect("is judged by the cases in which it does not fail", () =>
    holds([
      PluginLaws.sameText((works: boolean) => (works ? section("x") : Layer.effectDiscard(Effect.fail("no disk"))), {
        inputs: Arbitrary.schema(Schema.Boolean)
      })
    ])
  )
})

describe("misuse", () => {
  const untyped = (value: unknown): never => value as never
  const inputs = Arbitrary.schema(Schema.Boolean)
  it.effect("is a function without inputs", () =>
    misused(
      PluginLaws.all(untyped(() => section("x"))),
      "a plugin that is a function needs `inputs`, a generator of what it is a function of"
    )
  )
  it.effect("is inputs without a function", () =>
    misused(
      PluginLaws.all(untyped(section("x")), untyped({ inputs })),
      "`inputs` are for a plugin that is a function of them"
    )
  )
  it.effect("is seen in a case where a function gives no Layer", () =>
    breaks([PluginLaws.assembles(() => untyped(Promise.resolve(section("x"))), { inputs })], "plugin: assembles", {
      counterexample: '{ input: false, mounted: "global" }',
      expected: "no failure",
      seen: "it died with TypeError: the function of inputs must give a Layer, and gave a Promise"
    })
  )
  it.effect("is no Layer", () =>
    misused(PluginLaws.all(untyped({ name: "s" })), "the plugin must be a Layer, and is an object")
  )
})

describe("mountsTwice", () => {
  const name = "plugin: mounts twice"
  it.effect("finds a global listener", () =>
    breaks(PluginLaws.all(Plugin.listener({ name: "l", global: true, edit: (assembly) => assembly })), name, {
      counterexample: '{ mounted: "scope" }',
      expected: "a second mount that builds",
      seen: 'it failed with DuplicateRegistration: listener "l" of scope "global" is already registered. Listeners of one name never replace each other. Choose another name, or register it once.'
    })
  )
  it.effect("finds what says who came first", () => {
    const seen = new Set<string>()
    const plugin = registering((prompt) =>
      Effect.acquireRelease(
        Effect.sync(() => `number ${seen.add(`${seen.size}`).size}`),
        () => Effect.sync(() => seen.clear())
      ).pipe(Effect.flatMap((text) => prompt.section({ name: "s", order: 1, text })))
    )
    return breaks([PluginLaws.mountsTwice(plugin)], name, {
      counterexample: '{ mounted: "scope" }',
      expected: "in the second scope the bytes of the first",
      seen: 'byte 7 (line 1, column 8) of the prompt differs, in section "s" of scope "agent": first `number 1`, then `number 2`'
    })
  })
  it.effect("finds what the first one takes away from the second", () => {
    let open = false
    const plugin = registering((prompt) =>
      Effect.acquireRelease(
        Effect.sync(() => (open = true)),
        () => Effect.sync(() => (open = false))
      ).pipe(Effect.andThen(prompt.section({ name: "s", order: 1, text: () => (open ? "connected" : "") })))
    )
    return breaks([PluginLaws.mountsTwice(plugin)], name, {
      counterexample: '{ mounted: "scope" }',
      expected: "in the second scope the bytes from before the first closed",
      seen: 'byte 0 (line 1, column 1) of the prompt differs, in section "s" of scope "agent": first `connected`, then ``'
    })
  })
})

describe("refusesTwice", () => {
  const name = "plugin: registers once"
  it.effect("finds names that are always new", () => {
    const plugin = registering((prompt) =>
      Effect.suspend(() => prompt.section({ name: `s ${Math.random()}`, order: 1, text: "x" }))
    )
    return breaks([PluginLaws.refusesTwice(plugin)], name, {
      counterexample: '{ mounted: "global" }',
      expected: 'DuplicateRegistration of section "s 0.26642920868471265" of scope "global"',
      seen: "it was built a second time"
    })
  })
  it.effect("finds a failure that became a defect", () =>
    breaks(PluginLaws.all(registering((p) => Effect.orDie(p.section({ name: "s", order: 1, text: "x" })))), name, {
      counterexample: '{ mounted: "global" }',
      expected: "DuplicateRegistration",
      seen: 'it died with DuplicateRegistration: section "s" of scope "global" is already registered. Choose another name, or register it in a prompt scope of its own to shadow the global one there.'
    })
  )
  it.effect("finds a failure that it swallows", () =>
    breaks(PluginLaws.all(registering((p) => Effect.ignore(p.section({ name: "s", order: 1, text: "x" })))), name, {
      counterexample: '{ mounted: "global" }',
      expected: 'DuplicateRegistration of section "s" of scope "global"',
      seen: "it was built a second time"
    })
  )
  it.effect("finds half of a second time", () =>
    breaks(
      [
        PluginLaws.refusesTwice(
          registering((prompt) =>
            Effect.flatMap(Scope.make(), (scope) => Scope.provide(prompt.suppressContexts, scope)).pipe(
              Effect.andThen(prompt.section({ name: "s", order: 1, text: "x" }))
            )
          )
        )
      ],
      name,
      {
        counterexample: '{ mounted: "global" }',
        expected: "what was registered before the second time",
        seen: 'suppressor of scope "global" is left'
      }
    )
  )
})

describe("refusesTwice, of tools", () => {
  const name = "plugin: registers once"
  it.effect("finds a failure that it swallows", () =>
    breaks(
      PluginLaws.all(
        Layer.effectDiscard(
          ToolRegistry.use((registry) =>
            Effect.ignore(registry.register({ name: "t", description: "", parameters: {} }))
          )
        )
      ),
      name,
      {
        counterexample: '{ mounted: "global" }',
        expected: 'DuplicateRegistration of tool "t" of scope "global"',
        seen: "it was built a second time"
      }
    )
  )
  it.effect("lets restrictions be there twice", () =>
    holds([PluginLaws.refusesTwice(Plugin.restrict({ allow: [] }), { where: "scope" })])
  )
})

describe("annotations", () => {
  const Mode = Context.Reference<string>("test/Mode", { defaultValue: () => "write" })
  const modes = Arbitrary.map(Arbitrary.schema(Schema.Literals(["write", "read"])), (mode) => Context.make(Mode, mode))
  it.effect("are there when it is about variables", () =>
    breaks(
      [
        PluginLaws.declaresVariables(
          Plugin.section({
            name: "s",
            order: 1,
            text: ({ annotations }) => (Context.get(annotations, Mode) === "read" ? "{{branch}}" : "x")
          }),
          { annotations: modes }
        )
      ],
      "plugin: declares its variables",
      {
        counterexample: '{ mounted: "global", annotations: { "test/Mode": "read" } }',
        expected: "no unknown variable",
        seen: 'section "s" of scope "global" refers to the unknown variable {{branch}} at line 1, column 1 (offset 0): `{{branch}}`. Known variables: none. Register it, correct the name, look for a listener that removed it, or set `interpolate: false` if the braces are literal text.'
      }
    )
  )
  it.effect("are what a runtime tells the providers", () =>
    breaks(
      PluginLaws.all(
        Plugin.section({
          name: "s",
          order: 1,
          text: ({ annotations }) => (Context.get(annotations, Mode) === "read" ? `${new Date().getFullYear()}` : "x")
        }),
        { annotations: modes }
      ),
      "plugin: same inputs, same text",
      {
        counterexample: `{
  mounted: "global",
  annotations: { "test/Mode": "read" },
  assembly: 2,
  later: "1 year",
  rebuilt: false
}`,
        expected: "the bytes of the first assembly",
        seen: 'in assembly 2, byte 3 (line 1, column 4) of the prompt differs, in section "s" of scope "global": first `2026`, then `2027`'
      }
    )
  )
})
