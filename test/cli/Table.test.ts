import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import * as Style from "../../src/cli/Style.ts"
import * as Table from "../../src/cli/Table.ts"
import { printable, width } from "../../src/internal/width.ts"
import * as cells from "../support/cells.ts"

const plain = (columns: ReadonlyArray<Table.Column>, rows: ReadonlyArray<ReadonlyArray<string>>, width = 80) =>
  Table.render(columns, rows, { width, style: Style.plain }).split("\n")

const columns: ReadonlyArray<Table.Column> = [
  { title: "kind" },
  { title: "name" },
  { title: "tokens", align: "right" },
  { title: "text", shrink: true }
]

describe("Table", () => {
  it("aligns columns as a terminal shows them, and leaves no blanks at the end of a line", () => {
    assert.deepStrictEqual(
      plain(columns, [
        ["section", "审批:policy", "~1,234", "Ask first."],
        ["context", "👨‍👩‍👧‍👦e\u0301", "7", ""],
        ["tool", "bash"]
      ]),
      [
        "kind     name         tokens  text",
        "section  审批:policy  ~1,234  Ask first.",
        "context  👨‍👩‍👧‍👦e\u0301               7",
        "tool     bash"
      ]
    )
  })

  it("has no heading where no column has a title", () => {
    assert.deepStrictEqual(plain([{ title: "" }, { title: "" }], [["a", "b"]]), ["a  b"])
    assert.deepStrictEqual(plain([{ title: "" }, { title: "" }], []), [""])
    assert.deepStrictEqual(plain([{ title: "a" }, { title: "" }], []), ["a"])
  })

  it("cuts the columns that may shrink first, and the widest of all next", () => {
    const row = ["section", "tool:bash", "1,000", "Quote paths that may hold blanks."]
    assert.deepStrictEqual(plain(columns, [row], 40), [
      "kind     name       tokens  text",
      "section  tool:bash   1,000  Quote paths…"
    ])
    assert.deepStrictEqual(plain(columns, [row], 36), [
      "kind     name       tokens  text",
      "section  tool:bash   1,000  Quote p…"
    ])
    assert.deepStrictEqual(plain(columns, [row], 30), [
      "kind    name    tokens  text",
      "secti…  tool:…   1,000  Quote…"
    ])
  })

  it("cuts a column that may shrink down to 8 before a wider one that may not", () => {
    const two: ReadonlyArray<Table.Column> = [{ title: "" }, { title: "", shrink: true }]
    const row = ["a".repeat(20), "b".repeat(15)]
    assert.deepStrictEqual(plain(two, [row], 30), [`${"a".repeat(20)}  ${"b".repeat(7)}…`])
    assert.deepStrictEqual(plain(two, [row], 29), [`${"a".repeat(18)}…  ${"b".repeat(7)}…`])
  })

  it("gives each cell a line of its own where columns would be too narrow", () => {
    const row = ["section", "tool:bash", "1,000", "Quote paths that may hold blanks."]
    assert.deepStrictEqual(plain(columns, [row, ["tool", "bash", "", "x"]], 20), [
      "kind: section",
      "name: tool:bash",
      "tokens: 1,000",
      "text: Quote paths t…",
      "",
      "kind: tool",
      "name: bash",
      "text: x"
    ])
    assert.deepStrictEqual(plain([{ title: "" }], [["abc"]], 1), ["…"])
    assert.deepStrictEqual(plain([{ title: "" }], [["abc"]], 0), ["…"])
  })

  it("paints what is shown, also where it is cut, and the heading; paint takes no room", () => {
    const rows: ReadonlyArray<ReadonlyArray<Table.Cell>> = [
      [{ text: "lost\u001b[31m text", paint: Style.coloured.red }, "b"],
      ["c", { text: "d", paint: Style.coloured.dim }]
    ]
    const text = Table.render([{ title: "one", shrink: true }, { title: "two" }], rows, {
      width: 16,
      style: Style.coloured
    })
    assert.deepStrictEqual(text.split("\n"), [
      "\u001b[1mone\u001b[22m          \u001b[1mtwo\u001b[22m",
      "\u001b[31mlost\\u001b…\u001b[39m  b",
      "c            \u001b[2md\u001b[22m"
    ])
  })
})

