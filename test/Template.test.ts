import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import { pipe } from "effect/Function"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { placeOf, placesIn } from "../src/internal/place.ts"
import { scan, type Source } from "../src/internal/scan.ts"
import type { Owner, RenderError } from "../src/PromptError.ts"
import * as Template from "../src/Template.ts"
import { VariableName } from "../src/VariableName.ts"

const owner: Owner = { kind: "section", entry: "guide", scope: "agent", plugin: "core" }

type Values = Readonly<Record<string, string | undefined>>

const variables = (values: Values): Template.Values => new Map(Object.entries(values))

const render = (text: Template.Text, values: Values) => Template.render(text, variables(values), owner)

const rendered = (text: Template.Text, values: Values = {}): string => {
  const result = render(text, values)
  if (Result.isFailure(result)) return assert.fail(result.failure.message)
  return result.success
}

const failure = (text: Template.Text, values: Values = {}): RenderError => {
  const result = render(text, values)
  if (Result.isSuccess(result)) return assert.fail(`rendered to ${JSON.stringify(result.success)}`)
  return result.failure
}

/** The failure, if it has this tag. */
const failureOf = <Tag extends RenderError["_tag"]>(
  tag: Tag,
  text: Template.Text,
  values: Values = {}
): Extract<RenderError, { readonly _tag: Tag }> => {
  const error = failure(text, values)
  const matches = (one: RenderError): one is Extract<RenderError, { readonly _tag: Tag }> => one._tag === tag
  return matches(error) ? error : assert.fail(`${error._tag}, not ${tag}: ${error.message}`)
}

const assertMentions = (error: RenderError, ...parts: ReadonlyArray<string>) => {
  for (const part of parts) assert.include(error.message, part)
}

// -----------------------------------------------------------------------------
// the table of the specification
// -----------------------------------------------------------------------------

const values = { a: "A", b: "{{a}}", e: "", u: undefined, close: "}}", model: "m" }

const literal = (text: string) => ({ text })

/** Input, and either the text it renders to, or the tag and the offset of its error. */
type Row = readonly [input: string, outcome: { readonly text: string } | readonly [RenderError["_tag"], number]]

const rows: ReadonlyArray<Row> = [
  ["", literal("")],
  ["plain", literal("plain")],
  ["{{a}}", literal("A")],
  ["x{{a}}y{{a}}z", literal("xAyAz")],
  ["{{a}}}", literal("A}")],
  ["{{a}}}}", literal("A}}")],
  ["{{a}} }}", literal("A }}")],
  ["{a}", literal("{a}")],
  ["{ {a}}", literal("{ {a}}")],
  ["{{a", literal("{{a")],
  ["{{a}", literal("{{a}")],
  ["{{a} }", literal("{{a} }")],
  ["}}", literal("}}")],
  ["}}{{", literal("}}{{")],
  ["{{", literal("{{")],
  ["{{{", literal("{{{")],
  ["{{{{", literal("{{{{")],
  ["{{ {{", literal("{{ {{")],
  ["{{}", literal("{{}")],
  ["{{a}} {{", literal("A {{")],
  ["{{a}}{{", literal("A{{")],
  ["{{a}} and {{u} x", literal("A and {{u} x")],
  ["${X:-{{fallback} stays", literal("${X:-{{fallback} stays")],
  ["\\{{a}}", literal("\\A")],
  ["{{b}}", literal("{{a}}")],
  ["{{close}}", literal("}}")],
  ["{{e}}", literal("")],
  ["{{}}", ["MalformedGroup", 0]],
  ["{{ }}", ["MalformedGroup", 0]],
  ["{{ a }}", ["MalformedGroup", 0]],
  ["{{a }}", ["MalformedGroup", 0]],
  ["{{A}}", ["MalformedGroup", 0]],
  ["{{a-b}}", ["MalformedGroup", 0]],
  ["{{a.b}}", ["MalformedGroup", 0]],
  ["{{1a}}", ["MalformedGroup", 0]],
  ["{{_a}}", ["MalformedGroup", 0]],
  ["{{__proto__}}", ["MalformedGroup", 0]],
  ["{{toString}}", ["MalformedGroup", 0]],
  ["{{a\n}}", ["MalformedGroup", 0]],
  ["{{é}}", ["MalformedGroup", 0]],
  ["{{\u200ba}}", ["MalformedGroup", 0]],
  ["{{a}b}}", ["MalformedGroup", 0]],
  ["{{x{y}}", ["MalformedGroup", 0]],
  ["{{{a}}", ["MalformedGroup", 0]],
  ["{{{a}}}", ["MalformedGroup", 0]],
  ["{{{{a}}}}", ["MalformedGroup", 0]],
  ["{{{}}", ["MalformedGroup", 0]],
  ["{{{}}}", ["MalformedGroup", 0]],
  ["a {{ b {{a}}", ["MalformedGroup", 2]],
  ["{{ {{a}}", ["MalformedGroup", 0]],
  ["{{ {{close}}", ["MalformedGroup", 0]],
  ["x {{a{b}} y {{model}}", ["MalformedGroup", 2]],
  ["{{}} {{nope}}", ["MalformedGroup", 0]],
  ["{{nope}} {{}}", ["UnknownVariable", 0]],
  ["{{nope}}", ["UnknownVariable", 0]],
  ["{{constructor}}", ["UnknownVariable", 0]],
  ["{{to_string}}", ["UnknownVariable", 0]],
  ["{{u}}", ["UndefinedVariable", 0]]
]

