import { assert, describe, it } from "@effect/vitest"
import { assemblyOf, found, inSection, lookFor, tool } from "./support.ts"

const volatile = (text: string, order = 0) => inSection("volatile-text", text, { order })
const value = (name: string, value: string, text = `{{${name}}}`, order = 0) =>
  inSection("volatile-text", text, { variables: { [name]: value }, order })

describe("clocks", () => {
  it.each([
    ["It is 2026-01-02T03:04:05.678Z.", "2026-01-02T03:04:05.678Z"],
    ["Log begins 2026-01-02 03:04+01:00", "2026-01-02 03:04+01:00"],
    ["It is 2026-01-02 03:04 now.", "2026-01-02 03:04"],
    ["Today's date is 2026-01-02.", "2026-01-02"],
    ["Today is January 2, 2026.", "January 2, 2026"],
    ["Current date: 2nd Jan 2026", "2nd Jan 2026"],
    ["Date: 1/2/2026", "1/2/2026"],
    ["现在是2026年1月2日", "2026年1月2日"],
    ["The time is 14:05.", "14:05"],
    ["Current local time: 3:04:05", "3:04:05"],
    ["Timestamp: 1767323045", "1767323045"],
    ["now = 1767323045678", "1767323045678"]
  ])("finds the clock in %j", (text, expected) => {
    const [warning, more] = volatile(text)
    assert.isUndefined(more)
    assert.deepInclude(warning, { kind: "section", entry: "s", scope: "global" })
    assert.strictEqual(warning!.place!.found, expected)
    assert.strictEqual(text.indexOf(expected), warning!.place!.offset)
    assert.include(warning!.message, "context")
    // A time stamp has a date and a time of day in it.
    assert.notInclude(warning!.message, "more")
  })

  it.each([
    "Your knowledge cutoff is 2024-10-01.",
    "Knowledge is current as of today's training date 2024-10-01",
    "The API version is 2023-06-01.",
    "Released January 2, 2026.",
    "Write dates such as 2026-01-02T03:04:05Z.",
    "Use ISO dates, e.g. 2026-01-02T03:04:05Z",
    "The date is written like 2026-01-02.",
    "Lines 10:25 to 10:40 of the file",
    "A ratio of 16:09.",
    '```json\n{ "at": "2026-01-02T03:04:05Z" }\n```',
    "Ask for the date now. Version 2026-01-02 is old.",
    "RFC 2026-01 and 2026-13-45",
    "Call 1767323045 if you must"
  ])("lets %j be", (text) => {
    assert.lengthOf(volatile(text), 0)
  })

  it("[BC-006] names the section and the variable that puts a clock into the prefix, and lets the same be in a context", () => {
    const now = "2026-01-02T03:04:05Z"
    const variables = [{ name: "now", value: now }]
    const [warning, more] = lookFor("volatile-text", {
      sections: [{ name: "id", order: 0, text: "You are X. Now {{now}}. And {{now}}." }],
      variables
    })
    assert.isUndefined(more)
    assert.deepInclude(warning, { kind: "section", entry: "id" })
    assert.deepStrictEqual(warning!.place, { offset: 15, line: 1, column: 16, found: "{{now}}" })
    assert.deepStrictEqual(warning!.related, [{ kind: "variable", entry: "now", scope: "global" }])
    assert.include(warning!.message, 'section "id"')
    assert.include(warning!.message, 'variable "now"')
    assert.lengthOf(
      lookFor("volatile-text", {
        sections: [{ name: "id", order: 0, text: "You are X." }],
        contexts: [{ name: "time", order: 0, text: `{{now}} ${now}` }],
        variables
      }),
      0
    )
  })

  it("takes a date for a clock where the name of the variable or the words before it say so", () => {
    assert.lengthOf(value("today", "2026-01-02"), 1)
    assert.lengthOf(value("start_time", "14:05"), 1)
    assert.lengthOf(value("day", "2026-01-02", "Today is {{day}}."), 1)
    assert.lengthOf(value("cutoff", "2026-01-02"), 0)
    assert.lengthOf(value("candidate", "2026-01-02"), 0)
    assert.lengthOf(value("date", "2026-01-02", "The knowledge cutoff is {{date}}."), 0)
    assert.lengthOf(value("now", "noon"), 0)
  })

  it("has no exception for the end of the prompt: the clock is still in the prefix", () => {
    assert.lengthOf(volatile("Now: 2026-01-02T03:04:05Z", 10_200), 1)
  })
})

