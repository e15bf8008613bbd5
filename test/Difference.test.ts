import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Clock, DateTime, Effect, Equal, Result } from "effect"
import { TestClock } from "effect/testing"
import type * as Assembly from "../src/Assembly.ts"
import * as Difference from "../src/Difference.ts"
import { SystemPrompt } from "../src/index.ts"
import type * as Overlay from "../src/Overlay.ts"
import * as Rendered from "../src/Rendered.ts"
import * as Template from "../src/Template.ts"
import type * as ToolSchema from "../src/ToolSchema.ts"
import * as arbitraries from "../src/testing/Arbitraries.ts"
import * as generate from "../src/testing/internal/generate.ts"
import * as chains from "./support/chains.ts"
import { check, patience, Tally } from "./support/check.ts"
import { assemble, overlay } from "./support/known.ts"

const sideOf = (assembly: Assembly.Assembly): Difference.Side => ({
  assembly,
  rendered: Result.getOrThrow(Rendered.render(assembly))
})

const side = (...overlays: ReadonlyArray<Overlay.Options>): Difference.Side =>
  sideOf(assemble(overlays.map((options, i) => overlay(options, i === 0 ? "global" : `child-${i}`))))

const section = (name: string, order: number, text: string) => ({ name, order, text })

const tool = (name: string, description = "", parameters: object = {}): ToolSchema.Input => ({
  name,
  description,
  parameters
})

/** A change in a few words. */
const show = (change: Difference.Change<unknown, string>): string => {
  if (change._tag !== "Changed") return `${change._tag === "Added" ? "+" : "-"}${change.name}`
  return `${change.name}: ${[...change.fields, ...(change.moved ? ["moved"] : [])].join(" ")}`
}