describe("[139–196] the rows of the specification", () => {
  for (const [index, [input, outcome]] of rows.entries()) {
    const row = index + 1
    it(`[${138 + row}] (row ${row}): ${JSON.stringify(input)}`, () => {
      if ("text" in outcome) return assert.strictEqual(rendered(input, values), outcome.text)
      const error = failure(input, values)
      assert.deepStrictEqual([error._tag, error.offset], [...outcome])
      const { kind, entry, scope, plugin } = error
      assert.deepStrictEqual({ kind, entry, scope, plugin }, { ...owner, plugin: "core" })
    })
  }

  it("[194] (row 56): {{constructor}} is its value once it is registered", () => {
    assert.strictEqual(rendered("{{constructor}}", { ...values, constructor: "ok" }), "ok")
  })

  it("[197] (row 59): switching interpolation off is not for the template; here rows 28–58 always fail", () => {
    const failing = rows.slice(27)
    assert.strictEqual(failing.length, 31)
    for (const [input] of failing) failure(input, values)
    for (const [input] of failing) assert.strictEqual(rendered(Template.verbatim(input), values), input)
  })
})

// -----------------------------------------------------------------------------
// reported bugs
// -----------------------------------------------------------------------------

describe("reported bugs", () => {
  it("BC-003: names of Object.prototype are unknown unless registered", () => {
    assertMentions(failureOf("UnknownVariable", "{{constructor}}", { model: "m" }), "constructor", "model")
    assertMentions(failureOf("UnknownVariable", "{{valueof}} {{model}}", { model: "m" }), "valueof")
    assertMentions(failureOf("MalformedGroup", "{{__proto__}}", { model: "m" }), "__proto__")
    assertMentions(failureOf("MalformedGroup", "{{toString}}", { model: "m" }), "toString")
    assert.strictEqual(rendered("{{constructor}}", { constructor: "ok" }), "ok")
  })

  it("BC-004: values are never expanded again", () => {
    assert.strictEqual(rendered("Hello {{a}}", { a: "{{b}}", b: "X" }), "Hello {{b}}")
    assert.strictEqual(rendered("Hello {{b}} {{a}}", { b: "{{a}}", a: "{{b}}" }), "Hello {{a}} {{b}}")
  })

  it("BC-018: JSX objects and empty groups are refused, code spans or not", () => {
    assertMentions(failureOf("MalformedGroup", 'Use style={{ color: "red" }} for colour.'), "section", "{{ color")
    assertMentions(failureOf("MalformedGroup", "Inline `{{}}` code."), "{{}}")
    assertMentions(failureOf("MalformedGroup", "    {{}}\n"), "{{}}")
    assert.strictEqual(rendered('Use style={ { color: "red" } }.'), 'Use style={ { color: "red" } }.')
  })

  it("BC-019: escapes are text, and braces that an outer language decoded are braces", () => {
    const escaped = String.raw`\u007b\u007bx\u007d\u007d`
    assert.strictEqual(rendered(escaped), escaped)
    assert.strictEqual(rendered("\u007b\u007bmodel\u007d\u007d", { model: "m1" }), "m1")
    const mood = "Say {{getvar::mood}} verbatim."
    assert.strictEqual(rendered(Template.verbatim(mood)), mood)
  })

  it("BC-021: a lone {{ is text or an error by what follows, and the error says where both are", () => {
    const text = 'Go templates open with {{ and JSON looks like {"a":{"b":1}}'
    const error = failureOf("MalformedGroup", text)
    assertMentions(error, "offset 23", `line 1, column ${text.indexOf("}}") + 1}, but other braces`, "{{ and JSON look")
    assert.deepInclude(error, {
      offset: 23,
      line: 1,
      column: 24,
      group: "{{ and JSON look…",
      excerpt: "{{ and JSON look"
    })
    const other = 'JSON looks like {"a":{"b":1}}. Go templates open with {{'
    assert.strictEqual(rendered(other), other)
  })

  it("BC-023: a missing variable is an error, an unused one without value is none", () => {
    const unknown = failureOf("UnknownVariable", "Hello {{name}}, age {{age}}", { name: "Ann" })
    assertMentions(unknown, "age", "section", "name")
    assertMentions(failureOf("UndefinedVariable", "Model {{model}}", { model: undefined }), "model", "section")
    assert.strictEqual(rendered("No refs here", { model: undefined }), "No refs here")
  })

  it("BC-024: JSON is text, unless it opens with two braces", () => {
    const text = 'Answer as {"a": {"b": {}}} or {} or { } and keep {x}.'
    assert.strictEqual(rendered(text, { x: "NO" }), text)
    assert.strictEqual(rendered('{"outer":{"inner":{}}}'), '{"outer":{"inner":{}}}')
    assertMentions(failureOf("MalformedGroup", '{{"a":1}}'), '{{"a":1}}')
  })

  const forms: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["{{user.password}}", ["user.password"]],
    ["{{items[0]}}", ["items[0]"]],
    ["{{ model }}", ["{{ model }}", "Write {{model}}."]],
    ["{{CURRENT_DIR}}", ["CURRENT_DIR", "Write {{current_dir}}."]],
    ["{{model|upper}}", ["model|upper"]],
    ["{{#if model}}x{{/if}}", ["#if model"]],
    ["{{modèle}}", ["modèle"]]
  ]
  for (const [text, mentions] of forms) {
    it(`BC-025: ${text} is refused with the naming rule`, () => {
      const error = failureOf("MalformedGroup", text, { user: "u", items: "i", model: "m", current_dir: "/w" })
      assertMentions(
        error,
        "a variable name is a–z, then a–z, 0–9, _.",
        "interpolate: false",
        "Template.text",
        ...mentions
      )
      if (mentions.length === 1) assert.notInclude(error.message, "Write")
    })
  }

  it("BC-072: marks of other template languages are text", () => {
    const text = "{# note #} {% if x %} ${0} ${{ github.sha }x <% %> #{y} %(z)s $ARGUMENTS"
    assert.strictEqual(rendered(text), text)
    assertMentions(failureOf("MalformedGroup", "sha ${{ github.sha }}"), "{{ github.sha }}")
  })
})

// -----------------------------------------------------------------------------
// errors
// -----------------------------------------------------------------------------

