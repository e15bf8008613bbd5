import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as SourceFile from "../../src/composition/SourceFile.ts"
import * as Yaml from "../../src/composition/Yaml.ts"
import { maxProblems } from "effect-preamble/composition"
import { accept, placesOf, refuse } from "./support.ts"

const document = (text: string): Yaml.Document => {
  const read = Yaml.read(SourceFile.make("a.yaml", text))
  if (Result.isFailure(read)) throw new Error(JSON.stringify(read.failure.map((one) => one.message)))
  return read.success
}

/** Milliseconds of processor time, which other work on the machine does not lengthen. */
const timed = (body: () => void): number => {
  const before = process.cpuUsage()
  body()
  const { system, user } = process.cpuUsage(before)
  return (user + system) / 1000
}

describe("syntax", () => {
  it("BC-086: a tab as indentation names line 2 and the tab", () => {
    const error = refuse("sections:\n\t- name: a\n")
    assert.deepStrictEqual(placesOf(error), ["2:1"])
    assert.include(error.message, "line 2")
    assert.include(error.message, "tab")
  })

  it("a tab in a flow collection is named as such too", () => {
    const error = refuse("variables: {a: x,\n\tb: y}")
    assert.include(error.message, "a tab cannot indent YAML")
    assert.strictEqual(error.problems[0]!.line, 2)
  })

  it("reports broken syntax at its place, one problem a line", () => {
    assert.deepStrictEqual(placesOf(refuse("identity: a: b\nsections: [\n")), ["1:11", "3:1"])
    assert.include(refuse('identity: "x').message, "the YAML is broken")
    assert.deepStrictEqual(placesOf(refuse("scope: @x\n")), ["1:8"])
    assert.deepStrictEqual(placesOf(refuse('{"identity": "a" "scope": "b"}')).length, 1)
  })

  it("asks for quotes where text holds a colon, and for quotes or a block elsewhere", () => {
    assert.include(refuse("identity: You are: a bot\n").message, 'Text that holds ": " must be quoted')
    assert.include(refuse("sections:\n  - { name: a, order: 0, text: *bold* you }\n").message, "quote it")
    assert.include(refuse("identity: |\nYou are a bot.\n").message, "indented under its key")
  })

  it("asks for quotes where broken syntax has unquoted braces", () => {
    assert.include(refuse("identity: {{ model }} is it").message, 'must be quoted: "…{{name}}…"')
    assert.include(refuse("sections: [{ name: a, order: 0, text: Hi {{model}} }]").message, "must be quoted")
    assert.notInclude(refuse('identity: "{{ model }}" x').message, "must be quoted")
  })

  it("refuses an empty file, a comment alone, and an empty document", () => {
    for (const text of ["", "\ufeff", "\n\n", "# nothing\n", "---\n", "...\n"]) {
      const error = refuse(text)
      assert.deepStrictEqual(placesOf(error), ["1:1"], JSON.stringify(text))
      assert.include(error.message, "empty")
    }
    assert.include(refuse("null").message, "expected a map of keys")
    assert.include(refuse("just text").message, "expected a map of keys")
  })

  it("refuses a second document at its beginning", () => {
    const error = refuse("---\nidentity: a\n---\nidentity: b\n")
    assert.deepStrictEqual(placesOf(error), ["3:1"])
    assert.include(error.message, "a second document begins here")
  })

  it("refuses the directive of another YAML version, where `no` would be false", () => {
    const error = refuse("%YAML 1.1\n---\nidentity: no\n")
    assert.deepStrictEqual(placesOf(error), ["1:1"])
    assert.include(error.message, "YAML 1.2")
    assert.strictEqual(accept("%YAML 1.2\n---\nidentity: no\n").identity, "no")
  })

  it("reads YAML 1.2 core scalars: `no`, `yes` and dates are text", () => {
    assert.deepStrictEqual(document("[no, yes, on, 2001-01-01, 0o17, 017, ~, true, 1e3]").value, [
      "no",
      "yes",
      "on",
      "2001-01-01",
      15,
      17,
      null,
      true,
      1000
    ])
  })

  it("refuses a text larger than the limit", () => {
    const error = refuse(`identity: "${"x".repeat(16 * 1024 * 1024)}"`)
    assert.deepStrictEqual(placesOf(error), ["1:1"])
    assert.include(error.message, "larger than 16 MiB")
  })
})