describe("changes", () => {
  it("tells what was added, removed and changed, field by field, from top to bottom", () => {
    const before = side({
      sections: [
        section("a", 0, "A"),
        section("b", 1, "B {{v}}"),
        section("c", 2, "{{v}}"),
        { ...section("d", 3, "D"), requires: ["t"] },
        section("e", 4, "E"),
        section("gone", 5, "G")
      ],
      contexts: [section("c", 0, "{{v}}"), section("same", 1, "S")],
      variables: [
        { name: "v", value: "1" },
        { name: "w", value: "1" },
        { name: "x", value: undefined }
      ],
      tools: [{ tools: [tool("t"), tool("u", "U", { type: "object" })] }]
    })
    const after = side({
      sections: [
        section("a", 0, "A!"),
        section("b", 1, "B {{v}}"),
        { ...section("c", 2, "{{v}}"), interpolate: false },
        { ...section("d", 3.5, "D"), requires: ["t", "u"] },
        { ...section("e", 4, "E"), plugin: "p" },
        section("new", 6, "N")
      ],
      contexts: [section("c", 0, "{{v}}"), section("same", 1, "S")],
      variables: [
        { name: "v", value: "2" },
        { name: "x", value: "" },
        { name: "y", value: "1" }
      ],
      tools: [{ tools: [{ ...tool("t"), deferLoading: true }, tool("u", "U!", { type: "array" })], name: "fs" }]
    })
    const { changes } = Difference.make(before, after)
    assert.deepStrictEqual(changes.sections.map(show), [
      "a: text rendered",
      "b: rendered",
      "c: rendered interpolate",
      "d: order requires",
      "e: origin",
      "-gone",
      "+new"
    ])
    assert.deepStrictEqual(changes.contexts.map(show), ["c: rendered"])
    assert.deepStrictEqual(changes.variables.map(show), ["v: value", "-w", "x: value", "+y"])
    assert.deepStrictEqual(changes.tools.map(show), ["t: deferLoading origin", "u: description parameters origin"])
    const [a] = changes.sections
    assert.isTrue(a?._tag === "Changed" && a.before.rendered === "A" && a.after.rendered === "A!")
  })

  it("a section that renders to nothing is one with an empty text, not one that is gone", () => {
    const { changes } = Difference.make(
      side({ sections: [section("a", 0, "A")] }),
      side({ sections: [section("a", 0, "")] })
    )
    assert.deepStrictEqual(changes.sections.map(show), ["a: text rendered"])
  })

  it("a Template and a string are two texts even when they render alike", () => {
    const { changes, prompt } = Difference.make(
      side({ sections: [section("a", 0, "A")] }),
      side({ sections: [{ name: "a", order: 0, text: Template.verbatim("A") }] })
    )
    assert.deepStrictEqual([changes.sections.map(show), prompt], [["a: text"], undefined])
  })

  it("one section that got another order has moved, and those that it passed have not", () => {
    const names = ["a", "b", "c", "d"]
    const at = (orders: Readonly<Record<string, number>>) =>
      side({ sections: names.map((name, i) => section(name, orders[name] ?? i, name)) })
    const moves = (before: Difference.Side, after: Difference.Side) =>
      Difference.make(before, after).changes.sections.map(show)
    assert.deepStrictEqual(moves(at({}), at({ a: 9 })), ["a: order moved"])
    assert.deepStrictEqual(moves(at({ a: 9 }), at({})), ["a: order moved"])
    // Of two that changed places, the one whose order changed.
    assert.deepStrictEqual(moves(at({}), at({ b: 2.5 })), ["b: order moved"])
    assert.deepStrictEqual(moves(at({}), at({ c: 0.5 })), ["c: order moved"])
    assert.deepStrictEqual(moves(at({}), at({ a: 0.5 })), ["a: order"], "no place changed")
  })

  it("a listener may move a section without a new order: it has moved, and nothing else of it is different", () => {
    const assembly = assemble([
      overlay({ sections: [section("a", 0, "A"), section("b", 1, "B"), section("c", 2, "C")] })
    ])
    const [a, b, c] = assembly.sections
    const { changes, prompt } = Difference.make(sideOf(assembly), sideOf({ ...assembly, sections: [b!, c!, a!] }))
    assert.deepStrictEqual(changes.sections, [
      {
        _tag: "Changed",
        name: "a",
        was: 0,
        at: 2,
        moved: true,
        fields: [],
        before: { source: a!, rendered: "A" },
        after: { source: a!, rendered: "A" }
      }
    ])
    assert.strictEqual(prompt?.offset, 0)
  })

  it("tools of one name: the same ones belong together, the others as they come", () => {
    const tools = (...all: ReadonlyArray<ToolSchema.Input>) => side({ tools: all.map((one) => ({ tools: [one] })) })
    const changesOf = (before: Difference.Side, after: Difference.Side) =>
      Difference.make(before, after).changes.tools.map(show)
    const [one, two, three] = [tool("t", "1"), tool("t", "2"), tool("t", "3")]
    assert.deepStrictEqual(changesOf(tools(one, two), tools(two)), ["-t"])
    assert.deepStrictEqual(changesOf(tools(two), tools(one, two, three)), ["+t", "+t"])
    assert.deepStrictEqual(changesOf(tools(one, two), tools(two, three)), ["t: description moved"])
    assert.deepStrictEqual(changesOf(tools(one, one), tools(one)), ["-t"])
    assert.deepStrictEqual(changesOf(tools(one, one), tools(one, one)), [])
  })

  it("a rendering that was made of an earlier, equal assembly is as good as its own", () => {
    const options = { sections: [section("a", 0, "A")] }
    const [first, second] = [side(options), side(options)]
    const { changes } = Difference.make(first, { assembly: second.assembly, rendered: first.rendered })
    assert.deepStrictEqual(changes.sections, [])
  })

  it("a complete section and suppressed contexts are told of", () => {
    const whole = { ...section("a", 0, "A"), complete: true }
    const difference = Difference.make(
      side({ sections: [section("a", 0, "A")], contexts: [section("c", 0, "C")] }),
      side({ sections: [whole], contexts: [section("c", 0, "C")], suppressors: 1 })
    )
    assert.deepStrictEqual(difference.complete, { before: undefined, after: "a" })
    assert.deepStrictEqual(difference.suppressed, { before: false, after: true })
    assert.deepStrictEqual(difference.changes.contexts.map(show), ["-c"])
    assert.strictEqual(difference.snapshot?.byte, 0)
    assert.isUndefined(difference.prompt)
  })
})