describe("errors", () => {
  it("an unknown variable has its place, its line, the known names in order and the nearest one", () => {
    const error = failureOf("UnknownVariable", "One\r\ntwo {{modle}}, three\nfour", { model: "m", b: "", a: undefined })
    assert.deepInclude(error, {
      variable: "modle",
      offset: 9,
      line: 2,
      column: 5,
      excerpt: "two {{modle}}, three",
      known: ["a", "b", "model"],
      nearest: "model"
    })
    assert.strictEqual(
      error.message,
      'section "guide" of scope "agent" (plugin "core") refers to the unknown variable {{modle}} at line 2, column 5 ' +
        "(offset 9): `two {{modle}}, three`. Did you mean {{model}}? Known variables: a, b, model. Register it, " +
        "correct the name, or set `interpolate: false` if the braces are literal text."
    )
  })

  it("an unknown variable that is like no known one has no nearest, and none known is said so", () => {
    const error = failureOf("UnknownVariable", "{{zzz}}", { model: "m" })
    assert.isFalse("nearest" in error)
    assertMentions(failureOf("UnknownVariable", "{{zzz}}"), "Known variables: none.")
  })

  it("of many known names a hundred are listed, and the others counted", () => {
    const of = (count: number) =>
      failureOf(
        "UnknownVariable",
        "{{zzz}}",
        Object.fromEntries(Array.from({ length: count }, (_, i) => [`v${i}`, ""]))
      )
    assert.strictEqual(of(100).known.length, 100)
    assert.isFalse("more" in of(100))
    assert.strictEqual(of(103).known.length, 100)
    assert.strictEqual(of(103).more, 3)
  })

  it("the known names are in the order of code units", () => {
    const error = failureOf("UnknownVariable", "{{zzz}}", { b_: "", b: "", ba: "", b1: "" })
    assert.deepStrictEqual(error.known, ["b", "b1", "b_", "ba"])
  })

  it("an undefined variable has its place and line", () => {
    const error = failureOf("UndefinedVariable", "{{a}}\n\n{{u}}", values)
    assert.deepInclude(error, { variable: "u", offset: 7, line: 3, column: 1, excerpt: "{{u}}" })
    assertMentions(error, "line 3, column 1 (offset 7): `{{u}}`")
  })

  it("the known names and the rest are the same among all problems of a text", () => {
    const all = Template.problems("{{modl}} {{modl}} {{A}}\n{{u}} {{{a}} {{modle}} {{", variables(values), owner)
    assert.deepStrictEqual(
      all.map((error) => [error._tag, error.offset, error.line, error.column]),
      [
        ["UnknownVariable", 0, 1, 1],
        ["UnknownVariable", 9, 1, 10],
        ["MalformedGroup", 18, 1, 19],
        ["UndefinedVariable", 24, 2, 1],
        ["MalformedGroup", 30, 2, 7],
        ["UnknownVariable", 37, 2, 14]
      ]
    )
    assert.deepStrictEqual(
      all.map((error) => ("nearest" in error ? error.nearest : "-")),
      ["model", "model", "-", "-", "-", "model"]
    )
  })

  it("a long line is cut on both sides of the reference", () => {
    const error = failure(`${"a".repeat(30)}{{nope}}${"b".repeat(30)}`)
    assert.strictEqual(error.excerpt, `…${"a".repeat(24)}{{nope}}${"b".repeat(23)}…`)
    assert.strictEqual(
      failure(`${"a".repeat(24)}{{nope}}${"b".repeat(24)}`).excerpt,
      `${"a".repeat(24)}{{nope}}${"b".repeat(24)}`
    )
    const name = "n".repeat(100)
    assert.strictEqual(failure(`{{${name}}}`).excerpt, `{{${"n".repeat(45)}…`)
  })

  it("an excerpt ends at any line break", () => {
    for (const br of ["\n", "\r\n", "\r", "\v", "\f", "\u0085", "\u2028", "\u2029"]) {
      assert.strictEqual(failure(`before${br}x {{nope}} y${br}after`).excerpt, "x {{nope}} y", JSON.stringify(br))
      assert.strictEqual(failure(`before${br}{{ x${br}{{a}}`).excerpt, "{{ x", JSON.stringify(br))
    }
  })

  it("an excerpt never halves a surrogate pair", () => {
    const reference = failure(`${"😀".repeat(20)}a{{nope}}b${"😀".repeat(20)}`).excerpt
    assert.strictEqual(reference, `…${"😀".repeat(11)}a{{nope}}b${"😀".repeat(11)}…`)
    const group = failureOf("MalformedGroup", `{{${"a".repeat(13)}😀{{b}}`)
    assert.strictEqual(group.group, `{{${"a".repeat(13)}…`)
    assert.strictEqual(failureOf("MalformedGroup", `{{${"a".repeat(12)}😀{{b}}`).group, `{{${"a".repeat(12)}😀…`)
    assert.strictEqual(failureOf("MalformedGroup", `{{${"a".repeat(76)}😀}}`).group, `{{${"a".repeat(76)}…`)
  })

  it("a group with other braces is shown up to 16 characters, with … where its line goes on, and no blank at its end", () => {
    const shown = (text: string) => failureOf("MalformedGroup", text).group
    assert.strictEqual(shown("{{user and {{user}}"), "{{user and {{use…")
    assert.strictEqual(shown("{{user and bye {{user}}"), "{{user and bye {…")
    assert.strictEqual(shown("{{user is here, {{user}}"), "{{user is here,…")
    assert.strictEqual(shown("{{12345 {{12345}}"), "{{12345 {{12345}…")
    assert.strictEqual(shown("{{1234 {{12345}}"), "{{1234 {{12345}}")
    assert.strictEqual(shown("{{1 \t\n{{12345}}"), "{{1")
    const error = failureOf("MalformedGroup", "{{user is here, {{user}}")
    assert.include(error.message, "a malformed group `{{user is here,…` at")
    assert.strictEqual(error.excerpt, "{{user is here, ")
  })

  it("a variable whose braces are not all there is what was meant, if there is one of that name", () => {
    const reasonFor = (text: string) => failureOf("MalformedGroup", text, { user: "U", unset: undefined }).reason
    const at = (column: number) => `a \`}}\` follows at line 1, column ${column}, but other braces stand between. `
    const literally = "For literal braces set `interpolate: false`, or build the text with Template.text"
    for (const [text, name] of [
      ["{{user} and bye {{user}}", "user"],
      ["{{user and {{user}}", "user"],
      ["It is {{user and {{user}}", "user"],
      ["{{ User } and {{user}}", "user"],
      ["{{user\n{{user}}", "user"],
      ["{{unset} {{user}}", "unset"]
    ] as const) {
      assert.include(reasonFor(text), `but other braces stand between. Write {{${name}}}. ${literally}.`, text)
    }
    assert.strictEqual(reasonFor("{{user} {{user}}"), `${at(15)}Write {{user}}. ${literally}.`)
    for (const text of ["{{nope} {{user}}", "{{user.name} {{user}}", "{{users} {{user}}", "{{{user}}", "{{ {user}}"]) {
      const { reason } = failureOf("MalformedGroup", text, { user: "U" })
      assert.strictEqual(reason, `${at(text.indexOf("}}") + 1)}${literally}; a reference is {{name}}.`, text)
    }
  })

  it("a group with a bad name is shown whole, up to 80 characters, and its excerpt up to 16", () => {
    const exactly = `{{${"A".repeat(76)}}}`
    assert.deepInclude(failureOf("MalformedGroup", exactly), { group: exactly, excerpt: `{{${"A".repeat(14)}` })
    const longer = failureOf("MalformedGroup", `{{${"A".repeat(77)}}}`)
    assert.strictEqual(longer.group, `{{${"A".repeat(77)}…`)
    assert.notInclude(longer.message, "Write")
    assertMentions(failureOf("MalformedGroup", `{{${"A".repeat(64)}}}`), `Write {{${"a".repeat(64)}}}`)
    assert.strictEqual(
      failureOf("MalformedGroup", `{{${"A".repeat(65)}}}`).reason,
      "a variable name is a–z, then a–z, 0–9, _. For literal braces set `interpolate: false`, or build the text with Template.text."
    )
  })

  it("a message is one line and shows what cannot be seen, but leaves quotes and spaces alone", () => {
    assertMentions(failureOf("MalformedGroup", "{{a\n}}"), "`{{a\\n}}`", "Write {{a}}.")
    assertMentions(failureOf("MalformedGroup", "{{a\r\n\u2028}}"), "`{{a\\r\\n\\u2028}}`")
    assertMentions(failureOf("MalformedGroup", "{{\u200ba}}"), "`{{\\u200ba}}`")
    assertMentions(failureOf("MalformedGroup", "{{\u00a0a}}"), "`{{\\u00a0a}}`")
    assertMentions(failureOf("MalformedGroup", "{{\ud800}}"), "`{{\\ud800}}`")
    assertMentions(failureOf("MalformedGroup", "{{ 'é' \"😀\" }}"), "`{{ 'é' \"😀\" }}`")
    assertMentions(failureOf("UnknownVariable", "\t{{nope}}"), "`\\t{{nope}}`")
    assertMentions(failureOf("UndefinedVariable", "\t{{u}}", values), "`\\t{{u}}`")
  })
})

