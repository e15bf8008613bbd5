/**
 * Every scenario and every bug case whose area is there is cited by a test, and nothing else is. That a test shows what
 * it cites is for its readers to say.
 */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { bugCases } from "./bugCases.ts"
import { cited, type Citation, citations, titles, unseen } from "./Citation.ts"
import { audit, deviates, type Entry, later } from "./Entry.ts"
import { scenarios } from "./scenarios.ts"

const test = fileURLToPath(new URL("../", import.meta.url))

/** Where the scenarios and bug cases come from: not part of this repository. */
const shared = path.join(test, "../../shared")

/** Our own titles quote citations, and are none. */
const sources = fs
  .readdirSync(test, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts") && !file.startsWith("conformance"))
  .toSorted()
  .map((file) => ({ file, source: fs.readFileSync(path.join(test, file), "utf8") }))

const all = sources.flatMap(({ file, source }) => citations(file, source))

const count = (entries: ReadonlyArray<Entry>): string => {
  const tags = entries.map(({ state }) => (typeof state === "string" ? state : state._tag))
  return [...new Set(tags)].map((tag) => `${tags.filter((one) => one === tag).length} ${tag}`).join(", ")
}

describe("the tests", () => {
  it("cite every scenario and bug case whose area is there, none that comes later, and none that is unknown", () => {
    console.log(`scenarios: ${count(scenarios)}; bug cases: ${count(bugCases)}; ${all.length} citations`)
    assert.deepStrictEqual(audit([...scenarios, ...bugCases], all), [])
  })

  it("cite only where we look", () => {
    assert.isAbove(sources.length, 50)
    assert.isAbove(sources.flatMap(({ source }) => titles(source)).length, 1_000)
    for (const { file, source } of sources) assert.deepStrictEqual(unseen(source), [], file)
  })
})

describe("the lists", () => {
  it("have the numbers from 1 to 329, and bug cases in order", () => {
    assert.deepStrictEqual(
      scenarios.map(({ id }) => id),
      Array.from({ length: 329 }, (_, i) => String(i + 1))
    )
    const ids = bugCases.map(({ id }) => id)
    assert.deepStrictEqual(ids, ids.toSorted())
    for (const id of ids) assert.match(id, /^BC-\d{3}$/)
    for (const { id, title } of [...scenarios, ...bugCases]) assert.match(title, /\S/, id)
  })

  it.skipIf(!fs.existsSync(shared))("are those that they come from, number by number and area by area", () => {
    const text = fs.readFileSync(path.join(shared, "spec/scenarios.md"), "utf8")
    const numbers = [...text.matchAll(/(?:^|\. )(\d+)(?:–(\d+))?\. (?=\S)/gm)].flatMap(([, first, last = first]) =>
      Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => String(Number(first) + i))
    )
    assert.deepStrictEqual(
      scenarios.map(({ id }) => id),
      numbers
    )
    const cases: unknown = JSON.parse(fs.readFileSync(path.join(shared, "cases/bug-cases.json"), "utf8"))
    if (!Array.isArray(cases)) assert.fail("no list of bug cases")
    assert.deepStrictEqual(
      bugCases.map(({ id, area }) => ({ id, area })),
      cases.map(({ id, area }: { readonly id: unknown; readonly area: unknown }) => ({ id, area }))
    )
  })
})

describe("cited", () => {
  for (const [title, ids] of [
    ["[12] a", ["12"]],
    ["[12, 15] a", ["12", "15"]],
    ["[10–12] a", ["10", "11", "12"]],
    ["[1, 3–4] [7] a", ["1", "3", "4", "7"]],
    ["[9, BC-029] a", ["9", "BC-029"]],
    ["[BC-029] a", ["BC-029"]],
    ["BC-029, BC-031: a", ["BC-029", "BC-031"]],
    ["[5] [5] a", ["5"]],
    ["12 of them", []],
    ["$.sections[a] and [] and {[1]", ["1"]],
    ["a [b]", []],
    ["[12, b]", []],
    ["[12–10] a", []]
  ] as const) {
    it(`finds ${JSON.stringify(ids)} in ${JSON.stringify(title)}`, () => assert.deepStrictEqual(cited(title), ids))
  }
})

describe("titles", () => {
  const source = [
    'it("[1] a", () => {})',
    '  it.effect("[2] a \\"b\\"", () => {})',
    'it.effect.prop(\n  "[3] a",\n  [b]',
    "describe(`[4] ${a}`, () => {})",
    'it.skipIf(!there(a))("[5] a", () => {})',
    'it.each([\n  ["[6] no"]\n])("[7] %s", () => {})',
    'test(\n    "[8] a",',
    'onDisk("[9] a", b)',
    '// it("[10] no")',
    '/**\n * it("no")\n * it("[11] no")\n */',
    'submit("[12] no")',
    'assert.isTrue(a, "[13] no")'
  ].join("\n")

  it("are the first arguments of test functions, on one line or the next", () => {
    const ids = citations("a.test.ts", source).map(({ id }) => id)
    assert.deepStrictEqual(ids, ["1", "2", "3", "4", "5", "7", "8", "9"])
  })

  it("that are nowhere there are found out", () => {
    assert.deepStrictEqual(
      unseen(source).map((text) => text.slice(1)),
      ["[6] no", "[10] no", "[11] no", "[12] no", "[13] no"]
    )
  })
})

describe("audit", () => {
  const entry = (id: string, state: Entry["state"]): Entry => ({ id, title: `t${id}`, state })
  const citation = (id: string): Citation => ({ id, file: "a.test.ts", title: `[${id}]` })
  const entries = [entry("1", "covered"), entry("2", deviates("so")), entry("3", later("sessions"))]

  it("finds nothing where every state is true", () => {
    assert.deepStrictEqual(audit(entries, [citation("1"), citation("2"), citation("2")]), [])
  })

  for (const [what, cites, problem] of [
    ["what is covered and has no test", ["2"], /^1 \(t1\) has no test$/],
    ["what deviates and has no test", ["1"], /^2 \(t2\) has no test$/],
    ["what comes later and has a test", ["1", "2", "3"], /^3 \(t3\) is marked as later, and a\.test\.ts/],
    ["what is cited and unknown", ["1", "2", "4"], /^4 is unknown, and cited in a\.test\.ts by \[4\]$/]
  ] as const) {
    it(`finds ${what}`, () => {
      const problems = audit(entries, cites.map(citation))
      assert.strictEqual(problems.length, 1)
      assert.match(problems[0]!, problem)
    })
  }

  it("finds what is listed twice", () => {
    const problems = audit([...entries, entry("3", later("more"))], [citation("1"), citation("2")])
    assert.deepStrictEqual(problems, ["3 is listed twice"])
  })
})