describe("keys", () => {
  it("BC-062: a duplicate key names both lines, in YAML and in JSON", () => {
    const yaml = refuse("persona: A\npersona: B\n")
    assert.deepStrictEqual(placesOf(yaml), ["1:10 persona", "2:1 persona"])
    assert.include(yaml.message, 'line 2, column 1: persona: duplicate key "persona": it is already given on line 1')
    const json = refuse('{"persona":\n{},"persona":{}}')
    assert.deepStrictEqual(placesOf(json), ["2:4 persona"])
    assert.include(json.message, "already given on line 1")
  })

  it("finds duplicates at every depth, and however the key is written", () => {
    const error = refuse(`sections:\n  - name: a\n    order: 0\n    text: x\n    "name": b\n    'order': 1\n`)
    assert.deepStrictEqual(placesOf(error), ["5:5 sections[0].name", "6:5 sections[0].order"])
  })

  it("refuses a key that is no text", () => {
    const error = refuse("? [a]\n: b\n")
    assert.deepStrictEqual(placesOf(error), ["1:3"])
    assert.include(error.message, "a key must be text")
  })

  it("keeps `__proto__` an ordinary key", () => {
    const { value } = document('{"__proto__": {"polluted": true}}')
    assert.deepStrictEqual(Object.keys(Object(value)), ["__proto__"])
    assert.isUndefined(Reflect.get({}, "polluted"))
    assert.include(refuse("__proto__: 1").message, 'unknown key "__proto__"')
    assert.include(refuse("scopes: { __proto__: {} }").message, "is no name for a scope")
    assert.include(refuse("variables: { __proto__: x }").message, "invalid name")
  })

  it("`<<` is a key like any other", () => {
    assert.include(refuse("a: &a {}\n<<: *a\n").message, 'unknown key "<<"')
  })
})

describe("BC-061: unquoted braces", () => {
  it("names line, path and remedy", () => {
    const error = refuse("sections:\n  - name: p\n    order: 0\n    text: {{ model }}\n")
    assert.deepStrictEqual(placesOf(error), ["4:11 sections[0].text"])
    for (const part of ["line 4", "sections[0].text", "string", 'Quote it: "{{ model }}"'])
      assert.include(error.message, part)
  })

  it("is said once, whatever may stand there", () => {
    for (const text of [
      "sections:\n  - { name: {{x}}, order: 0, text: t }",
      "sections:\n  - { name: a, order: 0, text: t, requires: [{{x}}] }",
      "tools:\n  - { name: {{x}}, description: d, parameters: {} }",
      "tools:\n  - { name: t, description: d, parameters: {{x}} }",
      "scopes:\n  a: { parent: {{x}} }",
      "scope: {{x}}",
      "toolOrder: [{{x}}]",
      "plugins: [{{x}}]",
      "variables: { a: {{x}} }",
      "persona: { prefix: {{x}} }"
    ]) {
      const error = refuse(text)
      assert.strictEqual(error.total, 1, placesOf(error).join("\n"))
      assert.include(error.message, "is a YAML map and not a string")
    }
  })

  it("also under a number, in a list, and in flow style", () => {
    assert.deepStrictEqual(placesOf(refuse("sections:\n  - { name: p, order: {{x}}, text: {{ y }} }")), [
      "2:23 sections[0].order",
      "2:36 sections[0].text"
    ])
    assert.deepStrictEqual(placesOf(refuse("toolOrder:\n  - {{ x }}\n  - '<unlisted-tools>'")), ["2:5 toolOrder[0]"])
  })
})

describe("BC-064: anchors and aliases", () => {
  it("an alias bomb ends at the limit, with a place", () => {
    const levels = Array.from({ length: 20 }, (_, i) => `  x${i + 1}: &x${i + 1} [*x${i}, *x${i}]`)
    const error = refuse(["variables:", "  x0: &x0 [1, 2, 3, 4]", ...levels].join("\n"))
    const problem = error.problems.find((one) => one.message.includes("alias"))
    assert.include(problem?.message ?? "", "limit of 10000")
    assert.match(problem?.path ?? "", /^variables\.x\d+\[\d\]$/)
  })

  it("honest anchors work, hundreds of them too", () => {
    const composition = accept("variables: { p: &p hello }\nsections:\n  - {name: s, order: 0, text: *p}\n")
    assert.strictEqual(composition.global.sections[0]!.value.text, "hello")
    const many = Array.from({ length: 500 }, (_, i) => `  - {name: s${i}, order: 0, text: *p}`)
    assert.strictEqual(accept(`variables: { p: &p hello }\nsections:\n${many.join("\n")}`).global.sections.length, 500)
  })

  it("an anchor may be given again, and each alias means the one above it", () => {
    assert.deepStrictEqual(document("[&a 1, *a, &a 2, *a]").value, [1, 1, 2, 2])
  })

  it("a cyclic alias is refused at its place", () => {
    const error = refuse("variables: &a { x: [*a] }\n")
    assert.include(error.message, "cyclic")
    assert.include(placesOf(error), "1:21 variables.x[0]")
  })

  it("an alias without anchor is refused at its place", () => {
    const error = refuse("identity: *nobody\n")
    assert.include(error.message, "has no anchor &nobody above it")
    assert.deepStrictEqual(placesOf(error), ["1:11 identity"])
  })

  it("a mistake behind an alias is reported where it is written", () => {
    const error = refuse(
      "variables: { a: x }\nsections:\n  - &s { name: a, order: x, text: t }\nscopes:\n  b: { sections: [*s] }\n"
    )
    assert.deepStrictEqual(placesOf(error), [
      "3:26 sections[0].order InvalidRegistration",
      "3:26 scopes.b.sections[0].order InvalidRegistration"
    ])
  })
})