// -----------------------------------------------------------------------------
// properties
// -----------------------------------------------------------------------------

const column = Arbitrary.schema(
  Schema.Struct({
    title: Schema.Literals(["", "name", "中文标题", "tokens"]),
    align: Schema.Literals(["left", "right"]),
    shrink: Schema.Boolean
  })
)

const table = Arbitrary.flatMap(Arbitrary.array(column, { minLength: 1, maxLength: 6 }), (columns) =>
  Arbitrary.map(
    Arbitrary.array(Arbitrary.array(cells.text(24), { maxLength: columns.length }), { maxLength: 5 }),
    (rows) => ({ columns, rows })
  )
)

const limit = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })))

/** Marks that say where a painted cell begins and ends; no generated text has them. */
const paint = (text: string): string => `⟦${text}⟧`

interface Seen {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The painted cells of a line, in cells of the terminal from its beginning. */
const seen = (line: string): ReadonlyArray<Seen> =>
  [...line.matchAll(/⟦([^⟧]*)⟧/gu)].map((match) => {
    const start = width(line.slice(0, match.index).replaceAll(/[⟦⟧]/gu, ""))
    return { start, end: start + width(match[1]!), text: match[1]! }
  })

/** The text of a cell is whole, or its beginning and `…`. */
const assertShown = (shown: string, text: string): void => {
  const whole = printable(text)
  if (shown === whole) return
  assert.isTrue(shown.endsWith("…"), `${shown} of ${whole}`)
  assert.isTrue(whole.startsWith(shown.slice(0, -1)), `${shown} of ${whole}`)
}

describe("every table", () => {
  it.prop("fits the terminal and has no control characters", [table, limit], ([{ columns, rows }, limit]) => {
    for (const line of plain(columns, rows, limit)) {
      assert.isAtMost(width(line), limit)
      assert.notMatch(line, /[\p{Cc}\p{Cs}\u202e]/u)
    }
  })

  it.prop("aligns its columns and loses nothing but behind …", [table, limit], ([{ columns, rows }, limit]) => {
    const bare = columns.map((column) => ({ ...column, title: "" }))
    const painted = rows.map((row) => row.map((text) => ({ text, paint })))
    const text = Table.render(bare, painted, { width: limit, style: Style.plain })
    const lines = text.split("\n").map(seen)
    const lengths = rows.map((row) => row.findLastIndex((one) => one !== "") + 1)
    // Too narrow for columns: each cell has a line.
    const stacked = lines.length !== rows.length || lengths.some((length, i) => lines[i]!.length !== length)
    if (rows.length > 0 && stacked) {
      assert.isBelow(limit, 4 * columns.length + 2 * (columns.length - 1))
      const shown = seen(text).map((one) => one.text)
      const all = rows.flat().filter((one) => one !== "")
      assert.strictEqual(shown.length, all.length)
      for (const [i, one] of all.entries()) assertShown(shown[i]!, one)
      return
    }
    const starts = new Set<string>()
    const ends = new Set<string>()
    for (const [i, row] of rows.entries()) {
      for (const [j, one] of row.slice(0, lengths[i]).entries()) {
        const at = lines[i]![j]!
        assertShown(at.text, one)
        starts.add(`${j}:${at.start}`)
        ends.add(`${j}:${at.end}`)
      }
    }
    for (const [j, { align }] of columns.entries()) {
      const places = [...(align === "right" ? ends : starts)].filter((one) => one.startsWith(`${j}:`))
      assert.isAtMost(places.length, 1, `${align} ${places.join(" ")}`)
    }
  })

  it.prop("with room enough cuts nothing", [table], ([{ columns, rows }]) => {
    const text = Table.render(columns, rows, { width: 10_000, style: Style.plain })
    for (const one of rows.flat()) assert.include(text, printable(one))
  })
})
