/** What a listener's results were accepted as the last time shows in no later result, and saves making it again. */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { pipe } from "effect/Function"
import * as Result from "effect/Result"
import * as Assembly from "../../src/Assembly.ts"
import { link, registeredAs } from "../../src/internal/toolLink.ts"
import { accept, Memory } from "../../src/internal/wellFormed.ts"
import type { Owner } from "../../src/Owner.ts"
import * as RegisteredTool from "../../src/RegisteredTool.ts"
import * as Template from "../../src/Template.ts"
import { type Arb, below, list, literal, mostly } from "../../src/testing/internal/generate.ts"
import * as ToolSchema from "../../src/ToolSchema.ts"
import { check, patience, Tally } from "../support/check.ts"
import { changeable } from "../support/frozen.ts"
import { assemble, overlay } from "../support/known.ts"
import { runs } from "../support/runs.ts"

const parameters = Object.freeze({ type: "object" })

const schema = (name: string, description: string) => ToolSchema.make({ name, description, parameters })

const owner: Owner = { kind: "listener", entry: "l", scope: "global" }

/** Each tool of an assembly is linked to another registered one. */
const linked = (assembly: Assembly.Assembly): Assembly.Assembly => {
  assembly.tools.forEach((tool, handler) => {
    const { description, name } = tool.schema
    link(tool, Result.getOrThrow(RegisteredTool.make({ name, description, parameters, handler }, "global")))
  })
  return assembly
}

const base = linked(
  assemble([
    overlay({
      sections: [
        { name: "a", order: 0, text: "A" },
        { name: "b", order: 1, text: Template.text`B ${Template.ref("v")}`, requires: ["t"] }
      ],
      contexts: [{ name: "a", order: 0, text: "A" }],
      variables: [
        { name: "a", value: "A" },
        { name: "v", value: "V" }
      ],
      tools: [
        { name: "p1", tools: [schema("t", "T"), schema("u", "U"), schema("u", "U"), schema("u", "W")] },
        { tools: [schema("t", "T")] }
      ]
    })
  ])
)

/** The same, but for lists that some provider gave anew. */
const others: ReadonlyArray<Assembly.Assembly> = [
  base,
  Object.freeze({ ...base }),
  Assembly.setVariable(base, "v", "else"),
  linked(
    Object.freeze({
      ...Assembly.mapSection(base, "a", (section) => ({ ...section, text: "another" })),
      tools: Object.freeze(base.tools.map((tool) => Object.freeze({ ...tool })))
    })
  ),
  Assembly.removeTool(Assembly.removeSection(base, "a"), "t")
]

// -----------------------------------------------------------------------------
// results of a listener
// -----------------------------------------------------------------------------

const fields = ["sections", "contexts", "tools", "variables"] as const

type Field = (typeof fields)[number]

/** How a listener made a part: of which one, what it says, and as what kind of object. */
interface Item {
  readonly part: number
  readonly change: "none" | "copied" | "text" | "order" | "name" | "origin" | "no origin" | "extra field" | "wrong"
  readonly says: number
  readonly object: "frozen" | "open" | "the one before"
}

interface Recipe {
  readonly field: Field
  readonly items: ReadonlyArray<Item>
}

interface Step {
  readonly base: number
  /** Which recipes it follows. */
  readonly recipes: ReadonlyArray<number>
  /** Whether it gives parts back that were accepted before. */
  readonly remembers: boolean
}

interface Program {
  readonly recipes: ReadonlyArray<Recipe>
  readonly steps: ReadonlyArray<Step>
}

const item: Arb<Item> = Arbitrary.all({
  part: below(6),
  change: mostly(
    literal("none", "none", "none", "none", "copied", "text", "text", "text", "order", "name", "origin", "no origin"),
    40,
    literal("extra field", "wrong")
  ),
  says: below(2),
  object: literal("frozen", "frozen", "frozen", "frozen", "open", "the one before")
})

const program: Arb<Program> = Arbitrary.all({
  recipes: Arbitrary.array(Arbitrary.all({ field: literal(...fields), items: list(item, 5) }), {
    minLength: 1,
    maxLength: 4
  }),
  steps: Arbitrary.array(
    Arbitrary.all({
      base: literal(0, 0, 0, 1, 1, 2, 3, 4),
      recipes: Arbitrary.array(below(3), { minLength: 1, maxLength: 2 }),
      remembers: literal(false, false, false, true)
    }),
    { minLength: 2, maxLength: 6 }
  )
})

/** The parts that an item may stand for. */
type Parts = ReadonlyArray<Assembly.Assembly[Field][number]>

const described = [schema("u", "X"), schema("u", "Y"), schema("t", "X")]