describe("schemaChanges", () => {
  const schema = (parameters: object, description = "d"): ToolSchema.ToolSchema =>
    side({ tools: [{ tools: [tool("t", description, parameters)] }] }).assembly.tools[0]!.schema

  it("says where, as a JSONPath, and what; exchanged it says the same, exchanged", () => {
    const before = schema({
      type: "object",
      properties: { "a b": { type: "string" }, n: { enum: ["x", "y", "z"] }, old: {} },
      required: ["n"]
    })
    const after = schema(
      {
        type: "object",
        required: { n: true },
        properties: { n: { enum: ["x", "Y"] }, "a b": { type: "string", title: "t" } }
      },
      "D"
    )
    assert.deepStrictEqual(Difference.schemaChanges(before, after), [
      { path: "$.description", change: "changed" },
      { path: "$.parameters.required", change: "changed" },
      { path: "$.parameters.properties.old", change: "removed" },
      { path: "$.parameters.properties.n.enum[1]", change: "changed" },
      { path: "$.parameters.properties.n.enum[2]", change: "removed" },
      { path: '$.parameters.properties["a b"].title', change: "added" },
      { path: "$.parameters.properties", change: "reordered" },
      { path: "$.parameters", change: "reordered" }
    ])
    const exchanged = { added: "removed", removed: "added", changed: "changed", reordered: "reordered" }
    assert.sameDeepMembers(
      Difference.schemaChanges(after, before).map(({ change, path }) => ({ path, change: exchanged[change] })),
      [...Difference.schemaChanges(before, after)]
    )
  })

  it("members with the names of Object.prototype are members like others", () => {
    assert.deepStrictEqual(Difference.schemaChanges(schema({}), schema({ constructor: {}, toString: 1 })), [
      { path: "$.parameters.constructor", change: "added" },
      { path: "$.parameters.toString", change: "added" }
    ])
    assert.deepStrictEqual(Difference.schemaChanges(schema(JSON.parse('{"__proto__":{"a":1}}')), schema({})), [
      { path: "$.parameters.__proto__", change: "removed" }
    ])
  })
})