describe("places", () => {
  const text = "ab\ncd\r\n\r\nef\rgh\n"
  const expected: ReadonlyArray<readonly [number, number]> = [
    [1, 1],
    [1, 2],
    [1, 3],
    [2, 1],
    [2, 2],
    [2, 3],
    [2, 4],
    [3, 1],
    [3, 2],
    [4, 1],
    [4, 2],
    [4, 3],
    [4, 4],
    [4, 5],
    [4, 6],
    [5, 1]
  ]

  it("counts lines and columns from 1, one break for \\r\\n, none for \\r alone", () => {
    const many = placesIn(text)
    assert.strictEqual(expected.length, text.length + 1)
    for (const [offset, [line, column]] of expected.entries()) {
      assert.deepStrictEqual(placeOf(text, offset), { line, column })
      assert.deepStrictEqual(many(offset), { line, column })
    }
  })

  it("of the empty text is the beginning", () => {
    assert.deepStrictEqual(placeOf("", 0), { line: 1, column: 1 })
    assert.deepStrictEqual(placesIn("")(0), { line: 1, column: 1 })
  })
})

// -----------------------------------------------------------------------------
// parsing
// -----------------------------------------------------------------------------

describe("parse", () => {
  it("gives literals, references and malformed groups with their offsets", () => {
    assert.deepStrictEqual(Template.parse("x {{a}}{{b}} {{ c }} } {{{d}} {{"), [
      { _tag: "Literal", start: 0, end: 2, text: "x " },
      { _tag: "Reference", start: 2, end: 7, name: "a" },
      { _tag: "Reference", start: 7, end: 12, name: "b" },
      { _tag: "Literal", start: 12, end: 13, text: " " },
      { _tag: "Malformed", start: 13, end: 20, group: "{{ c }}", reason: "name", close: 18 },
      { _tag: "Literal", start: 20, end: 23, text: " } " },
      { _tag: "Malformed", start: 23, end: 25, group: "{{{d}} {{", reason: "braces", close: 27 },
      { _tag: "Literal", start: 25, end: 32, text: "{d}} {{" }
    ])
  })

  it("goes on after the two braces of a group with other braces, and after the whole group otherwise", () => {
    const tags = (text: string) => Template.parse(text).map((one) => `${one._tag} ${one.start}-${one.end}`)
    assert.deepStrictEqual(tags("{{ {{a}}"), ["Malformed 0-2", "Literal 2-3", "Reference 3-8"])
    assert.deepStrictEqual(tags("{{{{a}}"), ["Malformed 0-2", "Reference 2-7"])
    assert.deepStrictEqual(tags("{{A}}{{a}}"), ["Malformed 0-5", "Reference 5-10"])
    assert.deepStrictEqual(tags("{{{a}}"), ["Malformed 0-2", "Literal 2-6"])
    assert.deepStrictEqual(tags("{{a}b}}"), ["Malformed 0-2", "Literal 2-7"])
    assert.deepStrictEqual(tags("{{a} }}{{a}}"), ["Malformed 0-2", "Literal 2-7", "Reference 7-12"])
  })

  it("of the empty text is nothing", () => {
    assert.deepStrictEqual(Template.parse(""), [])
    assert.deepStrictEqual(Template.parse(Template.text``), [])
  })

  it("references are the distinct names by first appearance", () => {
    assert.deepStrictEqual(Template.references("{{b}} {{a}} {{b}} {{C}} {{ {{c}}"), ["b", "a", "c"])
    assert.deepStrictEqual(Template.references(Template.text`${Template.ref("z")}{{b}}${Template.ref("a")}`), [
      "z",
      "a"
    ])
  })
})