const changed = (part: Parts[number], { change, says }: Item, of: Parts): object => {
  if (change === "copied") return { ...part }
  if (change === "wrong") return { ...part, name: "", schema: 42 }
  if (change === "extra field") return { ...part, more: says }
  if (change === "origin") return { ...part, origin: of.at(says)?.origin }
  if (change === "no origin") return { ...part, origin: { scope: "nowhere" } }
  if ("schema" in part) {
    const { name } = part.schema
    const told = described[says]!
    if (change === "name") return { ...part, schema: schema("new", name) }
    if (change === "order") return { ...part, schema: { ...part.schema, description: `${says}` } }
    return { ...part, schema: name === "u" ? told : ToolSchema.make({ ...told, name }) }
  }
  if (change === "name") return { ...part, name: `new${says}` }
  if ("value" in part) return { ...part, value: says === 0 ? undefined : `${part.name}${change}` }
  if (change === "order") return { ...part, order: says === 0 ? -1 : 7 }
  return says === 0 ? { ...part, text: `${part.name} says` } : { ...part, text: Template.text`X ${Template.ref("v")}` }
}

const follow = ({ field, items }: Recipe, parts: Parts, known: Parts): ReadonlyArray<unknown> => {
  const made: Array<unknown> = []
  const taken = new Set<Parts[number]>()
  for (const one of items) {
    const part = parts[one.part % Math.max(parts.length, 1)]
    // Of those whose names are unique, each is there once at the most; two may still get one name.
    if (part === undefined || (field !== "tools" && (taken.has(part) || one.object === "the one before"))) continue
    taken.add(part)
    if (one.object === "the one before" && made.length > 0) made.push(made.at(-1))
    else if (one.change === "none") made.push(part)
    else {
      const after = changed(part, one, [...parts, ...known])
      made.push(one.object === "frozen" ? Object.freeze(after) : after)
    }
  }
  return Object.freeze(made)
}

const resultOf = (
  given: Assembly.Assembly,
  { recipes }: Program,
  step: Step,
  before: Assembly.Assembly | undefined
) => {
  let after: object = given
  for (const nth of step.recipes) {
    const recipe = recipes[nth % recipes.length]!
    const known = step.remembers ? (before?.[recipe.field] ?? []) : []
    const parts = step.remembers && known.length > 0 ? [...given[recipe.field], ...known] : given[recipe.field]
    after = Object.freeze({ ...after, [recipe.field]: follow(recipe, parts, known) })
  }
  return after
}

// -----------------------------------------------------------------------------
// the law
// -----------------------------------------------------------------------------

/** All that is to be seen of what was accepted, or why it was not. */
const seen = (given: Assembly.Assembly, result: ReturnType<typeof accept>) => {
  if (Result.isFailure(result)) return { refused: { ...result.failure } }
  const accepted = result.success
  return {
    accepted,
    unchanged: accepted === given,
    lists: fields.map((field) => ({
      unchanged: accepted[field] === given[field],
      before: accepted[field].map((part) => given[field].findIndex((one) => one === part)),
      distinct: new Set<unknown>(accepted[field]).size
    })),
    links: accepted.tools.map((tool) => registeredAs(tool)?.handler)
  }
}

describe("what is accepted of a listener that was accepted before", () => {
  it.effect(
    "is what is accepted of one that never was",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        yield* check(
          program,
          (self) =>
            Effect.sync(() => {
              const memory = new Memory()
              let before: Assembly.Assembly | undefined
              for (const step of self.steps) {
                const given = others[step.base]!
                const after = resultOf(given, self, step, before)
                const remembered = accept([given], after, owner, memory)
                const anew = accept([given], after, owner)
                assert.deepStrictEqual(seen(given, remembered), seen(given, anew))
                if (Result.isFailure(remembered) || remembered.success === given) {
                  tally.count(Result.isFailure(remembered) ? "refused" : "unchanged")
                  continue
                }
                const now = remembered.success
                const last = before
                const isKept = (field: Field) => now[field] !== given[field] && last?.[field] === now[field]
                const keptPart = (field: Field) =>
                  last?.[field] !== now[field] &&
                  now[field].some(
                    (part) =>
                      last?.[field].some((one) => one === part) === true && !given[field].some((one) => one === part)
                  )
                tally.count(
                  "accepted",
                  ...(last === now ? ["the same assembly"] : []),
                  ...fields.filter(isKept).map((field) => `the same ${field}`),
                  ...fields.filter(keptPart).map((field) => `a part of other ${field}`),
                  ...(now.tools.some((tool) => tool.origin.listener !== undefined && registeredAs(tool) !== undefined)
                    ? ["an edited tool"]
                    : [])
                )
                before = now
                assert.deepStrictEqual(changeable({ ...now, annotations: 0 }, [base.annotations]), ["$"])
              }
            }),
          { runs: runs(1_500, 60_000), seed: 7 }
        )
        tally.assertShares("accepted again", {
          accepted: 60,
          refused: 2,
          unchanged: 5,
          "an edited tool": 5,
          "the same assembly": 3,
          "the same sections": 3,
          "the same contexts": 3,
          "the same tools": 2,
          "the same variables": 3,
          "a part of other sections": 1,
          "a part of other contexts": 0.4,
          "a part of other tools": 1,
          "a part of other variables": 0.8
        })
      }),
    patience
  )
})