describe("tags", () => {
  it("foreign tags are refused, not evaluated", () => {
    for (const [tag, value] of [
      ["!!js", "process.exit()"],
      ["!env", "HOME"],
      ["!!binary", "AAAA"],
      ["!!timestamp", "2001-01-01"],
      ["!!js/function", "'x'"]
    ]) {
      const error = refuse(`variables:\n  x: ${tag} ${value}\n`)
      assert.deepStrictEqual(placesOf(error).length, 1, tag)
      assert.match(placesOf(error)[0]!, /^2:\d+ variables\.x$/)
      assert.include(error.message, `the tag ${tag} is not known here`)
    }
  })

  it("foreign tags of collections are refused where they stand, in whatever shape", () => {
    for (const tag of ["!!omap", "!!pairs", "!!set", "!!js/object"]) {
      for (const [value, file] of [
        ["[a: 1]", "identity: ¦%"],
        ["[{ a: 1 }, b]", "variables: { x: ¦% }"],
        ["{ a, b }", "sections: ¦%"],
        ["{ a: { b: c } }", "tools: [{ name: t, description: d, parameters: ¦% }]"]
      ] as const) {
        const marked = file.replace("%", `${tag} ${value}`)
        const error = refuse(marked.replace("¦", ""))
        assert.deepStrictEqual(
          error.problems.map(({ column, line }) => [line, column]),
          [[1, marked.indexOf("¦") + 1]],
          marked
        )
        assert.include(error.message, `the tag ${tag} is not known here`)
      }
    }
    // At the top of a file, a list is a preset, whose rows are looked at.
    for (const text of ["!!omap [a: 1]", "!!pairs [a: 1]", "!!set { a, b }", "!!omap\n- a: 1\n- b: 2\n"]) {
      assert.isAtLeast(refuse(text).total, 1, text)
    }
  })

  it("core tags and `!` are fine", () => {
    assert.deepStrictEqual(
      document("[!!str 1, !!int '2', !!float 1.5, !!bool 'true', ! 3, !!map {}, !!seq []]").value,
      ["1", 2, 1.5, true, "3", {}, []]
    )
  })
})

describe("characters", () => {
  it("half a surrogate pair is refused, both halves are a character", () => {
    const error = refuse('identity: "\\ud83d"\n')
    assert.deepStrictEqual(placesOf(error), ["1:11 identity"])
    assert.include(error.message, "no UTF-8 bytes")
    assert.strictEqual(accept('identity: "\\ud83d\\ude00"\n').identity, "😀")
  })

  it("bytes that are not UTF-8 are refused with the place of the first", () => {
    const bytes = new Uint8Array([97, 98, 0xc3, 0xa4, 0xff, 98])
    const decoded = SourceFile.decode(bytes)
    assert.isTrue(Result.isFailure(decoded) && decoded.failure.includes("byte 4 (from 0)"), JSON.stringify(decoded))
    const utf16 = SourceFile.decode(new Uint8Array([0xff, 0xfe, 97, 0]))
    assert.isTrue(Result.isFailure(utf16) && utf16.failure.includes("UTF-16"))
  })
})

describe("size", () => {
  it("problems beyond the cap are counted", () => {
    const error = refuse(Array.from({ length: 70 }, (_, i) => `k${i}: 1`).join("\n"))
    assert.strictEqual(error.total, 70)
    assert.strictEqual(error.problems.length, maxProblems)
    assert.include(error.message, "… and 20 more (the first 50 are shown)")
  })

  it("stays linear in keys, duplicates, unknown scopes and nesting", () => {
    const keys = Array.from({ length: 20_000 }, (_, i) => i)
    const inputs = [
      keys.map((i) => `k${i}: 1`).join("\n"),
      keys.map(() => "k: 1").join("\n"),
      `scopes:\n${keys.map((i) => `  s${i}: { parent: t${i} }`).join("\n")}`,
      `sections:\n${keys.map(() => "  - { name: a, order: x, text: t }").join("\n")}`,
      "[".repeat(20_000),
      `a: ${"[".repeat(900)}${"]".repeat(900)}`
    ]
    for (const text of inputs) {
      const spent = timed(() => refuse(text))
      // The quadratic ways take ten seconds and more.
      assert.isBelow(spent, 6000, text.slice(0, 40))
    }
  }, 60_000)

  it("BC-069: reads 5 MB of text in a block", () => {
    const line = `      ${"x".repeat(73)}\n`
    const text = `sections:\n  - name: a\n    order: 0\n    text: |\n${line.repeat(62_500)}`
    const spent = timed(() => assert.strictEqual(accept(text).global.sections[0]!.value.text.length, 74 * 62_500))
    assert.isBelow(spent, 5000)
  })
})