// -----------------------------------------------------------------------------
// templates
// -----------------------------------------------------------------------------

describe("Template.text", () => {
  const { ref, text, verbatim } = Template

  it("has literal braces and references in holes", () => {
    const t = text`Jinja uses {{ user.name }} and {{{raw}}}. You run on ${ref("model")}. ${verbatim("$& {{x}}")}`
    assert.strictEqual(
      rendered(t, { model: "{{m}} $1" }),
      "Jinja uses {{ user.name }} and {{{raw}}}. You run on {{m}} $1. $& {{x}}"
    )
    assert.strictEqual(`${t}`, "Jinja uses {{ user.name }} and {{{raw}}}. You run on {{model}}. $& {{x}}")
    assert.strictEqual(JSON.stringify({ t }), JSON.stringify({ t: `${t}` }))
  })

  it("merges adjacent literals, also through nested templates, and keeps offsets", () => {
    const inner = text`(${ref("branch")})${verbatim("!")}`
    const t = text`<a>${inner}${inner}</a>${verbatim("")} ${ref("branch")}${ref("model")}`
    assert.deepStrictEqual(Template.parse(t), [
      { _tag: "Literal", start: 0, end: 4, text: "<a>(" },
      { _tag: "Reference", start: 4, end: 14, name: "branch" },
      { _tag: "Literal", start: 14, end: 17, text: ")!(" },
      { _tag: "Reference", start: 17, end: 27, name: "branch" },
      { _tag: "Literal", start: 27, end: 34, text: ")!</a> " },
      { _tag: "Reference", start: 34, end: 44, name: "branch" },
      { _tag: "Reference", start: 44, end: 53, name: "model" }
    ])
    assert.deepStrictEqual(Template.parse(`${t}`), Template.parse(t))
  })

  it("a template alone is a text too", () => {
    assert.strictEqual(rendered(ref("model"), { model: "m" }), "m")
    assert.strictEqual(rendered(verbatim("{{x}}")), "{{x}}")
  })

  it("errors of a template have places in its string", () => {
    const t = text`{{ x }}\n${ref("model")} ${ref("modle")}`
    const error = failureOf("UnknownVariable", t, { model: "m" })
    assert.deepInclude(error, { offset: 18, line: 2, column: 11, excerpt: "{{model}} {{modle}}", nearest: "model" })
    assert.deepStrictEqual(
      Template.problems(t, new Map(), owner).map((one) => [one._tag, one.offset]),
      [
        ["UnknownVariable", 8],
        ["UnknownVariable", 18]
      ]
    )
  })

  it("is frozen through and through, and equal by content", () => {
    const make = () => text`a ${ref("model")}`
    const t = make()
    assert.isTrue(Object.isFrozen(t) && Object.isFrozen(t.segments) && t.segments.every((one) => Object.isFrozen(one)))
    assert.isTrue(Equal.equals(t, make()))
    assert.isFalse(Equal.equals(t, text`b ${ref("model")}`))
  })

  it("is told from strings and other values", () => {
    assert.isTrue(Template.isTemplate(text`a`))
    for (const other of ["a", undefined, null, 1, {}, { "": "" }, { segments: [] }]) {
      assert.isFalse(Template.isTemplate(other))
    }
    assert.isTrue(Template.isText(text`a`))
    assert.isTrue(Template.isText(""))
    for (const other of [undefined, null, 1, {}, new String("a")]) assert.isFalse(Template.isText(other))
  })

  it("refuses an invalid escape", () => {
    assert.throws(
      () => text`ok ${ref("model")} \unicode`,
      TypeError,
      String.raw`invalid escape in the literal part " \\unicode"`
    )
  })

  it("refuses a hole that is no template, and says which", () => {
    // @ts-expect-error a string could be a name or a text
    assert.throws(() => text`${ref("model")} ${"model"}`, TypeError, 'hole 2 is of type string; write ref("name")')
    // @ts-expect-error a number is no template
    assert.throws(() => text`${1}`, TypeError, "hole 1 is of type number")
    // @ts-expect-error null is no template
    assert.throws(() => text`${null}`, TypeError, "hole 1 is of type null")
    // @ts-expect-error undefined is no template
    assert.throws(() => text`${undefined}`, TypeError, "hole 1 is of type undefined")
  })

  it("refuses invalid names", () => {
    const message = (name: string) =>
      `Template.ref: ${JSON.stringify(name)} is not a variable name (a–z, then a–z, 0–9, _)`
    // @ts-expect-error a capital
    assert.throws(() => ref("Model"), TypeError, message("Model"))
    // @ts-expect-error an empty name
    assert.throws(() => ref(""), TypeError, message(""))
    // @ts-expect-error a dash
    assert.throws(() => ref("a-b"), TypeError, message("a-b"))
    // @ts-expect-error a digit first
    assert.throws(() => ref("1a"), TypeError, message("1a"))
    // @ts-expect-error a line break last
    assert.throws(() => ref("a\n"), TypeError, message("a\n"))
    const dynamic: string = "model"
    // @ts-expect-error a name that the compiler does not know
    assert.strictEqual(`${ref(dynamic)}`, "{{model}}")
    // @ts-expect-error no string
    assert.throws(() => verbatim(1), TypeError, "expected a string, got number")
  })

  it("collects the names in its type", () => {
    const one = text`You run on ${ref("model")}. ${verbatim("x")}`
    expectTypeOf(one).toEqualTypeOf<Template.Template<"model">>()
    expectTypeOf(text`<a>${one}</a> ${ref("branch")}`).toEqualTypeOf<Template.Template<"model" | "branch">>()
    expectTypeOf(text`${ref("a")}${ref("b")}${ref("c")}${ref("a")}`).toEqualTypeOf<Template.Template<"a" | "b" | "c">>()
    expectTypeOf(text`plain`).toEqualTypeOf<Template.Template<never>>()
    expectTypeOf(verbatim("x")).toEqualTypeOf<Template.Template<never>>()
    expectTypeOf(text`${verbatim("x")}`).toEqualTypeOf<Template.Template<never>>()
    expectTypeOf(ref(VariableName.make("x"))).toEqualTypeOf<Template.Template<VariableName>>()
    expectTypeOf(one).toExtend<Template.Template>()
    expectTypeOf(one).toExtend<Template.Text>()
    expectTypeOf(one).toExtend<Template.Template<"model" | "branch">>()
    expectTypeOf(one).not.toExtend<Template.Template<"branch">>()
  })
})

