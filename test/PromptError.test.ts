import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { Effect, Equal, Result, Schema, type Scope } from "effect"
import { Assembly, Overlay, Persona, PromptError, PromptScope, Section, SystemPrompt, ToolOrder } from "../src/index.ts"
import { assemble, overlay, refused, unrendered } from "./support/known.ts"

// -----------------------------------------------------------------------------
// errors as they happen, with what their messages must say
// -----------------------------------------------------------------------------

/** An error, who it blames, in words, and what it says to do. */
type Sample = readonly [error: PromptError.PromptError, blamed: string | RegExp, remedy: RegExp]

const tool = (name: string, parameters: object = {}) => ({ name, description: "", parameters })

const failureOf = <A, E>(result: Result.Result<A, E>): E => Result.getOrThrow(Result.flip(result))

const refusedBy = (options: Overlay.Options, list?: ReadonlyArray<string>): PromptError.PromptError =>
  refused([overlay(options, "agent")], {
    toolOrder: list === undefined ? undefined : Result.getOrThrow(ToolOrder.make(list))
  })

const twice = (scope: string, plugin?: string) => {
  const one = { name: "guide", order: 0, text: "", plugin }
  return failureOf(Overlay.make(scope, { sections: [one, { ...one, plugin: "second" }] }))
}

const complete = (name: string, plugin?: string) =>
  overlay({ sections: [{ name, order: 0, text: "", complete: true, plugin }] }, `scope of ${name}`)

const unrenderedText = (text: string, options?: Overlay.Options) =>
  unrendered(
    assemble([overlay({ sections: [{ name: "guide", order: 0, text, plugin: "core" }], ...options }, "agent")])
  )

const listening = (edit: (self: Assembly.Assembly) => unknown) =>
  // Its type says that it gives an assembly; that of an untyped plugin may not.
  refusedBy({
    listeners: [{ name: "mask", plugin: "ext", edit: edit as (self: Assembly.Assembly) => Assembly.Assembly }]
  })

const guide = 'section "guide" of scope "agent" (plugin "core")'
const fs = 'tool provider "fs" of scope "agent" (plugin "core")'
const mask = 'listener "mask" of scope "agent" (plugin "ext")'

