import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Context, Effect, Layer, Schema, SchemaGetter, SchemaTransformation } from "effect"
import { Annotations, Assembly, Plugin, type SystemPrompt, type ToolRegistry } from "effect-preamble"
import { Law, PluginLaws } from "effect-preamble/testing"
import { breaks, holds, unjudged } from "./support/reports.ts"

/** A tool whose arguments are any object. */
const base = Plugin.tool({
  name: "base",
  description: "",
  parameters: { type: "object" },
  handler: () => Effect.die("is not to run")
})

const section = (text: string) => Plugin.section({ name: "s", order: 1, text })

describe("takesArguments", () => {
  const name = "plugin: tools take their arguments"
  const raw = { type: "object", properties: { path: { type: "string" } }, required: ["path"] }
  it.effect("finds what only the decoder asks, and runs no handler", () =>
    breaks(
      PluginLaws.all(
        Plugin.tool({
          name: "read",
          description: "Read a file",
          parameters: raw,
          decode: Schema.Struct({ path: Schema.NonEmptyString }),
          handler: () => Effect.die("ran")
        })
      ),
      name,
      {
        counterexample: '{ mounted: "global" }',
        expected: "arguments that fit the parameters and are taken",
        seen: 'tool "read", called with { path: "" }: invalid arguments of tool "read": at $.path: Expected a value with a length of at least 1. Call it again with arguments that fit its parameters.'
      }
    )
  )
  it.effect("finds a decoder that dies", () =>
    breaks(
      PluginLaws.all(
        Plugin.tool({
          name: "read",
          description: "Read a file",
          parameters: raw,
          decode: Schema.Struct({
            path: Schema.String.check(
              Schema.makeFilter(() => {
                throw new Error("no disk")
              })
            )
          }),
          handler: () => Effect.void
        })
      ),
      name,
      {
        counterexample: '{ mounted: "global" }',
        expected: "arguments that fit the parameters and are taken",
        seen: 'tool "read", called with { path: "" }: tool "read" died while its arguments were decoded: no disk.'
      }
    )
  )
  it.effect("judges what is decoded where parameters say more than can be checked, and skips what is not shown", () =>
    holds([
      PluginLaws.takesArguments(
        Layer.mergeAll(
          Plugin.tool({
            name: "read",
            description: "Read a file",
            parameters: { ...raw, not: { required: ["secret"] } },
            decode: Schema.Struct({ path: Schema.NonEmptyString }),
            handler: () => Effect.die("ran")
          }),
          Plugin.tool({
            name: "gone",
            description: "",
            parameters: raw,
            decode: Schema.Never,
            handler: () => Effect.void
          }),
          Plugin.listener({ name: "l", edit: Assembly.removeTool("gone") })
        )
      )
    ])
  )
  it.effect("is not judged where no arguments can be made", () =>
    unjudged(
      [
        PluginLaws.takesArguments(
          Plugin.tool({
            name: "read",
            description: "Read a file",
            parameters: Schema.Struct({ path: Schema.String.check(Schema.makeFilter(() => false)) }),
            handler: () => Effect.void
          })
        )
      ],
      'no case says anything of tool "read" (no arguments could be made from its parameters)'
    )
  )
  it.effect("is not judged where no value can be encoded", () =>
    unjudged(
      [
        PluginLaws.takesArguments(
          Plugin.tool({
            name: "read",
            description: "Read a file",
            parameters: Schema.Struct({
              path: Schema.String.pipe(
                Schema.decodeTo(Schema.String, {
                  decode: SchemaGetter.passthrough(),
                  encode: SchemaGetter.forbidden(() => "it is only decoded")
                })
              )
            }),
            handler: () => Effect.void
          })
        )
      ],
      'no case says anything of tool "read" (no arguments could be made from its parameters)'
    )
  )
  it.effect("is not judged where no arguments can be made for one of its tools", () =>
    unjudged(
      [
        PluginLaws.takesArguments(
          Layer.merge(
            base,
            Plugin.tool({
              name: "read",
              description: "Read a file",
              parameters: Schema.Struct({ path: Schema.String.check(Schema.makeFilter(() => false)) }),
              handler: () => Effect.void
            })
          )
        )
      ],
      'no case says anything of tool "read" (no arguments could be made from its parameters)'
    )
  )
})