describe("random words", () => {
  const uuid = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
  const hash = "d41d8cd98f00b204e9800998ecf8427e"

  it("finds UUIDs and hashes", () => {
    assert.strictEqual(found(volatile(`Session ${uuid}`)), uuid)
    assert.strictEqual(found(volatile(`Trace \`${hash}\``)), hash)
    assert.strictEqual(
      found(volatile("Commit da39a3ee5e6b4b0d3255bfef95601890afd80709")),
      "da39a3ee5e6b4b0d3255bfef95601890afd80709"
    )
    assert.lengthOf(value("session", uuid.toUpperCase()), 1)
  })

  it.each([
    "An id such as 3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "00000000-0000-0000-0000-000000000000",
    "11111111-1111-1111-1111-1111aaaaaaaa",
    "image@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "commit da39a3e",
    "00000000000000000000000000000000",
    "deadbeef",
    "01234567890123456789012345678901",
    "https://example.com/d41d8cd98f00b204e9800998ecf8427e",
    "{{a}}"
  ])("lets %j be", (text) => {
    assert.lengthOf(inSection("volatile-text", text, { variables: { a: "b" } }), 0)
  })
})

describe("home folders", () => {
  it.each(["/home/bob/project", "/Users/bob", "C:\\Users\\bob\\src", "Work in `/home/bob.b`."])(
    "finds %j, which differs between machines",
    (text) => {
      const [warning] = volatile(text)
      assert.include(warning!.message, "differs between machines")
      assert.include(warning!.message, "10000")
      assert.lengthOf(value("cwd", text), 1)
    }
  )

  it("lets it be where text belongs that differs between machines", () => {
    assert.lengthOf(volatile("In /home/bob/x.", 10_000), 0)
    assert.lengthOf(volatile("In /home/bob/x.", 9_999), 1)
    assert.lengthOf(value("cwd", "/home/bob", "{{cwd}}", 10_200), 0)
  })

  it.each([
    "/home/user/project",
    "/home/<name>/x",
    "/home/$USER/x",
    "/home/{{cwd}}",
    "~/project",
    "/workspace",
    "https://host/home/bob/x",
    "the /home/ folder",
    "{{cwd}}/home/bob",
    "e.g. /home/bob/x"
  ])("lets %j be", (text) => {
    assert.lengthOf(inSection("volatile-text", text, { variables: { cwd: "/w" } }), 0)
  })
})

describe("tools", () => {
  it("finds all of it in descriptions, which are the beginning of the prefix", () => {
    const tools = [
      tool("a", { type: "object" }, "Since 2026-01-02T03:04:05Z"),
      tool("b", { type: "object" }, "Runs in /home/bob/project"),
      tool("c", { type: "object" }, "Runs in /workspace, e.g. /home/bob")
    ]
    const warnings = lookFor("volatile-text", { tools: [{ tools }] })
    assert.deepStrictEqual(
      warnings.map(({ path, tool }) => [tool, path]),
      [
        ["a", ["description"]],
        ["b", ["description"]]
      ]
    )
  })
})

describe("a second assembly", () => {
  const later = (first: Parameters<typeof assemblyOf>[0], second: Parameters<typeof assemblyOf>[0]) =>
    lookFor("volatile-text", first, { later: assemblyOf(second) })

  it("shows what changes, whatever it looks like", () => {
    const at = (n: number) => ({
      sections: [
        { name: "a", order: 0, text: `call ${n}` },
        { name: "b", order: 1, text: "{{n}}" },
        { name: "c", order: 2, text: "same {{same}}" }
      ],
      variables: [
        { name: "n", value: `n${n}` },
        { name: "same", value: "s" },
        { name: "unused", value: `u${n}` }
      ],
      contexts: [{ name: "c", order: 0, text: `context ${n}` }],
      tools: [{ tools: [tool("t", { type: "object" }, `tool ${n}`), tool("u")] }]
    })
    const warnings = later(at(1), at(2))
    assert.deepStrictEqual(
      warnings.map(({ entry, kind, related, tool }) => [kind, entry, related?.[0]?.entry, tool]),
      [
        ["section", "a", undefined, undefined],
        ["section", "b", "n", undefined],
        ["tools", "", undefined, "t"]
      ]
    )
    assert.deepStrictEqual(later(at(1), at(1)), [])
  })

  it("says nothing twice of what looks volatile anyway, nor of what is gone", () => {
    const at = (minute: string) => ({
      sections: [{ name: "a", order: 0, text: `It is 2026-01-02T03:${minute}:05Z.` }],
      tools: [{ tools: [tool("t")] }]
    })
    assert.lengthOf(later(at("04"), at("05")), 1)
    assert.lengthOf(later({ sections: [{ name: "a", order: 0, text: "x" }], tools: [{ tools: [tool("t")] }] }, {}), 0)
  })
})
