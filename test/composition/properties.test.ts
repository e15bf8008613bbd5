import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Composition, parse } from "effect-preamble/composition"
import { file } from "./support.ts"

// Texts that are hard to write in YAML: braces, quotes, indicators, blanks at both ends, line breaks, what looks like a number.
const piece = Arbitrary.schema(
  Schema.Literals([
    "a",
    " ",
    "\n",
    "{{x}}",
    "{",
    "}",
    '"',
    "'",
    ":",
    "#",
    "- ",
    "|",
    ">",
    "&",
    "*",
    "!",
    "%",
    "@",
    "`",
    "\t",
    "\\",
    "\r",
    "1",
    "no",
    "~",
    "世",
    "😀",
    "\u0301",
    "\u2028",
    "\ufeff",
    ",",
    "[",
    "]",
    "?"
  ])
)
const text = Arbitrary.map(Arbitrary.array(piece, { maxLength: 8 }), (pieces) => pieces.join(""))
const flag = Arbitrary.schema(Schema.Boolean)
const band = Arbitrary.schema(Schema.Literals(["TOOL_BASH", "PLAN_POLICY"]))
const number = Arbitrary.schema(Schema.Literals([0, -1, 1.5, 1e21, 0.1, 300]))
const order = Arbitrary.flatMap(flag, (named): Arbitrary.Arbitrary<string | number> => (named ? band : number))

const section = Arbitrary.all({ text, order, interpolate: flag })
const contents = Arbitrary.all({
  sections: Arbitrary.array(section, { maxLength: 4 }),
  value: text,
  description: text,
  key: text
})

interface Data {
  readonly sections: ReadonlyArray<object>
  readonly variables: object
  readonly tools: ReadonlyArray<object>
}

const toData = (from: typeof contents extends Arbitrary.Arbitrary<infer A> ? A : never): Data => ({
  sections: from.sections.map((one, index) => ({ name: `s${index}`, ...one })),
  variables: { a: from.value, b: null, c: { env: "HOME" } },
  tools: [
    { name: "t", description: from.description, parameters: { type: "object", [`k${from.key}`]: [from.key, 1, null] } }
  ]
})

const composition = Arbitrary.all({
  global: contents,
  scoped: contents,
  identity: text,
  styles: Arbitrary.array(Arbitrary.schema(Schema.Literals(["double", "single", "plain", "literal", "folded"])), {
    minLength: 1,
    maxLength: 12
  })
})

const dataOf = (from: typeof composition extends Arbitrary.Arbitrary<infer A> ? A : never) => ({
  ...toData(from.global),
  identity: from.identity,
  scopes: { inner: { parent: "outer", ...toData(from.scoped) }, outer: {} }
})

type Style = (text: string, indent: number) => string | undefined

const lines = (text: string, indent: number): string =>
  text
    .split("\n")
    .map((line) => (line === "" ? "" : " ".repeat(indent) + line))
    .join("\n")

/** Ways to write a text; undefined where one cannot hold it. (The writer of the library is not faithful to all blanks.) */
const styles: Readonly<Record<string, Style>> = {
  double: (text) => JSON.stringify(text),
  single: (text) => (/^[^\n\r\t\ufeff]*$/u.test(text) ? `'${text.replaceAll("'", "''")}'` : undefined),
  plain: (text) => (/^[a-m](?:[\w世 ]*[\w世])?$/u.test(text) ? text : undefined),
  // The parser (yaml 2.9.1) reads lines of blanks alone at an end of a block as empty lines, so none are written.
  literal: (text, indent) =>
    /^\n*$/.test(text) || /[\r\ufeff]|^ +$/mu.test(text)
      ? undefined
      : text.endsWith("\n")
        ? `|2+\n${lines(text.slice(0, -1), indent)}`
        : `|2-\n${lines(text, indent)}`,
  folded: (text, indent) =>
    /^[\w世]+(?: [\w世]+|\n[\w世]+)*$/u.test(text) ? `>-\n${lines(text.replaceAll("\n", "\n\n"), indent)}` : undefined
}