describe("the first byte that differs", () => {
  const prompts = (before: string, after: string) => {
    const text = (text: string) => side({ sections: [{ ...section("s", 0, text), interpolate: false }] })
    return Difference.make(text(before), text(after))
  }

  it("is a byte, and the character that it belongs to is whole", () => {
    const cases: ReadonlyArray<readonly [string, string, byte: number, offset: number, line: number, column: number]> =
      [
        ["abc", "abd", 2, 2, 1, 3],
        ["é1", "è1", 1, 0, 1, 1],
        ["世😀", "世😁", 6, 1, 1, 2],
        ["a\n世\nx", "a\n世\ny", 6, 4, 3, 1],
        ["ab", "abc", 2, 2, 1, 3],
        ["", "x", 0, 0, 1, 1],
        ["€", "\u{1f600}", 0, 0, 1, 1],
        ["\ud83d", "\u{1f600}", 0, 0, 1, 1],
        ["\ud83d!", "\ufffd?", 3, 1, 1, 2],
        ["x\u0301", "x\u0302", 2, 1, 1, 2]
      ]
    for (const [before, after, byte, offset, line, column] of cases) {
      for (const { prompt } of [prompts(before, after), prompts(after, before)]) {
        assert.deepInclude(prompt, { byte, offset, line, column }, JSON.stringify([before, after]))
      }
    }
  })

  it("half of a surrogate pair is U+FFFD in bytes, so the model sees no difference", () => {
    const difference = prompts("a\ud83db", "a\ufffdb")
    assert.isTrue(Difference.isUnseen(difference))
    assert.isFalse(Difference.isEmpty(difference))
    assert.strictEqual(difference.prefix.written.bytes, 0)
  })

  it("has the owner on both sides: a text, a value and who refers to it, a separator, or nobody at the end", () => {
    const one = side({
      sections: [section("a", 0, "A {{v}}."), section("b", 1, "B")],
      variables: [{ name: "v", value: "one" }]
    })
    const two = side({
      sections: [section("a", 0, "A {{v}}."), section("b", 1, "B")],
      variables: [{ name: "v", value: "two" }]
    })
    const value = Difference.make(one, two).prompt
    assert.deepInclude(value?.before, { _tag: "Value", offset: 0, reference: 2 })
    assert.isTrue(value?.before?._tag === "Value" && value.before.section === one.assembly.sections[0])
    assert.isTrue(value?.after?._tag === "Value" && value.after.variable === two.assembly.variables[0])

    const shorter = side({ sections: [section("a", 0, "A one.")] })
    const { prompt } = Difference.make(one, shorter)
    assert.deepStrictEqual([prompt?.before?._tag, prompt?.after], ["Separator", undefined])
    assert.isTrue(prompt?.before?._tag === "Separator" && prompt.before.after === one.assembly.sections[1])
    const exchanged = Difference.make(shorter, one).prompt
    assert.deepStrictEqual([exchanged?.after, exchanged?.before], [prompt?.before, undefined])

    const text = Difference.make(
      side({ sections: [section("a", 0, "x1")] }),
      side({ sections: [section("b", 0, "x2")] })
    )
    assert.deepStrictEqual(
      [text.prompt?.before, text.prompt?.after].map((source) => source?._tag === "Text" && source.section.name),
      ["a", "b"]
    )
  })

  it("of tools: the tool, and the path of the innermost value", () => {
    const tools = (...all: ReadonlyArray<ToolSchema.Input>) => side({ tools: [{ tools: all }] })
    const places = (before: Difference.Side, after: Difference.Side) => {
      const { tools } = Difference.make(before, after)
      const place = (one: Difference.ToolPlace | undefined) =>
        one === undefined ? undefined : `${one.index} ${one.tool.schema.name} ${one.path}`
      return [place(tools?.before), place(tools?.after)]
    }
    const bash = tool("bash", "Run", { type: "object", properties: { cmd: { type: "string" } } })
    const longer = tool("bash", "Run", { type: "object", properties: { cmd: { type: "string", minLength: 1 } } })
    assert.deepStrictEqual(places(tools(bash), tools({ ...bash, description: "Ran" })), [
      "0 bash $.description",
      "0 bash $.description"
    ])
    assert.deepStrictEqual(places(tools(tool("a"), bash), tools(tool("a"), longer)), [
      "1 bash $.parameters.properties.cmd",
      "1 bash $.parameters.properties.cmd"
    ])
    assert.deepStrictEqual(places(tools(bash), tools({ ...bash, deferLoading: true })), ["0 bash $", "0 bash $"])
    assert.deepStrictEqual(
      places(tools(tool("a", "", { x: 1 })), tools(tool("a", "", { y: 1 }))),
      ["0 a $.parameters.x", "0 a $.parameters.y"],
      "a key belongs to its member"
    )
    assert.deepStrictEqual(places(tools(tool("a", "", { e: [1, 2] })), tools(tool("a", "", { e: [1, 3] }))), [
      "0 a $.parameters.e[1]",
      "0 a $.parameters.e[1]"
    ])
    assert.deepStrictEqual(places(tools(bash), tools(bash, tool("read"))), [undefined, "1 read $"])
    assert.deepStrictEqual(places(tools(bash, tool("read")), tools(tool("read"))), ["0 bash $.name", "0 read $.name"])
    assert.deepStrictEqual(places(tools(), tools(bash)), [undefined, "0 bash $"])
    assert.deepStrictEqual(places(tools(bash), tools(bash)), [undefined, undefined])
  })
})

