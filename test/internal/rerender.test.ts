/** Rendering with what was rendered before is rendering, for all pairs of many assemblies. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Assembly from "../../src/Assembly.ts"
import * as Rendered from "../../src/Rendered.ts"
import { assemble, overlay } from "../support/known.ts"

const full = assemble([
  overlay({
    sections: [
      { name: "a", order: 1, text: "A" },
      { name: "b", order: 2, text: "{{x}}{{x}}" },
      { name: "c", order: 3, text: "C {{y}} {{w}}" },
      { name: "d", order: 4, text: "D {{raw}}", interpolate: false }
    ],
    contexts: [
      { name: "k", order: 1, text: "K {{x}}" },
      { name: "l", order: 2, text: "L" }
    ],
    variables: ["unused", "v", "w", "x", "y", "z"].map((name) => ({ name, value: name }))
  })
])

type Edit = (self: Assembly.Assembly) => Assembly.Assembly

const same: Edit = (self) => self

/** What may be different, each independent of the others. */
const edits: ReadonlyArray<ReadonlyArray<Edit>> = [
  [
    same,
    Assembly.removeSection("a"),
    Assembly.mapSection("a", (one) => ({ ...one })),
    Assembly.mapSection("a", (one) => ({ ...one, text: "{{z}}" }))
  ],
  [same, Assembly.setVariable("x", ""), Assembly.setVariable("x", "longer"), Assembly.setVariable("x", undefined)],
  [same, Assembly.mapSection("c", (one) => ({ ...one, text: "C {{y}} {{v}}" })), Assembly.setVariable("y", "Y")],
  [same, Assembly.removeContext("k"), Assembly.setVariable("unused", "used"), Assembly.removeVariable("w")]
]

const assemblies = edits.reduce<ReadonlyArray<Assembly.Assembly>>(
  (all, choices) => all.flatMap((one) => choices.map((edit) => edit(one))),
  [full]
)

/** All that a rendering, or a part of it, says, as text. */
const said = (self: object): string => JSON.stringify(self)

type Parts = ReadonlyArray<Rendered.Part<Assembly.AssembledSection | Assembly.AssembledContext>>

const namesOf = (parts: ReadonlyArray<{ readonly name: string }>): string => parts.map(({ name }) => name).join()