/** YAML of plain data in which every text has one of the styles, in turn, or else double quotes. */
const toYaml = (data: unknown, names: ReadonlyArray<string>): string => {
  let count = 0
  const write = (value: unknown, indent: number): string => {
    if (typeof value === "string") {
      const style = styles[names[count++ % names.length]!]!
      return ` ${style(value, indent) ?? JSON.stringify(value)}`
    }
    if (typeof value !== "object" || value === null) return ` ${String(value)}`
    const pad = `\n${" ".repeat(indent)}`
    if (Array.isArray(value)) {
      return value.length === 0 ? " []" : value.map((item) => `${pad}-${write(item, indent + 2)}`).join("")
    }
    const entries = Object.entries(value)
    return entries.length === 0
      ? " {}"
      : entries.map(([key, item]) => `${pad}${JSON.stringify(key)}:${write(item, indent + 2)}`).join("")
  }
  return write(data, 0)
}

const meaning = (composition: Composition) => ({ ...composition, document: undefined, toolPlaces: undefined })

const meaningOf = (text: string) => meaning(Result.getOrThrow(parse({ file, text })))

describe("properties", () => {
  it.effect(
    "JSON and YAML of every style of the same data give the same composition",
    () =>
      Effect.gen(function* () {
        const result = yield* Arbitrary.checkEffect(
          composition,
          (from) => {
            const data = dataOf(from)
            const json = meaningOf(JSON.stringify(data))
            assert.deepStrictEqual(meaningOf(toYaml(data, from.styles)), json)
            assert.deepStrictEqual(meaningOf(JSON.stringify(data, null, 2)), json)
            assert.strictEqual(json.identity, from.identity)
            assert.deepStrictEqual(
              json.global.sections.map((one) => one.value.text),
              from.global.sections.map((one) => one.text)
            )
            return true
          },
          { runs: 300 }
        )
        assert.strictEqual(result._tag, "Passed", result._tag === "Passed" ? "" : JSON.stringify(result))
      }),
    60_000
  )

  it.effect(
    "BC-066: LF, CRLF and a byte order mark give the same composition",
    () =>
      Effect.gen(function* () {
        const result = yield* Arbitrary.checkEffect(
          composition,
          (from) => {
            // Line breaks of the file, not of its texts: JSON writes those as escapes.
            const json = JSON.stringify(dataOf(from), null, 2)
            const plain = meaningOf(json)
            for (const one of [json.replaceAll("\n", "\r\n"), `\ufeff${json}`, `\ufeff${json.replace("\n", "\r\n")}`]) {
              assert.deepStrictEqual(meaningOf(one), plain)
            }
            const files = (content: string) =>
              Result.map(
                parse({
                  file,
                  text: "sections: [{ name: s, order: 0, text: { file: f } }]",
                  files: new Map([["f", content]])
                }),
                (one) => one.global.sections[0]!.value.text
              )
            const lines = from.identity.replaceAll("\r", "").replace(/^\ufeff+/u, "")
            for (const one of [lines, lines.replaceAll("\n", "\r\n"), `\ufeff${lines}`]) {
              assert.deepStrictEqual(files(one), Result.succeed(lines))
            }
            return true
          },
          { runs: 200 }
        )
        assert.strictEqual(result._tag, "Passed", result._tag === "Passed" ? "" : JSON.stringify(result))
      }),
    60_000
  )

  it.effect(
    "is total: text of YAML's own characters gives a composition or problems with places in it",
    () =>
      Effect.gen(function* () {
        const soup = Arbitrary.map(
          Arbitrary.array(
            Arbitrary.schema(
              Schema.Literals([
                "sections",
                "name",
                "text",
                ":",
                " ",
                "\n",
                "  ",
                "- ",
                "{",
                "}",
                "[",
                "]",
                ",",
                '"',
                "'",
                "&a ",
                "*a",
                "!x ",
                "|",
                "\t",
                "{{x}}",
                "? ",
                "#",
                "---\n",
                "0"
              ])
            ),
            { maxLength: 25 }
          ),
          (parts) => parts.join("")
        )
        const result = yield* Arbitrary.checkEffect(
          soup,
          (text) => {
            const read = parse({ file, text })
            if (Result.isSuccess(read)) return true
            const lines = text.split("\n")
            for (const { column, line } of read.failure.problems) {
              assert.isAtLeast(column, 1)
              assert.isAtMost(line, lines.length)
              assert.isAtMost(column, (lines[line - 1] ?? "").length + 1, JSON.stringify(text))
            }
            return true
          },
          { runs: 3000 }
        )
        assert.strictEqual(result._tag, "Passed", result._tag === "Passed" ? "" : JSON.stringify(result))
      }),
    60_000
  )
})