describe("the prefix", () => {
  const texts = ({ dropped, kept, written }: Difference.Prefix) => [kept, written, dropped].map((one) => one.text)

  it("is the tools and then the prompt: a change of a tool costs the prompt too", () => {
    const make = (description: string, text: string) =>
      side({ tools: [{ tools: [tool("t", description)] }], sections: [section("s", 0, text)] })
    const base = make("d", "prompt")
    assert.deepStrictEqual(texts(Difference.make(base, make("e", "prompt")).prefix), [
      '[{"name":"t","description":"',
      'e","parameters":{}}]prompt',
      'd","parameters":{}}]prompt'
    ])
    assert.deepStrictEqual(texts(Difference.make(base, make("d", "prose")).prefix), [
      '[{"name":"t","description":"d","parameters":{}}]pro',
      "se",
      "mpt"
    ])
    const { dropped, kept, written } = Difference.make(base, base).prefix
    assert.deepStrictEqual([kept.bytes, written.bytes, dropped.bytes], [54, 0, 0])
  })

  it("without tools none are sent: the first one changes the prefix from its first byte on", () => {
    const none = side({ sections: [section("s", 0, "prompt")] })
    const one = side({ sections: [section("s", 0, "prompt")], tools: [{ tools: [tool("t")] }] })
    const { kept, written } = Difference.make(none, one).prefix
    assert.deepStrictEqual([kept.bytes, written.bytes], [0, 6 + 47])
    assert.strictEqual(Difference.emitTools([]), "")
  })

  it("counts bytes: a character of which some stay counts with the rest as text", () => {
    const make = (text: string) => side({ sections: [section("s", 0, text)] })
    const { dropped, kept, written } = Difference.make(make("aé."), make("aè!!")).prefix
    assert.deepStrictEqual(kept, { bytes: 2, text: "a" })
    assert.deepStrictEqual(written, { bytes: 3, text: "è!!" })
    assert.deepStrictEqual(dropped, { bytes: 2, text: "é." })
  })

  it("a context is no part of it", () => {
    const make = (text: string) => side({ sections: [section("s", 0, "S")], contexts: [section("c", 0, text)] })
    const { prefix, prompt, snapshot } = Difference.make(make("one"), make("two"))
    assert.deepStrictEqual([prefix.written.bytes, prompt], [0, undefined])
    assert.isAbove(snapshot?.byte ?? 0, 0)
  })
})

describe("a clock", () => {
  const now = Effect.map(Clock.currentTimeMillis, (millis) => DateTime.formatIso(DateTime.makeUnsafe(millis)))

  const sides = Effect.gen(function* () {
    const prompt = yield* SystemPrompt
    const one = Effect.gen(function* () {
      const assembly = yield* prompt.assemble
      return { assembly, rendered: yield* prompt.renderAssembly(assembly) }
    })
    yield* TestClock.setTime(Date.parse("2026-01-02T03:04:05Z"))
    const first = yield* one
    yield* TestClock.setTime(Date.parse("2026-01-02T03:04:06Z"))
    return [first, yield* one] as const
  })

  it.effect("[BC-006] a: in a context, costs the snapshot and nothing of the prefix", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.section({ name: "id", order: 0, text: "You are X." })
      yield* prompt.context({ name: "time", order: 0, text: now })
      const difference = Difference.make(...(yield* sides))
      assert.deepStrictEqual([difference.prompt, difference.tools], [undefined, undefined])
      assert.deepStrictEqual([difference.prefix.kept.text, difference.prefix.written.bytes], ["You are X.", 0])
      assert.deepStrictEqual(difference.changes.contexts.map(show), ["time: text rendered"])
      assert.isDefined(difference.snapshot)
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect('[BC-006] b: in the prompt, the first byte that differs is of section "id" and variable "now"', () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.section({ name: "id", order: 0, text: "You are X. Now {{now}}." })
      yield* prompt.section({ name: "rest", order: 1, text: "All of this is read anew." })
      yield* prompt.variable("now", now)
      const difference = Difference.make(...(yield* sides))
      for (const source of [difference.prompt?.before, difference.prompt?.after]) {
        assert.isTrue(source?._tag === "Value" && source.section.name === "id" && source.variable.name === "now")
      }
      assert.strictEqual(difference.prefix.kept.text, "You are X. Now 2026-01-02T03:04:0")
      assert.strictEqual(difference.prefix.written.text, "6.000Z.\n\nAll of this is read anew.")
      assert.deepStrictEqual(difference.changes.variables.map(show), ["now: value"])
    }).pipe(Effect.provide(SystemPrompt.layer))
  )
})