const pure: ReadonlyArray<Sample> = [
  [twice("global"), 'section "guide" of scope "global" (plugin "second")', /another name.*prompt scope of its own/],
  [twice("agent", "first"), /scope "agent" .*by plugin "first"/, /another name.*close the Effect scope/],
  [
    failureOf(Section.make({ name: "guide", order: Number.NaN, text: "", plugin: "core" }, "agent")),
    guide,
    /finite number.*Use a number/
  ],
  [failureOf(Section.make({ name: "", order: 0, text: "" }, "agent")), 'section "" of scope "agent"', /Choose a name/],
  [failureOf(ToolOrder.make(["read", "read"])), /toolOrder.*"read"/, /Keep one/],
  [failureOf(ToolOrder.make(["read"])), "toolOrder", /Put it where/],
  [
    refused([complete("one"), complete("two", "p")]),
    'section "one" of scope "scope of one" and section "two" of scope "scope of two" (plugin "p")',
    /Shadow one of them.*or drop/
  ],
  [
    refusedBy({ tools: [{ tools: [tool("read")] }] }, ["raed", ToolOrder.restMarker]),
    /toolOrder.*raed/,
    /Did you mean "read".*Correct the name/
  ],
  [refusedBy({}, ["far", ToolOrder.restMarker]), /toolOrder.*far/, /Correct the name/],
  [refusedBy({ tools: [{ tools: [tool(ToolOrder.restMarker)], name: "fs", plugin: "core" }] }), fs, /Rename the tool/],
  [
    refusedBy({ tools: [{ tools: [tool("read", { max: Number.NaN })], name: "fs", plugin: "core" }] }),
    `tool "read" from ${fs} is invalid at $.parameters.max`,
    /Write a finite number/
  ],
  [
    refusedBy({ tools: [{ tools: [tool("read", { "a-b": [() => 1] })] }] }),
    /tool "read" from tool provider of scope "agent" .*\$\.parameters\["a-b"\]\[0\]/,
    /Leave it out/
  ],
  [
    listening(() => {
      throw new Error("boom")
    }),
    `${mask} threw: boom.`,
    /Correct the listener/
  ],
  ...[
    (self: Assembly.Assembly) => Object.assign(self, { tools: [] }),
    (self: Assembly.Assembly) => Reflect.apply(Array.prototype.push, self.sections, [1]),
    (self: Assembly.Assembly) => Object.defineProperty(self, "sections", { value: [] }),
    (self: Assembly.Assembly) => {
      delete (self as { sections?: unknown }).sections
      return self
    }
  ].map((edit): Sample => [
    listening(edit),
    `${mask} threw: Cannot `,
    /An assembly is frozen: return what an edit of Assembly gives/
  ]),
  [listening(() => null), `${mask} returned an invalid assembly at $`, /Return the assembly/],
  [listening((self) => ({ ...self, extra: 1 })), /mask.*at \$\.extra/, /Assembly\.annotate/],
  [listening((self) => ({ ...self, sections: [{ name: "x" }] })), /mask.*at \$\.sections\[0\]/, /expected/],
  [
    unrenderedText("a\nb {{modle}}", { variables: [{ name: "model", value: "" }] }),
    `${guide} refers to the unknown variable {{modle}} at line 2, column 3 (offset 4)`,
    /Did you mean \{\{model\}\}\?.*Register it, correct the name, or set `interpolate: false`/
  ],
  [
    unrendered(assemble([overlay({ contexts: [{ name: "time", order: 0, text: "{{nope}}" }] })])),
    'context "time" of scope "global"',
    /Register it/
  ],
  [
    unrendered(
      assemble([
        overlay({ listeners: [{ name: "adds", edit: Assembly.addSection({ name: "z", order: 0, text: "{{q}}" }) }] })
      ])
    ),
    'section "z" of scope "global" (as listener "adds" left it)',
    /Known variables: none\. Register it, correct the name, look for a listener that removed it, or set `interpolate/
  ],
  [
    unrenderedText("{{cwd}}", { variables: [{ name: "cwd", value: undefined }] }),
    guide,
    /let its provider give one, shadow it/
  ],
  [unrenderedText("x {{ Model }}"), guide, /Write \{\{model\}\}.*interpolate: false/],
  [unrenderedText("{{a {b}}"), guide, /interpolate: false/]
]

class Unreachable extends Schema.TaggedError<Unreachable>()("Unreachable", { host: Schema.String }) {}

/** Those that only the services have. */
const effectful = Effect.gen(function* () {
  const prompt = yield* SystemPrompt
  /** Registers in a scope of its own, and assembles for it. */
  const failing = <E>(register: Effect.Effect<void, E, Scope.Scope>) =>
    PromptScope.make("agent").pipe(
      Effect.flatMap(({ scope }) => Effect.andThen(register, prompt.assemble).pipe(PromptScope.provide(scope))),
      Effect.scoped,
      Effect.flip
    )
  const providing = (text: () => Effect.Effect<string, unknown>) =>
    failing(prompt.section({ name: "guide", order: 0, text, plugin: "core" }))
  const closed = yield* Effect.scoped(PromptScope.make("agent"))
  const outer = yield* PromptScope.make("outer")
  const inner = yield* PromptScope.make("inner", { parent: outer.scope })
  const inClosed = PromptScope.provide(closed.scope)
  const late = prompt.section({ name: "guide", order: 0, text: "", plugin: "core" })
  const samples: ReadonlyArray<Sample> = [
    [yield* Effect.flip(inClosed(late)), guide, /Register while/],
    [yield* Effect.flip(inClosed(prompt.suppressContexts)), 'suppressor of scope "agent"', /make a new scope/],
    [
      yield* Effect.flip(PromptScope.make("orphan", { parent: closed.scope })),
      'prompt scope "agent" is closed',
      /Use a scope/
    ],
    [yield* Effect.flip(closed.rebind(PromptScope.global)), 'prompt scope "agent" is closed', /Use a scope/],
    [
      yield* Effect.flip(outer.rebind(inner.scope)),
      'prompt scope "outer" cannot have parent "inner"',
      /choose one that does not descend/
    ],
    [
      yield* providing(() => Effect.fail(new Error("no connection"))),
      `${guide} failed: no connection.`,
      /Correct the provider, or let it handle its failure\.$/
    ],
    [yield* providing(() => Effect.fail(new Unreachable({ host: "h" }))), `${guide} failed: Unreachable.`, /Correct/],
    [yield* providing(() => Effect.fail("a string")), `${guide} failed: a string.`, /Correct/],
    [yield* providing(() => Effect.fail(42)), `${guide} failed: 42.`, /Correct/],
    [yield* providing(() => Effect.die(new TypeError("a bug!"))), `${guide} died: a bug! `, /Correct/],
    [
      yield* providing(() => {
        throw new RangeError("thrown", { cause: new Error("deeper") })
      }),
      `${guide} threw: thrown.`,
      /Correct/
    ],
    [
      yield* failing(
        prompt.listener({ name: "mask", plugin: "ext", edit: () => Effect.fail(new Unreachable({ host: "h" })) })
      ),
      `${mask} failed: Unreachable.`,
      /Correct the listener, or let it handle its failure\.$/
    ]
  ]
  return samples
}).pipe(Effect.provide(SystemPrompt.layer))

const samples = Effect.map(effectful, (more) => [...pure, ...more])

const forEach = (f: (...sample: Sample) => void) => Effect.map(samples, (all) => all.forEach((sample) => f(...sample)))

const classes = PromptError.PromptError.members

const tagOf = ({ fields }: (typeof classes)[number]) => fields._tag.schema.literal

const codec = Schema.toCodecJson(PromptError.PromptError)

describe("what to do depends on what happened", () => {
  const one = { name: "x", order: 0, text: "" }
  const remedies: ReadonlyArray<readonly [what: string, make: () => PromptError.PromptError, says: string]> = [
    [
      "a listener twice",
      () => {
        const listener = { name: "l", edit: (self: Assembly.Assembly) => self }
        return failureOf(Overlay.make("global", { listeners: [listener, listener] }))
      },
      'listener "l" of scope "global" is already registered. Listeners of one name never replace each other. Choose another name, or register it once.'
    ],
    [
      "a built-in section again",
      () =>
        failureOf(
          Overlay.make("global", {
            sections: Array.from({ length: 2 }, () => ({ ...one, name: Persona.names.prefix }))
          })
        ),
      "It is built in. Configure it with SystemPrompt.layerWith, or register yours in a prompt scope of its own to shadow it there."
    ],
    [
      "a context named like a built-in section",
      () =>
        failureOf(
          Overlay.make("global", {
            contexts: Array.from({ length: 2 }, () => ({ ...one, name: Persona.names.prefix }))
          })
        ),
      "another name"
    ],
    [
      "complete sections of the scope itself",
      () => refused([overlay({ sections: ["a", "b"].map((name) => ({ ...one, name, complete: true })) }, "agent")]),
      "Only one section can be the whole prompt. Drop `complete` from all but one."
    ],
    [
      "complete sections, one of an ancestor",
      () => refused([complete("far"), complete("near")]),
      "Shadow one of them in this scope by a section of the same name, or drop its `complete`."
    ],
    [
      "more known variables than are listed",
      () => {
        const variables = Array.from({ length: 103 }, (_, i) => ({ name: `v${i}`, value: "" }))
        return unrenderedText("{{nope}}", { variables })
      },
      " and 3 more. Register it"
    ],
    [
      "as many as are listed",
      () =>
        unrenderedText("{{nope}}", {
          variables: Array.from({ length: 100 }, (_, i) => ({ name: `v${i}`, value: "" }))
        }),
      "v99. Register it"
    ],
    [
      "a scope under its own descendant",
      () => new PromptError.ScopeCycle({ scope: "a", parent: "c", chain: ["a", "b", "c"] }),
      'prompt scope "a" cannot have parent "c": it would be its own ancestor (a → b → c).'
    ],
    [
      "a closed scope, for what has no name",
      () => new PromptError.ScopeClosed({ scope: "agent", kind: "tools" }),
      'tool provider of scope "agent" cannot be registered: the prompt scope "agent" is closed.'
    ],
    [
      "a cause that has a full stop, though not at its end",
      () =>
        new PromptError.ProviderFailure({ kind: "variable", entry: "v", scope: "s", reason: "failed", cause: "no. 5" }),
      "failed: no. 5. Correct"
    ]
  ]
  for (const [what, make, says] of remedies) it(what, () => assert.include(make().message, says))
})

describe("every error", () => {
  it.effect("is among the samples", () =>
    Effect.map(samples, (all) => {
      assert.strictEqual(classes.length, 15)
      assert.sameMembers([...new Set(all.map(([error]) => error._tag))], classes.map(tagOf))
    })
  )

  it.effect("is a real error of its own class, named after the package", () =>
    forEach((error) => {
      assert.instanceOf(error, Error)
      const own = classes.find((one) => tagOf(one) === error._tag)
      assert.isTrue(own !== undefined && error instanceof own)
      assert.strictEqual(error.name, `effect-preamble/${error._tag}`)
      assert.include(error.stack ?? "", error._tag)
    })
  )

  it.effect("names who is to blame and says what to do", () =>
    forEach(({ message }, blamed, remedy) => {
      if (typeof blamed === "string") assert.include(message, blamed)
      else assert.match(message, blamed)
      assert.match(message, remedy)
      assert.notMatch(message, /\[object|\n/u)
      assert.match(message, /[.!?]$/u)
    })
  )

  it.effect("has its owner in fields: kind, entry, scope, and the plugin if there is one", () =>
    forEach((error) => {
      if (error._tag === "ScopeCycle" || error._tag === "MultipleCompleteSections" || error._tag === "ScopeClosed") {
        return assert.isNotEmpty(error.scope)
      }
      assert.include(error.message, error.kind === "toolOrder" ? "toolOrder" : PromptError.describeOwner(error))
      const owner = PromptError.ownerFields(error)
      assert.deepInclude(error, owner)
      assert.strictEqual("plugin" in error, owner.plugin !== undefined)
    })
  )

  it.effect("survives encoding to JSON text and decoding: the same class, fields, message and cause", () =>
    forEach((error) => {
      const encoded = Schema.encodeSync(codec)(error)
      assert.deepStrictEqual(JSON.parse(JSON.stringify(encoded)), encoded)
      const decoded = Schema.decodeUnknownSync(codec)(JSON.parse(JSON.stringify(encoded)))
      assert.strictEqual(decoded.constructor, error.constructor)
      assert.strictEqual(decoded.message, error.message)
      assert.deepStrictEqual(Schema.encodeSync(codec)(decoded), encoded)
      if ("cause" in error && "cause" in decoded) {
        // Causes come back as what JSON can say: an error has its name, its message and its own cause.
        if (error.cause instanceof Error) {
          assert.instanceOf(decoded.cause, Error)
          const { name, message } = error.cause
          assert.deepInclude(decoded.cause, { name, message })
          if (error.cause.cause instanceof Error) {
            assert.propertyVal(decoded.cause.cause, "message", error.cause.cause.message)
          }
        } else assert.deepStrictEqual(decoded.cause, error.cause)
        if (error.cause instanceof Unreachable) return
      }
      assert.isTrue(Equal.equals(decoded, error), error._tag)
    })
  )

  it.effect("has plain data in its fields, and none called name, message or stack", () =>
    forEach((error) => {
      const { cause: _, ...fields } = { cause: undefined, ...error }
      assert.deepStrictEqual(JSON.parse(JSON.stringify(fields)), fields)
    })
  )

  it("declares no field called name, message or stack", () => {
    for (const one of classes) {
      const fields = Object.keys(one.fields)
      for (const taken of ["name", "message", "stack"]) assert.notInclude(fields, taken, tagOf(one))
    }
  })

  it("is not decoded from fields of another type", () => {
    const decode = Schema.decodeUnknownResult(codec)
    const error = { _tag: "MultipleCompleteSections", scope: "agent", sections: [{ entry: "a", scope: "agent" }] }
    assert.isTrue(Result.isSuccess(decode(error)))
    for (const odd of [{ entry: 1, scope: "agent" }, { entry: "a" }, { entry: "a", scope: "agent", plugin: 1 }]) {
      assert.isTrue(Result.isFailure(decode({ ...error, sections: [odd] })))
    }
  })

  it("keeps the cause itself, not a copy, as long as it is not encoded", () => {
    const cause = new Unreachable({ host: "h" })
    const error = new PromptError.ProviderFailure({ kind: "variable", entry: "v", scope: "s", reason: "failed", cause })
    assert.strictEqual(error.cause, cause)
  })
})

// -----------------------------------------------------------------------------
// types
// -----------------------------------------------------------------------------

describe("types", () => {
  it("the unions are those of the three steps", () => {
    expectTypeOf<PromptError.RegistrationError["_tag"]>().toEqualTypeOf<
      "DuplicateRegistration" | "InvalidRegistration" | "ScopeClosed"
    >()
    expectTypeOf<PromptError.AssembleError["_tag"]>().toEqualTypeOf<
      | "MultipleCompleteSections"
      | "UnknownTool"
      | "ReservedToolName"
      | "InvalidToolSchema"
      | "ProviderFailure"
      | "ListenerFailure"
      | "InvalidAssembly"
    >()
    expectTypeOf<PromptError.RenderError["_tag"]>().toEqualTypeOf<
      "UnknownVariable" | "UndefinedVariable" | "MalformedGroup"
    >()
    expectTypeOf<PromptError.PromptError>().toEqualTypeOf<
      | PromptError.RegistrationError
      | PromptError.InvalidToolOrder
      | PromptError.ScopeCycle
      | PromptError.AssembleError
      | PromptError.RenderError
    >()
  })

  it.effect("catchTags recovers from each, and nothing is left", () => {
    const registering: Effect.Effect<string, PromptError.RegistrationError> = Effect.fail(twice("global", "first"))
    const assembling: Effect.Effect<string, PromptError.AssembleError> = Effect.fail(
      new PromptError.ReservedToolName({ kind: "tools", entry: "fs", scope: "agent", tool: "x" })
    )
    const rendering: Effect.Effect<string, PromptError.RenderError> = Effect.fail(unrenderedText("{{nope}}"))
    const registered = Effect.catchTags(registering, {
      DuplicateRegistration: (error) => Effect.succeed(`duplicate of ${error.existingPlugin ?? "somebody"}`),
      InvalidRegistration: (error) => Effect.succeed(error.field),
      ScopeClosed: (error) => Effect.succeed(error.scope)
    })
    const assembled = Effect.catchTags(assembling, {
      MultipleCompleteSections: (error) => Effect.succeed(error.sections.map(({ entry }) => entry).join()),
      UnknownTool: (error) => Effect.succeed(error.unknown.join()),
      ReservedToolName: (error) => Effect.succeed(`${error.kind} ${error.entry} of ${error.scope}`),
      InvalidToolSchema: (error) => Effect.succeed(error.path),
      ProviderFailure: (error) => Effect.succeed(error.reason),
      ListenerFailure: (error) => Effect.succeed(error.reason),
      InvalidAssembly: (error) => Effect.succeed(error.path)
    })
    const rendered = Effect.catchTags(rendering, {
      UnknownVariable: (error) => Effect.succeed(error.nearest ?? error.variable),
      UndefinedVariable: (error) => Effect.succeed(error.variable),
      MalformedGroup: (error) => Effect.succeed(error.group)
    })
    expectTypeOf(registered).toEqualTypeOf<Effect.Effect<string>>()
    expectTypeOf(assembled).toEqualTypeOf<Effect.Effect<string>>()
    expectTypeOf(rendered).toEqualTypeOf<Effect.Effect<string>>()
    return Effect.map(Effect.all([registered, assembled, rendered]), (all) =>
      assert.deepStrictEqual(all, ["duplicate of first", "tools fs of agent", "nope"])
    )
  })

  it("the services fail with these and nothing else", () => {
    type Service = SystemPrompt["Service"]
    expectTypeOf<Effect.Error<Service["assemble"]>>().toEqualTypeOf<PromptError.AssembleError>()
    expectTypeOf<Effect.Error<Service["render"]>>().toEqualTypeOf<PromptError.AssembleError | PromptError.RenderError>()
    expectTypeOf<Effect.Error<ReturnType<Service["section"]>>>().toEqualTypeOf<PromptError.RegistrationError>()
    expectTypeOf<Effect.Services<Service["assemble"]>>().toEqualTypeOf<never>()
  })
})