describe("takesShown", () => {
  const name = "plugin: tools take all that is shown"
  const handler = () => Effect.die("ran")
  const tool = (since: Schema.Codec<unknown, unknown>) =>
    Plugin.tool({ name: "log", description: "Show the log", parameters: Schema.Struct({ since }), handler })
  const law = (since: Schema.Codec<unknown, unknown>) => [PluginLaws.takesShown(tool(since))]
  const expected = "arguments that fit what the model is shown and are taken"
  const counterexample = '{ mounted: "global" }'
  const refused = (args: string, why: string) =>
    `tool "log", called with ${args}: invalid arguments of tool "log": at $.since: ${why}. Call it again with arguments that fit its parameters.`

  it.effect("finds a date, of which the model is only shown that it is a string", () =>
    breaks(law(Schema.DateFromString), name, {
      counterexample,
      expected,
      seen: refused('{ since: "" }', "Expected a valid Date")
    })
  )
  it.effect("finds a number, of which the model is only shown that it is a string", () =>
    breaks(law(Schema.FiniteFromString), name, {
      counterexample,
      expected,
      seen: refused('{ since: "\\u0000" }', "Expected a finite number")
    })
  )
  it.effect("finds a check after a transformation", () =>
    breaks(law(Schema.FiniteFromString.check(Schema.isBetween({ minimum: 1, maximum: 5 }))), name, {
      counterexample,
      expected,
      seen: refused('{ since: "" }', "Expected a value between 1 and 5")
    })
  )
  it.effect("says what to do", () =>
    Effect.map(Law.check(law(Schema.DateFromString)), ([report]) => {
      if (report?._tag !== "Failed") return assert.fail("it holds")
      assert.include(
        report.advice,
        'Schema.String.annotate({ description: "…" }).check(Schema.isPattern(/…/u)).pipe(Schema.decodeTo(…))'
      )
    })
  )
  it.effect("holds where the encoded side says all, and runs no handler", () => {
    const digits = Schema.String.annotate({ description: "Revision, such as 12" }).check(
      Schema.isPattern(/^[0-9]{1,4}$/u)
    )
    const honest = {
      "a described string": digits.pipe(Schema.decodeTo(Schema.Finite, SchemaTransformation.numberFromString)),
      "a number": Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })),
      "a choice": Schema.Literals(["today", "ever"])
    }
    const laws = [...Object.values(honest).map(law), [PluginLaws.takesShown(Layer.merge(tool(Schema.Int), base))]]
    return Effect.forEach(laws, holds)
  })
  it.effect("judges what a listener has made of the parameters", () =>
    breaks(
      [
        PluginLaws.takesShown(
          Layer.merge(
            tool(Schema.Literals(["today", "ever"])),
            Plugin.listener({
              name: "l",
              edit: Assembly.mapTool("log", (one) => ({
                ...one,
                parameters: { type: "object", properties: { since: { type: "string" } }, required: ["since"] }
              }))
            })
          )
        )
      ],
      name,
      { counterexample, expected, seen: refused('{ since: "" }', 'Expected "today" | "ever"') }
    )
  )
  it.effect("is no law of `all`: what the model is refused, it can correct", () =>
    holds(PluginLaws.all(tool(Schema.DateFromString)))
  )
  it.effect("is not judged where nothing is shown that it could call", () =>
    Effect.all([
      unjudged(
        [
          PluginLaws.takesShown(
            Layer.mergeAll(
              base,
              Plugin.listener({ name: "a", edit: Assembly.removeTool("base") }),
              Plugin.listener({
                name: "b",
                edit: Assembly.addTool({ name: "base", description: "", parameters: { type: "object" } })
              })
            )
          )
        ],
        'no case says anything of tool "base" (it cannot be called: it comes from a tool provider or a listener. Register it with a handler, or run its calls yourself.)'
      ),
      unjudged([PluginLaws.takesShown(section("x"))], "the plugin has no tool with a handler in any case"),
      unjudged(
        [PluginLaws.takesShown(Layer.merge(base, Plugin.listener({ name: "l", edit: Assembly.removeTool("base") })))],
        'no case says anything of tool "base" (the model is not shown it)'
      )
    ])
  )
})

