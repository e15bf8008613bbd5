/** Random programs, from a seed. */
import type * as Edit from "../../../src/testing/Edit.ts"
import { type Random, seeded } from "../../support/random.ts"
import type { Entry, Program, Step, TextValue, ToolsValue, Way } from "./program.ts"

const cells = 3

/** What renders; some of it to nothing or to white space. */
const texts: readonly [TextValue, ...ReadonlyArray<TextValue>] = [
  "",
  " ",
  "one",
  "{{a}}",
  "{{b}}",
  "{{a}} and {{b}}",
  "{{a}}{{b}}",
  "by %",
  "x {{a}} y",
  { ref: "a", fresh: false },
  { ref: "b", fresh: true }
]

const badTexts: readonly [TextValue, ...ReadonlyArray<TextValue>] = [
  "{{c}}",
  "{{nope}}",
  "{{",
  "{{a} }}",
  "{{a}} {{c}}",
  7
]

const text = (random: Random): TextValue => (random.oneIn(14) ? random.pick(badTexts) : random.pick(texts))

const value = (random: Random): string | undefined | 7 =>
  random.oneIn(20) ? random.pick([undefined, 7]) : random.pick(["", "A", "B", "C", "\n", "{{b}}", "by %"])

const tools = (random: Random): ToolsValue => ({
  tools: Array.from({ length: random.below(3) }, () => random.below(4)),
  how: random.oneIn(25)
    ? "wrong"
    : random.pick(["same", "same", "array", "plain", "own", "own", "explicit", "new explicit", "new explicit"]),
  known: random.pick([[], [], ["c"], ["c", "d"]])
})

const section = (random: Random) => ({
  name: random.pick(["s0", "s1", "s2", "s3"]),
  order: random.below(2),
  text: random.pick(["", "added", "{{a}}", " "])
})

const edit = (random: Random): Edit.Step => {
  const name = random.pick(["s0", "s1", "s2", "s3"])
  const variable = random.pick(["a", "b", "c"])
  switch (random.below(12)) {
    case 0:
    case 1:
      return { _tag: "AddSection", section: { ...section(random), name: random.pick(["l0", "l1"]) } }
    case 2:
    case 3:
      return { _tag: "ReplaceSection", section: section(random) }
    case 4:
      return { _tag: "RemoveSection", name }
    case 5:
      return { _tag: "ReverseSections" }
    case 6:
      return { _tag: "AddContext", context: { ...section(random), name: "l0" } }
    case 7:
      return { _tag: "DescribeTool", name: random.pick(["a", "b"]), description: random.pick(["x", "y"]) }
    case 8:
      return { _tag: "RemoveTool", name: random.pick(["a", "b"]) }
    case 9:
      return { _tag: "Annotate", value: random.pick(["n", "m"]) }
    case 10:
      return random.oneIn(3) ? { _tag: "RemoveVariable", name: variable } : { _tag: "AddTool", tool: added }
    default:
      return { _tag: "SetVariable", name: variable, value: random.pick(["A", "edited", "by %"]) }
  }
}

const added = { name: "t", description: "added", parameters: { type: "object" } }

const edits = (random: Random): ReadonlyArray<Edit.Step> =>
  random.oneIn(4) ? [] : Array.from({ length: 1 + random.below(2) }, () => edit(random))

const way = (random: Random): Way =>
  random.oneIn(12) ? "nested" : random.pick(["constant", "function", "function", "function", "effect", "yields"])

const listener = (random: Random, cell: number): Entry => ({
  kind: "listener",
  name: random.pick(["l0", "l1", "l2"]),
  order: random.below(2),
  global: random.oneIn(5),
  cell,
  how: random.oneIn(10) ? "post" : random.pick(["edit", "edit", "effect", "yields", "around"])
})

const entry = (random: Random): Entry => {
  const cell = random.below(cells)
  const kind = random.below(14)
  if (kind < 4) {
    return {
      kind: "section",
      name: random.pick(["s0", "s1", "s2", "s3"]),
      order: random.below(2),
      cell,
      way: way(random),
      ...(random.oneIn(8) ? { interpolate: false } : undefined),
      ...(random.oneIn(25) ? { complete: true } : random.oneIn(8) ? { requires: [random.pick(["a", "b"])] } : undefined)
    }
  }
  if (kind < 6) {
    return { kind: "context", name: random.pick(["c0", "c1"]), order: random.below(2), cell, way: way(random) }
  }
  if (kind < 9) return { kind: "variable", name: random.pick(["a", "b", "c"]), cell, way: way(random) }
  if (kind < 11) {
    return { kind: "tools", ...(random.oneIn(2) ? { name: "p" } : undefined), cell, way: way(random) }
  }
  if (kind < 13) {
    return listener(random, cell)
  }
  return random.oneIn(3) ? { kind: "suppressor" } : { kind: "section", name: "s0", order: 0, cell, way: "function" }
}