// -----------------------------------------------------------------------------
// laws
// -----------------------------------------------------------------------------

const rendering = Arbitrary.filter(arbitraries.renderableChain, (chain) => Result.isSuccess(chains.assemble(chain)))

/** Two chains; in half of all cases the second is the first with something of another put in. */
const two = Arbitrary.map(
  Arbitrary.all([rendering, rendering, generate.literal(0, 1), generate.picks]),
  ([a, b, related, picks]) => {
    const before = sideOf(Result.getOrThrow(chains.assemble(a)))
    const other = sideOf(Result.getOrThrow(chains.assemble(b)))
    if (related === 0) return [before, other] as const
    const [sections, tools] = [other.assembly.sections, other.assembly.tools]
    const edited: Assembly.Assembly = {
      ...before.assembly,
      sections: generate.shuffled(
        before.assembly.sections.map((one, i) => (i % 2 === 0 ? one : { ...one, text: sections[0]?.text ?? "" })),
        picks
      ),
      tools: [...generate.shuffled(before.assembly.tools, picks), ...tools.slice(0, 1)]
    }
    const rendered = Rendered.render(edited)
    return [before, Result.isSuccess(rendered) ? { assembly: edited, rendered: rendered.success } : other] as const
  }
)

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** By going through the bytes. */
const naive = (a: string, b: string): number | undefined => {
  const [left, right] = [bytes(a), bytes(b)]
  for (let i = 0; i < Math.max(left.length, right.length); i++) if (left[i] !== right[i]) return i
  return undefined
}

/** The names of the second list, made of those of the first and what is said of the changes. */
const replayed = (names: ReadonlyArray<string>, changes: ReadonlyArray<Difference.Change<unknown, string>>) => {
  const leaves = new Set<number>()
  const comes = new Map<number, string>()
  for (const change of changes) {
    if (change._tag === "Added" || (change._tag === "Changed" && change.moved)) comes.set(change.at, change.name)
    if (change._tag === "Removed" || (change._tag === "Changed" && change.moved)) leaves.add(change.was)
  }
  const list = names.filter((_, i) => !leaves.has(i))
  for (const [at, name] of [...comes].toSorted(([a], [b]) => a - b)) list.splice(at, 0, name)
  return list
}

const exchange = (change: Difference.Change<unknown, string>): Difference.Change<unknown, string> => {
  switch (change._tag) {
    case "Added":
      return { _tag: "Removed", name: change.name, was: change.at, before: change.after }
    case "Removed":
      return { _tag: "Added", name: change.name, at: change.was, after: change.before }
    case "Changed":
      return { ...change, was: change.at, at: change.was, before: change.after, after: change.before }
  }
}