describe("requiresKnownTools", () => {
  const name = "plugin: requires known tools"
  const lend = Plugin.tool({ name: "lend_book", description: "Lend a book", parameters: { type: "object" } })
  const lending = (...requires: ReadonlyArray<string>) =>
    Plugin.section({ name: "lending", order: 1, text: "Lend at most three {{things}}.", requires })
  const plugin = (...requires: ReadonlyArray<string>) =>
    Layer.mergeAll(lend, lending(...requires), Plugin.variable("things", "books"))
  const expected = "tools that somebody has"

  it.effect("finds a slip in a name", () =>
    breaks(PluginLaws.all(plugin("lend_book", "lend_bok")), name, {
      counterexample: '{ mounted: "global" }',
      expected,
      seen: 'section "lending" of scope "global" requires the tool "lend_bok", which nobody has, so it is left out. Did you mean "lend_book"?'
    })
  )
  it.effect("finds the tool of a host that it was not told of, and one that a listener's section requires", () =>
    Effect.all([
      breaks(PluginLaws.all(section("x").pipe(Layer.merge(plugin("bash")))), name, {
        counterexample: '{ mounted: "global" }',
        expected,
        seen: 'section "lending" of scope "global" requires the tool "bash", which nobody has, so it is left out.'
      }),
      breaks(
        [
          PluginLaws.requiresKnownTools(
            Plugin.listener({
              name: "l",
              edit: Assembly.addSection({ name: "s", order: 1, text: "x", requires: ["bash"] })
            })
          )
        ],
        name,
        {
          counterexample: '{ mounted: "global" }',
          expected,
          seen: 'section "s" of scope "global" requires the tool "bash", which nobody has, so it is left out.'
        }
      )
    ])
  )
  it.effect("finds an unknown tool behind one that is only hidden", () =>
    breaks(
      [
        PluginLaws.requiresKnownTools(
          Layer.merge(
            plugin("lend_book", "bash"),
            Plugin.listener({ name: "l", edit: Assembly.removeTool("lend_book") })
          )
        )
      ],
      name,
      {
        counterexample: '{ mounted: "global" }',
        expected,
        seen: 'section "lending" of scope "global" requires the tool "bash", which nobody has, so it is left out.'
      }
    )
  )
  it.effect("holds where the tool is its own, one of others, a host's, or hidden", () =>
    Effect.all([
      holds(PluginLaws.all(plugin("lend_book"))),
      holds([PluginLaws.requiresKnownTools(plugin("base"), { needs: base })]),
      holds([PluginLaws.requiresKnownTools(plugin("bash", "lend_book"), { tools: ["read", "bash"] })]),
      holds([
        PluginLaws.requiresKnownTools(
          Layer.merge(plugin("lend_book"), Plugin.listener({ name: "l", edit: Assembly.removeTool("lend_book") }))
        )
      ]),
      holds([
        PluginLaws.requiresKnownTools(Layer.merge(lending("base"), Plugin.restrict({ deny: ["base"] })), {
          where: "scope",
          needs: base
        })
      ])
    ])
  )
  it.effect("lets a tool that is there only sometimes be one of `tools`", () => {
    const sometimes = (has: boolean) =>
      has ? plugin("lend_book") : Layer.merge(lending("lend_book"), Plugin.variable("things", "books"))
    const inputs = Arbitrary.schema(Schema.Boolean)
    return Effect.all([
      breaks([PluginLaws.requiresKnownTools(sometimes, { inputs })], name, {
        counterexample: '{ input: false, mounted: "global" }',
        expected,
        seen: 'section "lending" of scope "global" requires the tool "lend_book", which nobody has, so it is left out.'
      }),
      holds(PluginLaws.all(sometimes, { inputs, tools: ["lend_book"] }))
    ])
  })
  it.effect("has the other laws see the section when it is told of the tool", () =>
    Effect.andThen(
      holds([PluginLaws.declaresVariables(lending("bash"))]),
      breaks([PluginLaws.declaresVariables(lending("bash"), { tools: ["bash"] })], "plugin: declares its variables", {
        counterexample: '{ mounted: "global" }',
        expected: "no unknown variable",
        seen: 'section "lending" of scope "global" refers to the unknown variable {{things}} at line 1, column 20 (offset 19): `Lend at most three {{things}}.`. Known variables: none. Register it, correct the name, look for a listener that removed it, or set `interpolate: false` if the braces are literal text.'
      })
    )
  )
})