describe("equals", () => {
  const { equals, ref, text, verbatim } = Template

  it("compares texts by what they mean", () => {
    const make = () => text`a ${ref("model")} b`
    assert.isTrue(equals(make(), make()))
    assert.isTrue(equals(make(), text`${verbatim("a")} ${ref("model")}${verbatim(" b")}`))
    assert.isTrue(equals(verbatim(""), text``))
    assert.isTrue(equals("a", "a"))
    const others = ["a {{model}} b", verbatim("a {{model}} b"), text`a ${ref("model")}`, text`a ${ref("modem")} b`]
    for (const other of [...others, text`c ${ref("model")} b`, text`${ref("model")}a b`]) {
      assert.isFalse(equals(make(), other), `${other}`)
      assert.isFalse(equals(other, make()), `${other}`)
    }
    assert.isFalse(equals("a", "b"))
    assert.isFalse(equals("a", verbatim("a")))
  })
})

describe("call styles", () => {
  it("render, problems, sourceAt and equals can be piped", () => {
    assert.isTrue(pipe("a", Template.equals("a")))
    const vars = variables({ a: "A" })
    assert.deepStrictEqual(pipe("{{a}}", Template.render(vars, owner)), Template.render("{{a}}", vars, owner))
    assert.deepStrictEqual(pipe("{{b}}", Template.problems(vars, owner)), Template.problems("{{b}}", vars, owner))
    assert.deepStrictEqual(pipe("{{a}}", Template.sourceAt(vars, 0)), Template.sourceAt("{{a}}", vars, 0))
  })
})

// -----------------------------------------------------------------------------
// sources
// -----------------------------------------------------------------------------

describe("sourceAt", () => {
  const vars = variables({ ...values, long: "LONG" })
  const at = (text: Template.Text, offset: number) => Option.getOrUndefined(Template.sourceAt(text, vars, offset))

  it("tells literal text from values", () => {
    const text = "x{{long}}{{e}}y"
    assert.deepStrictEqual(at(text, 0), { _tag: "Literal", offset: 0 })
    assert.deepStrictEqual(at(text, 1), { _tag: "Variable", name: "long", offset: 0, reference: 1 })
    assert.deepStrictEqual(at(text, 4), { _tag: "Variable", name: "long", offset: 3, reference: 1 })
    assert.deepStrictEqual(at(text, 5), { _tag: "Literal", offset: 14 })
  })

  it("is none outside of the text and from a problem on", () => {
    assert.isUndefined(at("x{{long}}", 5))
    assert.isUndefined(at("x", -1))
    assert.isUndefined(at("x", Number.NaN))
    assert.isUndefined(at("", 0))
    for (const bad of ["{{nope}}", "{{u}}", "{{A}}"]) {
      assert.deepStrictEqual(at(`x${bad}y`, 0), { _tag: "Literal", offset: 0 })
      assert.isUndefined(at(`x${bad}y`, 1))
      assert.isUndefined(at(`x${bad}y`, 2))
    }
  })
})

// -----------------------------------------------------------------------------
// cost
// -----------------------------------------------------------------------------

/** What the scanner reads of a text, in characters. */
const steps = (text: string): number => {
  let read = 0
  const source: Source = {
    length: text.length,
    charCodeAt: (index) => {
      read++
      return text.charCodeAt(index)
    },
    indexOf: (needle, from = 0) => {
      const found = text.indexOf(needle, from)
      read += (found === -1 ? text.length : found + needle.length) - from
      return found
    },
    slice: (start = 0, end = text.length) => {
      read += Math.min(end, text.length) - start
      return text.slice(start, end)
    }
  }
  const segments = scan(source)
  if (text.length < 10_000) assert.deepStrictEqual(segments, scan(text))
  return read
}