// -----------------------------------------------------------------------------
// what it saves
// -----------------------------------------------------------------------------

const Note = Context.Reference<string>("test/Note", { defaultValue: () => "" })

/** Accepts as one listener's what the edit gives, each time. */
const listener = () => {
  const memory = new Memory()
  return (given: Assembly.Assembly, after: unknown) => Result.getOrThrow(accept([given], after, owner, memory))
}

const added = schema("added", "Added")

/** Makes all parts anew, each time. */
const edit = (given: Assembly.Assembly): Assembly.Assembly =>
  pipe(
    given,
    Assembly.addSection({ name: "x", order: 5, text: Template.text`X ${Template.ref("v")}`, requires: ["t"] }),
    Assembly.addContext({ name: "y", order: -5, text: "Y", interpolate: false }),
    Assembly.mapTool("u", (tool) => ({ ...tool, description: `${tool.description}!` })),
    Assembly.addTool(added),
    Assembly.setVariable("v", "set"),
    Assembly.setVariable("w", undefined)
  )

describe("a listener that says the same of", () => {
  it("the same assembly gives the very same one", () => {
    const judge = listener()
    const first = judge(base, edit(base))
    assert.strictEqual(judge(base, edit(base)), first)
    assert.deepStrictEqual(first, Result.getOrThrow(accept([base], edit(base), owner)))
    assert.notStrictEqual(Result.getOrThrow(accept([base], edit(base), owner)), first)
  })

  it("the same list gives the very same one, in another assembly", () => {
    const judge = listener()
    const first = judge(base, edit(base))
    for (const changed of [Assembly.removeSection(base, "a"), Assembly.annotate(base, Note, "changed")]) {
      const now = judge(changed, edit(changed))
      assert.notStrictEqual(now, first)
      for (const field of ["contexts", "tools", "variables"] as const) assert.strictEqual(now[field], first[field])
      assert.strictEqual(Context.get(now.annotations, Note), Context.get(changed.annotations, Note))
    }
  })

  it("another list gives the very same parts, where it made them", () => {
    const judge = listener()
    const first = judge(base, edit(base))
    const changed = Assembly.removeTool(
      Assembly.mapSection(base, "a", (one) => ({ ...one, text: "else" })),
      "t"
    )
    const now = judge(changed, edit(changed))
    const of = (self: Assembly.Assembly) => [
      self.sections.find(({ name }) => name === "x"),
      ...self.tools.filter(({ schema }) => schema.name !== "t")
    ]
    assert.deepStrictEqual(
      of(now).map((one) => of(first).findIndex((other) => other === one)),
      [0, 1, 2, 3, 4]
    )
    assert.notStrictEqual(now.sections, first.sections)
    assert.notStrictEqual(now.tools, first.tools)
  })

  it("an equal list that leaves it as it is gives that list, and not the one before", () => {
    const judge = listener()
    const copied = (given: Assembly.Assembly) => ({ ...given, sections: given.sections.map((one) => ({ ...one })) })
    const equal = Object.freeze({
      ...base,
      sections: Object.freeze(base.sections.map((one) => Object.freeze({ ...one })))
    })
    const edited = (given: Assembly.Assembly) => Assembly.removeSection(copied(given), "b")
    assert.strictEqual(judge(base, edited(base)).sections[0], base.sections[0])
    assert.strictEqual(judge(equal, edited(equal)).sections[0], equal.sections[0])
    assert.strictEqual(judge(base, copied(base)), base)
    assert.strictEqual(judge(equal, copied(equal)), equal)
  })

  it("the same lists, of an assembly that differs elsewhere, gives one that differs there", () => {
    const judge = listener()
    for (const suppressed of [false, true]) {
      const given = Object.freeze({ ...base, suppressed })
      assert.strictEqual(judge(given, edit(given)).suppressed, suppressed)
    }
  })

  it("the same with other objects of its own gives what it says now", () => {
    const judge = listener()
    for (const name of ["x", "y"]) {
      assert.strictEqual(judge(base, Assembly.setVariable(base, name, "1")).variables.at(-1)?.name, name)
    }
    for (const name of ["x", "y"]) {
      const { parameters } = base.tools[0]!.schema
      const more = Assembly.addTool(base, { name, description: "More", parameters })
      assert.strictEqual(judge(base, more).tools.at(-1)?.schema.name, name)
    }
    for (const deferLoading of [false, true, false]) {
      const told = Assembly.mapTool(base, "t", (one) => ({ ...one, description: "told", deferLoading }))
      assert.strictEqual(judge(base, told).tools[0]?.schema.deferLoading ?? false, deferLoading)
    }
    for (const text of ["1", "1", "2", "1"]) {
      const now = judge(base, Assembly.addSection(base, { name: "x", order: 5, text }))
      assert.strictEqual(now.sections.at(-1)?.text, text)
    }
  })
})