describe("answersCalls", () => {
  const name = "plugin: tools answer"
  const tool = <E>(handler: (path: string) => Effect.Effect<unknown, E>) =>
    PluginLaws.all(
      Plugin.tool({
        name: "read",
        description: "Read a file",
        parameters: Schema.Struct({ path: Schema.String }),
        handler: ({ path }) => handler(path)
      }),
      { runsTools: true }
    )
  it.effect("finds a result that is no plain JSON", () =>
    breaks(
      tool((path) => Effect.succeed({ path, read: new Date(0) })),
      name,
      {
        counterexample: '{ mounted: "global" }',
        expected: "plain JSON, nothing, or a typed failure",
        seen: 'tool "read", called with { path: "" }: tool "read" gave a result that is no plain JSON at $.read: an instance of Date is not plain JSON. Write what it stands for.'
      }
    )
  )
  it.effect("finds a handler that dies of some arguments", () =>
    breaks(
      tool((path) => Effect.sync(() => decodeURIComponent(`%${path}`))),
      name,
      {
        counterexample: '{ mounted: "global" }',
        expected: "plain JSON, nothing, or a typed failure",
        seen: 'tool "read", called with { path: "" }: tool "read" died: URI malformed.'
      }
    )
  )
  const wrong = (tool: string) =>
    Plugin.tool({
      name: tool,
      description: "",
      parameters: { type: "object" },
      handler: () => Effect.succeed(new Map())
    })
  const fine = (tool: string) =>
    Plugin.tool({ name: tool, description: "", parameters: { type: "object" }, handler: () => Effect.void })
  const only = (...plugins: ReadonlyArray<Layer.Layer<never, unknown, SystemPrompt | ToolRegistry>>) => [
    PluginLaws.answersCalls(Layer.mergeAll(Layer.empty, ...plugins))
  ]
  it.effect("lets typed failures be, and guards that let some calls through", () =>
    Effect.andThen(
      holds(tool(() => Effect.fail("no such file"))),
      holds([
        PluginLaws.answersCalls(
          Layer.merge(
            Plugin.tool({
              name: "read",
              description: "Read a file",
              parameters: Schema.Struct({ path: Schema.String }),
              handler: () => Effect.void
            }),
            Plugin.guard<{ readonly path: string }>({
              name: "g",
              check: ({ arguments: args }) => (JSON.stringify(args).length > 12 ? "no" : undefined)
            })
          )
        )
      ])
    )
  )
  it.effect("is not judged where a guard refuses all calls of a tool", () =>
    Effect.all([
      unjudged(
        only(wrong("t"), Plugin.guard({ name: "g", check: () => "no" })),
        'no case says anything of tool "t" (guard "g" refused its calls)'
      ),
      unjudged(
        only(
          fine("a"),
          wrong("t"),
          fine("u"),
          Plugin.guard({ name: "g", check: (call) => (call.tool === "a" ? undefined : "no") })
        ),
        'no case says anything of tool "t" (guard "g" refused its calls), tool "u" (guard "g" refused its calls)'
      )
    ])
  )
  it.effect("finds a guard that fails or throws", () =>
    Effect.all([
      breaks(only(fine("t"), Plugin.guard({ name: "g", check: () => Effect.fail("no disk") })), name, {
        counterexample: '{ mounted: "global" }',
        expected: "a guard that gives a reason or nothing",
        seen: 'tool "t", called with {}: the call of tool "t" was not let through: guard "g" of scope "global" failed: no disk. Correct the guard, or let it handle its failure.'
      }),
      breaks(
        only(
          fine("t"),
          Plugin.guard({
            name: "g",
            check: () => {
              throw new Error("no disk")
            }
          })
        ),
        name,
        {
          counterexample: '{ mounted: "global" }',
          expected: "a guard that gives a reason or nothing",
          seen: 'tool "t", called with {}: the call of tool "t" was not let through: guard "g" of scope "global" died: no disk. Correct the guard, or let it handle its failure.'
        }
      )
    ])
  )
  it.effect("is not judged where there is no handler, or no call gets to it", () =>
    Effect.all([
      unjudged(only(), "the plugin has no tool with a handler in any case"),
      unjudged(
        only(Plugin.tool({ name: "t", description: "", parameters: { type: "object" } })),
        "the plugin has no tool with a handler in any case"
      ),
      unjudged(
        only(fine("a"), wrong("t"), Plugin.listener({ name: "l", edit: Assembly.removeTool("t") })),
        'no case says anything of tool "t" (the model is not shown it)'
      ),
      unjudged(
        only(
          Plugin.tool({
            name: "t",
            description: "",
            parameters: { type: "object" },
            decode: Schema.Struct({ path: Schema.String.check(Schema.makeFilter(() => false)) }),
            handler: () => Effect.succeed(new Map())
          })
        ),
        'no case says anything of tool "t" (its arguments were refused; see the law `takesArguments`)'
      )
    ])
  )
  it.effect("is judged where each tool is reached in some case, whichever that is", () =>
    holds([
      PluginLaws.answersCalls(
        (open: string) =>
          Layer.mergeAll(
            fine("a"),
            fine("b"),
            Plugin.guard({ name: "g", check: (call) => (call.tool === open ? undefined : "no") })
          ),
        { inputs: Arbitrary.schema(Schema.Literals(["a", "b"])) }
      )
    ])
  )
  it.effect("tells guards what a runtime tells", () => {
    const Mode = Context.Reference<string>("test/Mode", { defaultValue: () => "read" })
    const guarded = Layer.merge(
      wrong("t"),
      Plugin.guard({
        name: "g",
        check: () => Effect.map(Annotations, (all) => (Context.get(all, Mode) === "read" ? "no" : undefined))
      })
    )
    const annotations = Arbitrary.map(Arbitrary.schema(Schema.Literals(["read", "write"])), (mode) =>
      Context.make(Mode, mode)
    )
    return breaks([PluginLaws.answersCalls(guarded, { annotations })], name, {
      counterexample: '{ mounted: "global", annotations: { "test/Mode": "write" } }',
      expected: "plain JSON, nothing, or a typed failure",
      seen: 'tool "t", called with {}: tool "t" gave a result that is no plain JSON at $: an instance of Map is not plain JSON. Write what it stands for.'
    })
  })
  it.effect("passes over values that cannot be encoded", () =>
    holds([
      PluginLaws.answersCalls(
        Plugin.tool({
          name: "t",
          description: "",
          parameters: Schema.Struct({
            odd: Schema.Int.pipe(
              Schema.decodeTo(Schema.Int, {
                decode: SchemaGetter.passthrough(),
                encode: SchemaGetter.checkEffect((n: number) => Effect.succeed(n % 2 !== 0))
              })
            )
          }),
          handler: () => Effect.void
        })
      )
    ])
  )
  it.effect("forgets what it reached when it is checked again", () => {
    let refuses = false
    const law = only(fine("t"), Plugin.guard({ name: "g", check: () => (refuses ? "no" : undefined) }))
    return Effect.andThen(
      holds(law),
      Effect.suspend(() => {
        refuses = true
        return Effect.map(Law.check(law), ([report]) => assert.strictEqual(report?._tag, "Unjudged"))
      })
    )
  })
  it.effect("runs no tool unless it is told that it may", () =>
    holds(
      PluginLaws.all(
        Plugin.tool({ name: "t", description: "", parameters: { type: "object" }, handler: () => Effect.die("ran") })
      )
    )
  )
})