describe("laws", () => {
  it.effect(
    "a rendering and itself, made anew, have no difference, and all of the prefix stays",
    () =>
      check(rendering, (chain) =>
        Effect.sync(() => {
          const one = sideOf(Result.getOrThrow(chains.assemble(chain)))
          const difference = Difference.make(one, sideOf(Result.getOrThrow(chains.assemble(chain))))
          assert.isTrue(Difference.isEmpty(difference))
          assert.isTrue(Difference.isUnseen(difference))
          assert.strictEqual(difference.prefix.written.bytes, 0)
        })
      ),
    patience
  )

  it.effect(
    "what is told of the changes makes the second list of names out of the first",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        yield* check(
          two,
          ([before, after]) =>
            Effect.sync(() => {
              const { changes } = Difference.make(before, after)
              const names = ({ assembly }: Difference.Side) => ({
                sections: assembly.sections.map((one) => one.name),
                contexts: assembly.contexts.map((one) => one.name),
                tools: assembly.tools.map((one) => one.schema.name),
                variables: assembly.variables.map((one) => one.name)
              })
              const [was, is] = [names(before), names(after)]
              for (const list of ["sections", "contexts", "tools", "variables"] as const) {
                const all: ReadonlyArray<Difference.Change<unknown, string>> = changes[list]
                assert.deepStrictEqual(replayed(was[list], all), is[list], list)
                tally.count(...all.map((one) => (one._tag === "Changed" && one.moved ? "Moved" : one._tag)))
              }
            }),
          { runs: 600 }
        )
        tally.assertShares("changes", { Added: 20, Removed: 15, Changed: 15, Moved: 5 })
      }),
    patience
  )

  it.effect(
    "the first byte that differs is the one that a comparison of bytes finds, in prompt, tools, snapshot and prefix",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        yield* check(
          two,
          ([before, after]) =>
            Effect.sync(() => {
              const difference = Difference.make(before, after)
              const [a, b] = [before.rendered, after.rendered]
              const [old, now] = [before, after].map((one) => Difference.emitTools(one.assembly.tools))
              assert.strictEqual(difference.prompt?.byte, naive(a.text, b.text))
              assert.strictEqual(difference.tools?.byte, naive(old!, now!))
              assert.strictEqual(difference.snapshot?.byte, naive(a.snapshot, b.snapshot))
              const { dropped, kept, written } = difference.prefix
              const [was, is] = [bytes(old! + a.text), bytes(now! + b.text)]
              assert.strictEqual(kept.bytes, naive(old! + a.text, now! + b.text) ?? is.length)
              assert.strictEqual(kept.bytes + written.bytes, is.length)
              assert.strictEqual(kept.bytes + dropped.bytes, was.length)
              assert.strictEqual(kept.text + written.text, now! + b.text)
              for (const [point, rendered] of [
                [difference.prompt?.before, a],
                [difference.prompt?.after, b]
              ] as const) {
                if (difference.prompt === undefined) continue
                assert.strictEqual(point === undefined, difference.prompt.offset === rendered.text.length)
              }
              tally.count(
                difference.prompt === undefined ? "same prompt" : (difference.prompt.after?._tag ?? "end"),
                difference.tools === undefined ? "same tools" : "other tools"
              )
            }),
          { runs: 600 }
        )
        tally.assertShares("first bytes", { "same prompt": 2, Text: 10, Value: 5, "other tools": 30 })
      }),
    patience
  )

  it.effect(
    "exchanged sides give the same, exchanged",
    () =>
      check(
        two,
        ([before, after]) =>
          Effect.sync(() => {
            const [there, back] = [Difference.make(before, after), Difference.make(after, before)]
            for (const list of ["sections", "contexts", "tools", "variables"] as const) {
              const all: ReadonlyArray<Difference.Change<unknown, string>> = there.changes[list]
              const other: ReadonlyArray<Difference.Change<unknown, string>> = back.changes[list]
              const key = (one: Difference.Change<unknown, string>) =>
                JSON.stringify([one._tag, one.name, "was" in one && one.was, "at" in one && one.at])
              const sorted = (all: ReadonlyArray<Difference.Change<unknown, string>>) =>
                all.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
              assert.deepStrictEqual(sorted(all.map(exchange)), sorted(other), list)
            }
            for (const part of ["prompt", "tools"] as const) {
              assert.strictEqual(there[part]?.byte, back[part]?.byte)
              assert.strictEqual(there[part]?.column, back[part]?.column)
              assert.isTrue(Equal.equals(there[part]?.before, back[part]?.after))
            }
            assert.strictEqual(there.prefix.kept.bytes, back.prefix.kept.bytes)
            assert.deepStrictEqual(there.prefix.written, back.prefix.dropped)
          }),
        { runs: 600 }
      ),
    patience
  )
})