describe("Rendered.render with what was rendered before", () => {
  it("gives what it gives without, and keeps each part that neither changed nor moved while none comes or goes", () => {
    const seen = { kept: 0, there: 0, new: 0, whole: 0, failed: 0 }
    const fresh = assemblies.map((one) => Rendered.render(one))
    const says = fresh.map((one) => (Result.isSuccess(one) ? said(one.success) : ""))
    for (const [at, before] of fresh.entries()) {
      // Each fifth is enough: in five of them something of each kind is different.
      if (at % 5 !== 0 || Result.isFailure(before)) continue
      assemblies.forEach((assembly, i) => {
        const rendered = Rendered.render(assembly, before.success)
        const expected = fresh[i]!
        if (Result.isFailure(expected)) {
          seen.failed++
          return assert.strictEqual(Result.isFailure(rendered) && rendered.failure.message, expected.failure.message)
        }
        const after = Result.getOrThrow(rendered)
        assert.strictEqual(said(after), says[i])
        assert.isTrue([after, after.sections, after.contexts, after.variables].every(Object.isFrozen))
        if (after === before.success) seen.whole++
        for (const [list, parts, old] of [
          ["sections", after.sections, before.success.sections],
          ["contexts", after.contexts, before.success.contexts]
        ] satisfies ReadonlyArray<readonly ["sections" | "contexts", Parts, Parts]>) {
          const isSameList = namesOf(parts) === namesOf(old) && assembly[list].length === assemblies[at]![list].length
          for (const part of parts) {
            const isThere = old.some((one) => one.source === part.source && said(one) === said(part))
            seen[isThere ? "there" : "new"]++
            if (!isThere || !isSameList) continue
            seen.kept++
            assert.isTrue(old.some((one) => one === part))
          }
        }
      })
    }
    assert.isAtLeast(Math.min(...Object.values(seen)), 60, JSON.stringify(seen))
  })

  it("gives that very object where nothing that matters is different, and only there", () => {
    const before = Result.getOrThrow(Rendered.render(full))
    const again = (edit: Edit) => Result.getOrThrow(Rendered.render(edit(full), before)) === before
    assert.isTrue(again(same))
    assert.isTrue(again(Assembly.setVariable("unused", "still")))
    assert.isTrue(again(Assembly.mapSection("a", (one) => ({ ...one }))), "made anew, and the same")
    assert.isTrue(again(Assembly.addSection({ name: "e", order: 9, text: "" })), "nothing to see")
    for (const [what, edit] of [
      ["a text", Assembly.mapSection("a", (one) => ({ ...one, text: "B" }))],
      ["a value", Assembly.setVariable("x", "y")],
      ["a name", Assembly.mapSection("a", (one) => ({ ...one, name: "e" }))],
      ["an order", Assembly.mapSection("a", (one) => ({ ...one, order: 1.5 }))],
      ["what is data", Assembly.mapSection("a", (one) => ({ ...one, interpolate: false }))],
      ["what it requires", Assembly.mapSection("a", (one) => ({ ...one, requires: ["t"] }))],
      ["an origin", Assembly.mapSection("a", (one) => ({ ...one, origin: { scope: "agent", shadows: [] } }))],
      ["a context", Assembly.mapContext("l", (one) => ({ ...one, text: "M" }))],
      ["a section more", Assembly.addSection({ name: "e", order: 9, text: "E" })],
      ["a section less", Assembly.removeSection("d")],
      ["a context more", Assembly.addContext({ name: "e", order: 9, text: "E" })],
      ["a context less", Assembly.removeContext("l")]
    ] as const) {
      assert.isFalse(again(edit), what)
    }
  })

  it("knows the variables in use, also of sections that render to nothing", () => {
    const using = (names: ReadonlyArray<string>, before?: Rendered.Rendered) => {
      const sections = [{ name: "e", order: 0, text: names.map((name) => `{{${name}}}`).join("") }]
      const variables = ["p", "q"].map((name) => ({ name, value: "" }))
      return Result.getOrThrow(Rendered.render(assemble([overlay({ sections, variables })]), before))
    }
    const uses = [[], ["p"], ["q"], ["p", "q"]]
    for (const before of uses) {
      for (const names of uses) {
        const rendered = using(names, using(before))
        assert.deepStrictEqual(
          rendered.variables.map(({ name }) => name),
          names
        )
      }
    }
  })

  it("follows references that several texts share, that move and that go, and variables whose places others take", () => {
    const first = assemble([
      overlay({
        sections: [
          { name: "a", order: 1, text: "A {{x}}" },
          { name: "b", order: 2, text: "B {{x}}{{y}}" },
          { name: "c", order: 3, text: "-p-q" },
          { name: "d", order: 4, text: "D {{z}}" }
        ],
        contexts: [
          { name: "k", order: 1, text: "K {{x}}" },
          { name: "l", order: 2, text: "L {{x}}" }
        ],
        variables: ["n", "p", "q", "x", "y", "z"].map((name) => ({ name, value: name }))
      })
    ])
    const text = (name: string, to: string) => Assembly.mapSection(name, (one) => ({ ...one, text: to }))
    const contextText = (name: string, to: string) => Assembly.mapContext(name, (one) => ({ ...one, text: to }))
    // Each is rendered with what the one before it was rendered to.
    const steps: ReadonlyArray<readonly [edits: ReadonlyArray<Edit>, prompt: string, contexts: string, used: string]> =
      [
        [[same], "A x|B xy|-p-q|D z", "K x|L x", "x y z"],
        [[Assembly.setVariable("x", "xx")], "A xx|B xxy|-p-q|D z", "K xx|L xx", "x y z"],
        [[contextText("k", "K {{p}}")], "A xx|B xxy|-p-q|D z", "K p|L xx", "p x y z"],
        [[Assembly.removeVariable("n"), Assembly.setVariable("zz", "")], "A xx|B xxy|-p-q|D z", "K p|L xx", "p x y z"],
        [[contextText("k", "K"), text("c", "C {{p}}")], "A xx|B xxy|C p|D z", "K|L xx", "p x y z"],
        [[Assembly.setVariable("p", "pp")], "A xx|B xxy|C pp|D z", "K|L xx", "p x y z"],
        [[text("a", "A {{y}}"), text("c", "C {{x}}")], "A y|B xxy|C xx|D z", "K|L xx", "x y z"],
        [[Assembly.setVariable("y", "yy")], "A yy|B xxyy|C xx|D z", "K|L xx", "x y z"],
        [[Assembly.setVariable("x", ""), Assembly.setVariable("z", "zz")], "A yy|B yy|C |D zz", "K|L ", "x y z"],
        [[Assembly.removeSection("d")], "A yy|B yy|C ", "K|L ", "x y"],
        [[Assembly.addSection({ name: "d", order: 4, text: "{{z}}{{y}}" })], "A yy|B yy|C |zzyy", "K|L ", "x y z"],
        [[text("d", "{{y}}{{z}}")], "A yy|B yy|C |yyzz", "K|L ", "x y z"],
        [[text("d", "{{y}}")], "A yy|B yy|C |yy", "K|L ", "x y"]
      ]
    let assembly = first
    let before: Rendered.Rendered | undefined
    for (const [edited, prompt, contexts, used] of steps) {
      for (const edit of edited) assembly = edit(assembly)
      before = Result.getOrThrow(Rendered.render(assembly, before))
      assert.strictEqual(before.text, prompt.replaceAll("|", "\n\n"))
      assert.strictEqual(before.contexts.map((part) => part.text).join("|"), contexts)
      assert.strictEqual(before.variables.map(({ name }) => name).join(" "), used)
    }
  })

  it("gives a copy that was made elsewhere back where it says the same, and only there", () => {
    const rendered = Result.getOrThrow(Rendered.render(full))
    const [section, ...sections] = rendered.sections
    const [context, ...contexts] = rendered.contexts
    const [variable, ...variables] = rendered.variables
    if (section === undefined || context === undefined || variable === undefined) return assert.fail("nothing rendered")
    const copy: Rendered.Rendered = {
      ...rendered,
      sections: [{ ...section, source: { ...section.source } }, ...sections],
      contexts: [{ ...context, source: { ...context.source } }, ...contexts],
      variables: [{ ...variable, origin: { ...variable.origin } }, ...variables]
    }
    const again = (previous: Rendered.Rendered) => Result.getOrThrow(Rendered.render(full, previous))
    assert.strictEqual(again(copy), copy)
    const others: ReadonlyArray<Partial<Rendered.Rendered>> = [
      { text: "" },
      { snapshot: "" },
      { sections },
      { sections: [...copy.sections, section] },
      { sections: [{ ...section, name: "other" }, ...sections] },
      { sections: [{ ...section, order: 0 }, ...sections] },
      { sections: [{ ...section, offset: 1 }, ...sections] },
      { sections: [{ ...section, text: "other" }, ...sections] },
      { sections: [{ ...section, source: { ...section.source, text: "other" } }, ...sections] },
      { contexts },
      { contexts: [{ ...context, offset: 1 }, ...contexts] },
      { variables: [] },
      { variables: [variable] },
      { variables: [...copy.variables, variable] },
      { variables: [{ ...variable, name: "other" }, ...variables] },
      { variables: [{ ...variable, value: "other" }, ...variables] },
      { variables: [{ ...variable, origin: { ...variable.origin, plugin: "other" } }, ...variables] }
    ]
    for (const other of others) {
      const after = again({ ...copy, ...other })
      assert.strictEqual(said(after), said(rendered), said(other))
    }
  })

  it("takes nothing from what was made of something that its author has changed since", () => {
    const section = { ...full.sections[0]!, text: "A" }
    const context = { ...full.contexts[0]!, text: "K" }
    const variable = { ...full.variables.find(({ name }) => name === "x")!, value: "z" }
    const [a, b] = full.sections
    const own = [a!]
    const fixed: Assembly.Assembly = { ...full, sections: Object.freeze([]), contexts: Object.freeze([]) }
    const cases: ReadonlyArray<readonly [Assembly.Assembly, change: () => void, prompt: string, context?: string]> = [
      [{ ...fixed, sections: own }, () => own.push(b!), "A\n\nxx"],
      [{ ...fixed, sections: Object.freeze([section]) }, () => (section.text = "C"), "C"],
      [{ ...fixed, contexts: Object.freeze([context]) }, () => (context.text = "L"), "", "L"],
      [
        {
          ...fixed,
          sections: Object.freeze([b!]),
          variables: Object.freeze(full.variables.map((one) => (one.name === "x" ? variable : one)))
        },
        () => (variable.value = "y"),
        "yy"
      ],
      [
        {
          ...full,
          contexts: fixed.contexts,
          variables: Object.freeze(full.variables.map((one) => (one.name === "x" ? variable : one)))
        },
        () => (variable.value = "y"),
        "A\n\nyy\n\nC y w\n\nD {{raw}}"
      ]
    ]
    // What comes before is fixed, or not there: it was read in another way then.
    for (const first of [full, { ...full, contexts: fixed.contexts }, undefined]) {
      for (const [assembly, change, prompt, snapshot] of cases) {
        section.text = "A"
        context.text = "K"
        variable.value = "z"
        own.length = 1
        const previous = first === undefined ? undefined : Result.getOrThrow(Rendered.render(first))
        const before = Result.getOrThrow(Rendered.render(assembly, previous))
        change()
        const after = Result.getOrThrow(Rendered.render(assembly, before))
        assert.deepStrictEqual([after.text, after.contexts[0]?.text], [prompt, snapshot])
      }
    }
  })

  it("finds the values of many variables, and of two of one name that of the last", () => {
    const names = Array.from({ length: 20 }, (_, i) => `v${String(i).padStart(2, "0")}`)
    const many = (count: number, value: string) =>
      assemble([
        overlay({
          sections: [
            {
              name: "s",
              order: 0,
              text: names
                .slice(0, count)
                .map((name) => `{{${name}}}`)
                .join()
            }
          ],
          variables: names.map((name) => ({ name, value: name === "v01" ? value : name }))
        })
      ])
    for (let count = 2; count <= names.length; count++) {
      const before = Result.getOrThrow(Rendered.render(many(count, "before")))
      const expected = names.slice(0, count).join().replace("v01", "after")
      assert.strictEqual(Result.getOrThrow(Rendered.render(many(count, "after"), before)).text, expected)
      const assembly = many(count, "after")
      const twice = { ...assembly, variables: [...assembly.variables, { ...assembly.variables[1]!, value: "last" }] }
      const { text } = Result.getOrThrow(Rendered.render(twice, before))
      assert.strictEqual(text, expected.replace("after", "last"))
      const once = Result.getOrThrow(Rendered.render(assembly))
      assert.strictEqual(Result.getOrThrow(Rendered.render(twice, once)).text, text)
    }
  })
})

describe("Rendered.render without what was rendered before", () => {
  it("reads an author's own list, and its parts, again each time", () => {
    const part = {
      name: "a",
      order: 1,
      text: "{{x}}",
      interpolate: true,
      requires: [],
      origin: full.sections[0]!.origin
    }
    const text = (sections: Assembly.Assembly["sections"]) =>
      Result.getOrThrow(Rendered.render({ ...full, sections })).text
    const list = [part]
    const frozenList = Object.freeze([part])
    const frozenPart = [Object.freeze({ ...part })]
    const partlyFrozen = Object.freeze([Object.freeze({ ...part, name: "b", text: "" }), part])
    for (const sections of [list, frozenList, frozenPart, partlyFrozen]) assert.strictEqual(text(sections), "x")
    part.text = "A {{y}}"
    for (const sections of [list, frozenList, partlyFrozen]) assert.strictEqual(text(sections), "A y")
    list.push({ ...part, name: "b", text: "B" })
    assert.strictEqual(text(list), "A y\n\nB")
    frozenPart[0] = Object.freeze({ ...part, text: "C" })
    assert.strictEqual(text(frozenPart), "C")
  })
})