describe("cost", () => {
  const texts: ReadonlyArray<readonly [string, (n: number) => string]> = [
    ["'{{ ' × n", (n) => "{{ ".repeat(n)],
    ["'{{ ' × n and }}", (n) => `${"{{ ".repeat(n)}}}`],
    ["'{{' and n spaces", (n) => `{{${" ".repeat(n)}`],
    ["'{{' and n spaces and }}", (n) => `{{${" ".repeat(n)}}}`],
    ["'{{' and n spaces and {}}", (n) => `{{${" ".repeat(n)}{}}`],
    ["'{' × n", (n) => "{".repeat(n)],
    ["'{' × n and }}", (n) => `${"{".repeat(n)}}}`],
    ["'{' × n and '}' × n", (n) => "{".repeat(n) + "}".repeat(n)],
    ["'{{} ' × n", (n) => "{{} ".repeat(n)],
    ["'{{} ' × n and }}", (n) => `${"{{} ".repeat(n)}}}`],
    ["'{{a}} ' × n", (n) => "{{a}} ".repeat(n)],
    ["'{{A}} ' × n", (n) => "{{A}} ".repeat(n)],
    ["'}}{{' × n", (n) => "}}{{".repeat(n)],
    ["'} {{' × n and }}", (n) => `${"} {{".repeat(n)}}}`],
    ["prose of n words", (n) => "word ".repeat(n)]
  ]
  for (const [name, make] of texts) {
    it(`BC-071: scanning is linear for ${name}`, () => {
      const [small, large] = [make(2_000), make(4_000)]
      const [once, twice] = [steps(small), steps(large)]
      assert.isAtMost(twice / once, 2.1)
      assert.isAtMost(once / small.length, 12)
    })
  }

  it("BC-071: a megabyte of opening braces takes a few steps for each character", () => {
    const size = 1_000_000
    assert.isAtMost(steps("{{ ".repeat(size / 3)), 3 * size)
    assert.isAtMost(steps("{".repeat(size)), 3 * size)
    assert.isAtMost(steps(`{{${" ".repeat(size)}`), 3 * size)
    assert.isAtMost(steps(`${"{{ ".repeat(size / 3)}}}`), 12 * size)
    assert.isAtMost(steps(`${"{".repeat(size)}}}`), 12 * size)
  })

  it("BC-071: such texts pass through unchanged", () => {
    for (const text of ["{{ ".repeat(1_000_000), `{{${" ".repeat(1_000_000)}`, "{".repeat(2_000_000)]) {
      assert.isTrue(rendered(text) === text)
    }
    assert.isTrue(rendered("{{a}} ".repeat(200_000), { a: "1" }) === "1 ".repeat(200_000))
  })
})

// -----------------------------------------------------------------------------
// properties
// -----------------------------------------------------------------------------

type Problem = readonly [tag: RenderError["_tag"], offset: number]

/** The rules of the specification word by word, quadratic: the text as far as it renders, and all its problems. */
const naive = (text: string, values: Template.Values): readonly [string, ReadonlyArray<Problem>] => {
  const problems: Array<Problem> = []
  let out = ""
  let i = 0
  while (i < text.length) {
    if (!text.startsWith("{{", i)) {
      out += text[i]
      i++
      continue
    }
    const group = /^\{\{([^{}]*)\}\}/u.exec(text.slice(i))
    if (group === null) {
      if (text.slice(i + 2).includes("}}")) problems.push(["MalformedGroup", i])
      else out += "{{"
      i += 2
      continue
    }
    const name = group[1] ?? ""
    const value = values.get(name)
    if (name === "" || /[^a-z0-9_]/u.test(name) || /[^a-z]/u.test(name.slice(0, 1)))
      problems.push(["MalformedGroup", i])
    else if (![...values.keys()].includes(name)) problems.push(["UnknownVariable", i])
    else if (value === undefined) problems.push(["UndefinedVariable", i])
    else out += value
    i += group[0].length
  }
  return [out, problems]
}

const problem = (error: RenderError): Problem => [error._tag, error.offset]

const summary = (result: Result.Result<string, RenderError>): string | Problem =>
  Result.isSuccess(result) ? result.success : problem(result.failure)

const agrees = (text: string) => {
  const [out, expected] = naive(text, vars)
  assert.deepStrictEqual(Template.problems(text, vars, owner).map(problem), expected, text)
  assert.deepStrictEqual(summary(render(text, values)), expected[0] ?? out, text)
}

const pieces = (
  alphabet: ReadonlyArray<string>,
  lengths: { readonly minLength?: number; readonly maxLength: number }
) => Arbitrary.map(Arbitrary.array(Arbitrary.schema(Schema.Literals(alphabet)), lengths), (parts) => parts.join(""))

/** Braces in all arrangements, with little between them. */
const braces = pieces(["{", "}", "{{", "}}", "a", "u", "n", " ", "\n", "A", "{{a}}", "{{e}}"], {
  minLength: 2,
  maxLength: 14
})

const wellFormed = ["{{a}}", "{{b}}", "{{e}}", "{{close}}", " {", "😀\n"]

/** Mostly well-formed texts, with a problem now and then. */
const template = pieces(
  [...wellFormed, "{{u}}", "{{u}}", "{{u}}", "{{nope}}", "{{nope}}", "{{constructor}}", "{{ a }}", "{{", "}}"],
  {
    minLength: 2,
    maxLength: 6
  }
)

/** Half of all texts are made of braces and references; the other half is arbitrary. */
const anyText: Arbitrary.Arbitrary<string> = Arbitrary.flatMap(
  Arbitrary.schema(Schema.Literals(["plain", "plain", "plain", "braces", "template", "template"])),
  (kind) => (kind === "plain" ? Arbitrary.schema(Schema.String) : kind === "braces" ? braces : template)
)

const vars = variables(values)

const sourceOf = (text: string, segment: Template.Segment): string => {
  if (segment._tag === "Literal") return segment.text
  return segment._tag === "Reference" ? `{{${segment.name}}}` : text.slice(segment.start, segment.end)
}

const many = { arbitrary: { runs: 1_000 } }