describe("a part that says the same as one that was accepted, but for", () => {
  const odd: ReadonlyArray<readonly [what: string, change: object]> = [
    ["a field that there is not", { more: 1 }],
    ["requires of no array", { requires: { length: 1, 0: "t", [Symbol.iterator]: () => ["t"].values() } }],
    ["interpolate", { interpolate: undefined }],
    ["order", { order: 4 }],
    ["requires", { requires: [] }],
    ["text", { text: "Y" }],
    ["name", { name: "y" }]
  ]

  for (const [what, change] of odd) {
    it(`${what}, is judged anew`, () => {
      const memory = new Memory()
      const part = { name: "x", order: 5, text: "X", interpolate: false, requires: ["t"] }
      const judge = (section: object, remembered?: Memory) => {
        const after = { ...base, sections: [...base.sections, Object.freeze(section)] }
        return accept([base], after, owner, remembered)
      }
      assert.isTrue(Result.isSuccess(judge({ ...part }, memory)))
      assert.deepStrictEqual(judge({ ...part, ...change }, memory), judge({ ...part, ...change }))
      assert.notDeepEqual(judge({ ...part, ...change }), judge(part))
    })
  }
})

describe("tools of one name", () => {
  const [first, second, ...rest] = base.tools
  const [twin, other, ...more] = rest
  const copy = (one: Assembly.AssembledTool | undefined) => Object.freeze({ ...one })
  const told = () => Object.freeze({ ...other, schema: schema("u", "told") })

  it("that were accepted before and are given back are new: they are of no origin that is there", () => {
    const judge = listener()
    const tools = (...two: ReadonlyArray<unknown>) =>
      judge(base, { ...base, tools: [first, second, ...two, ...more] }).tools
    for (const one of [twin, copy(twin)]) {
      const made = tools(twin, told())[3]
      assert.strictEqual(made?.origin.provider, "p1")
      const after = tools(one, made)
      assert.strictEqual(after[2], twin)
      assert.isUndefined(after[3]?.origin.provider)
      assert.isUndefined(after[3] && registeredAs(after[3]))
    }
  })

  it("are made of one each, unless one object is there twice", () => {
    const judge = listener()
    const twins = base.tools.filter((tool) => tool.schema.name === "u")
    const linksOf = (...tools: ReadonlyArray<unknown>) =>
      judge(base, { ...base, tools: [first, second, ...tools, twins[2]] }).tools.map(
        (tool) => registeredAs(tool)?.handler
      )
    const edited = () => Object.freeze({ ...twins[0], schema: schema("u", "edited") })
    for (let nth = 0; nth < 2; nth++) {
      const one = edited()
      assert.deepStrictEqual(linksOf(one, one), [0, 1, 2, 2, 4])
      assert.deepStrictEqual(linksOf(edited(), edited()), [0, 1, 2, 3, 4])
    }
  })
})

describe("what may change is not taken for what it was", () => {
  const x = Object.freeze({ name: "x", order: 5, text: "X", interpolate: true, requires: Object.freeze([]) })

  it("a part that is not frozen is read once, each time", () => {
    const judge = listener()
    let reads = 0
    for (let nth = 1; nth <= 3; nth++) {
      const part = { ...x, origin: undefined }
      Object.defineProperty(part, "text", { get: () => `${Math.ceil(++reads / 2) * 2}`, enumerable: true })
      judge(base, { ...base, sections: [...base.sections, part] })
      assert.strictEqual(reads, nth)
    }
  })

  it("a list that the listener was given, if it is not frozen", () => {
    const judge = listener()
    const given = { ...base, sections: [...base.sections] }
    const [a] = base.sections
    const after = () => ({ ...given, sections: [a, x] })
    assert.strictEqual(judge(given, after()).sections[0], a)
    given.sections.splice(0, 1)
    assert.deepInclude(judge(given, after()).sections[0]?.origin, { listener: { name: "l", scope: "global" } })
  })

  it("an assembly that the listener was given, if it is not frozen", () => {
    const judge = listener()
    const given = { ...base, suppressed: false }
    assert.isFalse(judge(given, edit(given)).suppressed)
    given.suppressed = true
    assert.isTrue(judge(given, edit(given)).suppressed)
  })
})