/** What a step sets; the same cell or another, to something else or to what it is. */
const set = (random: Random): Step => {
  const cell = random.below(cells)
  switch (random.below(10)) {
    case 0:
    case 1:
      return { _tag: "Text", cell, value: text(random) }
    case 2:
    case 3:
    case 4:
      return { _tag: "Value", cell, value: value(random) }
    case 5:
    case 6:
      return { _tag: "Tools", cell, value: tools(random) }
    case 7:
      return { _tag: "Mutate", tool: random.below(4), to: random.pick(["m", "n", "o"]), deep: random.oneIn(2) }
    default:
      return { _tag: "Edits", cell, value: edits(random) }
  }
}

/** Two sections with variables, in most programs. */
const start = (random: Random, id: () => number): ReadonlyArray<Step> => {
  const register = (entry: Entry): Step => ({ _tag: "Register", id: id(), scope: random.below(3), entry })
  return [
    { _tag: "Open", id: 1, parent: 0 },
    { _tag: "Open", id: 2, parent: random.below(2) },
    { _tag: "Text", cell: 0, value: "{{a}}" },
    { _tag: "Text", cell: 2, value: random.pick(["{{b}}", " ", "two"]) },
    { _tag: "Text", cell: 1, value: random.pick(["{{a}} and {{b}}", "one", ""]) },
    { _tag: "Value", cell: 0, value: "A" },
    { _tag: "Value", cell: 1, value: "B" },
    { _tag: "Tools", cell: 0, value: tools(random) },
    { _tag: "Tools", cell: 1, value: tools(random) },
    { _tag: "Edits", cell: 0, value: edits(random) },
    ...[0, 1].map((cell) => register({ kind: "section", name: `s${cell}`, order: 0, cell, way: "function" })),
    ...["a", "b", "c"].map((name, cell): Step => ({
      _tag: "Register",
      id: id(),
      scope: 0,
      entry: { kind: "variable", name, cell, way: "function" }
    })),
    register({ kind: "tools", cell: random.below(2), way: "function" }),
    register({ kind: "section", name: "s2", order: 1, cell: 2, way: "function" }),
    ...(random.oneIn(3) ? [] : [register(listener(random, 0))]),
    ...Array.from({ length: random.below(4) }, () => register(entry(random)))
  ]
}

export const generate = (seed: number): Program => {
  const random = seeded(seed)
  let ids = 0
  let scopes = 3
  const id = () => ids++
  const scope = () => random.below(scopes)
  const voice = () => (random.oneIn(5) ? "V" : "")
  /** Most look at one scope again and again. */
  const favourite = random.below(3)
  const seen = () => (random.oneIn(3) ? scope() : favourite)
  const step = (): ReadonlyArray<Step> => {
    const kind = random.below(100)
    if (kind < 30) return [set(random), { _tag: "Render", scope: seen(), voice: voice() }]
    if (kind < 52) return [{ _tag: "Render", scope: seen(), voice: voice() }]
    if (kind < 58) return [{ _tag: "Assemble", scope: seen(), voice: voice() }]
    if (kind < 66) return [set(random)]
    if (kind < 78) return [{ _tag: "Register", id: id(), scope: scope(), entry: entry(random) }]
    if (kind < 83) return [{ _tag: "End", registration: random.below(ids) }]
    if (kind < 86) return [{ _tag: "Open", id: scopes++, parent: scope() }]
    if (kind < 89) return [{ _tag: "Rebind", scope: scope(), parent: scope() }]
    if (kind < 91) return [{ _tag: "Close", scope: scope() }]
    if (kind < 96) return [{ _tag: "Again", back: random.below(4), scope: scope(), copy: random.oneIn(3) }]
    if (kind < 99) return [{ _tag: "Together", scope: seen() }]
    if (!random.oneIn(3)) return []
    return [
      { _tag: "Crowd", scope: scope(), count: random.pick([28, 70]) },
      { _tag: "Render", scope: favourite, voice: "" }
    ]
  }
  const steps = [...start(random, id), ...Array.from({ length: 15 }, step).flat()]
  return { toolOrder: random.oneIn(4), steps }
}