describe("properties", () => {
  it.prop(
    "[205] text without {{ renders to itself",
    [pieces(["{", "}", "{a", "}}", "a", "$&", "\\", "\n", "é"], { maxLength: 20 })],
    ([text]) => {
      const plain = text.replaceAll(/\{\{+/gu, "{")
      assert.strictEqual(rendered(plain), plain)
    },
    many
  )

  it.effect("[206] rendering is total over the three errors and text, and all of them happen", () =>
    Effect.gen(function* () {
      const runs = 2_000
      const seen: Record<string, number> = {
        text: 0,
        MalformedGroup: 0,
        UnknownVariable: 0,
        UndefinedVariable: 0,
        braces: 0
      }
      const result = yield* Arbitrary.checkEffect(
        anyText,
        (text) =>
          Effect.sync(() => {
            const outcome = render(text, values)
            const tag = Result.isSuccess(outcome) ? "text" : outcome.failure._tag
            assert.include(Object.keys(seen), tag)
            seen[tag] = seen[tag]! + 1
            if (/[{}]/u.test(text)) seen["braces"] = seen["braces"]! + 1
            return true
          }),
        { runs }
      )
      assert.strictEqual(result._tag, "Passed", Arbitrary.formatCheckFailure(result))
      const share = Object.entries(seen).map(([tag, count]) => [tag, (100 * count) / runs] as const)
      console.log(
        `Template: ${share.map(([tag, percent]) => `${tag} ${percent.toFixed(1)} %`).join(", ")} of ${runs} runs`
      )
      for (const [tag, percent] of share) assert.isAtLeast(percent, tag === "braces" ? 40 : 5, tag)
    })
  )

  it.prop(
    "[206] rendering does not depend on variables that are not referenced",
    [anyText, Schema.String],
    ([text, noise]) => {
      const used = new Set(Template.references(text))
      const others = new Map(vars)
      for (const name of ["a", "b", "e", "u", "close", "model"]) if (!used.has(name)) others.set(name, noise)
      assert.deepStrictEqual(summary(Template.render(text, others, owner)), summary(Template.render(text, vars, owner)))
    },
    many
  )

  it.prop(
    "[207] values appear verbatim",
    [Schema.Union([Schema.String, Schema.Literals(["{{a}}", "}}", "{{", "$&", "$1", "$$", "\\"])]), braces],
    ([value, more]) => {
      const a = value + more
      assert.strictEqual(rendered("<{{a}}|{{a}}>", { a }), `<${a}|${a}>`)
      assert.strictEqual(rendered(Template.text`{{b}}${Template.ref("a")}`, { a }), `{{b}}${a}`)
    },
    many
  )

  it.prop(
    "parse covers the text without gaps, and no two literals touch",
    [anyText],
    ([text]) => {
      const segments = Template.parse(text)
      let end = 0
      for (const [i, segment] of segments.entries()) {
        assert.strictEqual(segment.start, end)
        assert.isAbove(segment.end, segment.start)
        assert.strictEqual(sourceOf(text, segment), text.slice(segment.start, segment.end))
        if (segment._tag === "Literal" && i > 0) assert.notStrictEqual(segments[i - 1]?._tag, "Literal")
        end = segment.end
      }
      assert.strictEqual(end, text.length)
    },
    many
  )

  it.prop(
    "the first of the problems is what render fails with, each is at its segment, and none means success",
    [anyText],
    ([text]) => {
      const all = Template.problems(text, vars, owner)
      const result = Template.render(text, vars, owner)
      assert.isTrue(Equal.equals(all[0], Result.isFailure(result) ? result.failure : undefined))
      const bad = Template.parse(text).filter(
        (one) => one._tag === "Malformed" || (one._tag === "Reference" && vars.get(one.name) === undefined)
      )
      assert.deepStrictEqual(
        all.map((error) => error.offset),
        bad.map((one) => one.start)
      )
      for (const error of all) {
        assert.deepInclude(error, placeOf(text, error.offset))
        assert.notMatch(error.excerpt, /[\n\r]/u)
        assert.notMatch(error.message, /[\n\r]/u)
        if (error._tag === "MalformedGroup") assert.isAtMost(error.excerpt.length, 16)
      }
    },
    many
  )

  it.prop(
    "sourceAt gives for each character of the rendered text the same character of the source or the value",
    [anyText],
    ([text]) => {
      const result = Template.render(text, vars, owner)
      if (Result.isFailure(result)) return
      const out = result.success
      for (let i = 0; i < out.length; i++) {
        const source = Option.getOrThrow(Template.sourceAt(text, vars, i))
        if (source._tag === "Literal") assert.strictEqual(text[source.offset], out[i])
        else {
          assert.strictEqual(vars.get(source.name)?.[source.offset], out[i])
          assert.isTrue(text.startsWith(`{{${source.name}}}`, source.reference))
        }
      }
      assert.isTrue(Option.isNone(Template.sourceAt(text, vars, out.length)))
    },
    many
  )

  it.prop(
    "render and problems agree with the rules written down naively, on brace-heavy texts",
    [braces],
    ([text]) => agrees(text),
    { arbitrary: { runs: 10_000 } }
  )

  it("render and problems agree with the rules written down naively, on all texts of up to five of seven characters", () => {
    let texts = [""]
    for (let length = 0; length <= 5; length++) {
      for (const text of texts) agrees(text)
      texts = texts.flatMap((text) => ["{", "}", "a", "u", "n", "A", " "].map((one) => text + one))
    }
  })

  it.prop(
    "a template renders like the string it shows, when its literal parts hold no braces",
    [Schema.Literals(["", "x", " \n"]), Schema.Literals(["a", "e", "u", "nope"]), Schema.Literals(["", "$&", "y"])],
    ([before, name, after]) => {
      const hole = Template.ref(VariableName.make(name))
      const t = Template.text`${Template.verbatim(before)}${hole}-${hole}${Template.verbatim(after)}`
      assert.deepStrictEqual(Template.parse(t), Template.parse(`${t}`))
      assert.isTrue(Equal.equals(Template.render(t, vars, owner), Template.render(`${t}`, vars, owner)))
    }
  )
})
