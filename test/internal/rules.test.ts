import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type { Assembly } from "../../src/Assembly.ts"
import * as rules from "../../src/internal/rules.ts"
import * as Listener from "../../src/Listener.ts"
import * as PromptContext from "../../src/PromptContext.ts"
import type { InvalidRegistration } from "../../src/PromptError.ts"
import * as Section from "../../src/Section.ts"
import * as Template from "../../src/Template.ts"
import * as ToolProvider from "../../src/ToolProvider.ts"
import * as Variable from "../../src/Variable.ts"

// oxlint-disable-next-line unicorn/no-thenable -- so do the promises of other libraries
const thenable = { then: () => undefined }

const hostile = new Proxy(
  {},
  {
    has: () => {
      throw new Error("not yours")
    }
  }
)

describe("describeType", () => {
  for (const [value, said] of [
    [undefined, "undefined"],
    [null, "null"],
    [[], "an array"],
    [Number.NaN, "the number NaN"],
    [0, "the number 0"],
    [false, "the boolean false"],
    ["x", "a string"],
    [1n, "a bigint"],
    [Symbol("x"), "a symbol"],
    [() => 1, "a function"],
    [{}, "an object"],
    [thenable, "a Promise"],
    [hostile, "an object"]
  ] as const) {
    it(`calls ${typeof value === "symbol" ? "it" : typeof value} ${said}`, () =>
      assert.strictEqual(rules.describeType(value), said))
  }
})

describe("isPromise", () => {
  it("is true of what has a method `then`, and nothing else", () => {
    assert.isTrue(rules.isPromise(Promise.resolve()))
    assert.isTrue(rules.isPromise(thenable))
    // oxlint-disable-next-line unicorn/no-thenable -- that is the question
    for (const other of [{ then: 1 }, {}, null, undefined, "then", 1, hostile, Object.assign(() => 1, thenable)]) {
      assert.isFalse(rules.isPromise(other))
    }
  })
})

/** What a contribution with these fields is refused for. */
const refusal = <A>(made: Result.Result<A, InvalidRegistration>): readonly [field: string, reason: string] => {
  const { field, reason } = Result.getOrThrow(Result.flip(made))
  return [field, reason]
}

const section = (fields: object) => Section.fromUnknown({ name: "s", order: 0, text: "", ...fields }, "agent")
const context = (fields: object) => PromptContext.fromUnknown({ name: "c", order: 0, text: "", ...fields }, "agent")
const listener = (fields: object) => Listener.make({ name: "l", edit: () => undefined, ...fields }, undefined, "agent")
const provider = (fields: object) => ToolProvider.fromUnknown({ tools: [], ...fields }, "agent")
const variable = (fields: object) => Variable.fromUnknown({ name: "v", value: "", ...fields }, "agent")

/** Fields that break a rule, and what is wrong with them, in words. */
const rulings: ReadonlyArray<
  readonly [make: () => Result.Result<unknown, InvalidRegistration>, field: string, reason: string]
> = [
  [
    () => section({ name: "" }),
    "name",
    "expected a non-empty string, got an empty one. Choose a name that no other section of the scope has."
  ],
  [
    () => context({ name: 1 }),
    "name",
    "expected a non-empty string, got the number 1. Choose a name that no other context of the scope has."
  ],
  [
    () => provider({ name: "" }),
    "name",
    "expected a non-empty string, got an empty one. Choose a name, or leave it out."
  ],
  [
    () => variable({ name: "V" }),
    "name",
    'expected a name of the form a–z, then a–z, 0–9, _, got "V". Text refers to it as {{name}}.'
  ],
  [
    () => variable({ name: 5 }),
    "name",
    "expected a name of the form a–z, then a–z, 0–9, _, got the number 5. Text refers to it as {{name}}."
  ],
  [
    () => section({ order: "1" }),
    "order",
    'expected a finite number, got "1". Use a number, or one of the named orders.'
  ],
  [
    () => context({ order: Infinity }),
    "order",
    "expected a finite number, got the number Infinity. Use a number, or one of the named orders."
  ],
  [
    () => listener({ order: null }),
    "order",
    "expected a finite number, got null. Use a number, or one of the named orders."
  ],
  [() => section({ complete: 0 }), "complete", "expected true or false, got the number 0. Without it, it is false."],
  [
    () => section({ interpolate: "no" }),
    "interpolate",
    "expected true or false, got a string. Without it, it is true."
  ],
  [() => listener({ global: "yes" }), "global", "expected true or false, got a string. Without it, it is false."],
  [
    () => section({ text: Template.text`x`, interpolate: false }),
    "interpolate",
    "a Template has references to fill in. Give a string, or drop `interpolate: false`."
  ],
  [() => section({ requires: "t" }), "requires", 'expected an array of tool names, got a string. Write ["t"].'],
  [
    () => section({ requires: "" }),
    "requires",
    'expected an array of tool names, got a string. Write ["read"], or [].'
  ],
  [
    () => section({ requires: {} }),
    "requires",
    'expected an array of tool names, got an object. Write ["read"], or [].'
  ],
  [
    () => section({ requires: ["t", ""] }),
    "requires",
    "expected an array of tool names, got an empty string in it. Name a tool, or take it out."
  ],
  [
    () => section({ requires: ["t", 1] }),
    "requires",
    "expected an array of tool names, got the number 1 in it. Name a tool, or take it out."
  ],
  [
    () => section({ requires: [undefined] }),
    "requires",
    "expected an array of tool names, got undefined in it. Name a tool, or take it out."
  ],
  [
    () => section({ requires: ["t"], complete: true }),
    "requires",
    "a complete section is the whole prompt and cannot depend on tools. Drop one of the two."
  ],
  [() => variable({ plugin: 1 }), "plugin", "expected a string, got the number 1."],
  [
    () => listener({ around: () => undefined }),
    "around",
    "a listener is an `edit` or an `around`, not both. Drop one of the two."
  ],
  [
    () => listener({ edit: undefined }),
    "edit",
    "expected a function, got undefined. Give the listener an `edit` or an `around`."
  ],
  [
    () => listener({ edit: undefined, around: 1 }),
    "around",
    "expected a function, got the number 1. Give the listener an `edit` or an `around`."
  ],
  [
    // Its type has no `around`; that of an untyped plugin may.
    () => Listener.pure(Object.assign({ name: "l", edit: (self: Assembly) => self }, { around: 1 }), "agent"),
    "around",
    "a pure listener is an `edit`. Register an `around` with SystemPrompt.listener."
  ]
]

describe("a field that breaks a rule", () => {
  for (const [make, field, reason] of rulings) {
    it(`${field}: ${reason}`, () => assert.deepStrictEqual(refusal(make()), [field, reason]))
  }
})

describe("the owner of a contribution that is refused", () => {
  it("has the kind, name, scope and plugin that were given, as far as they are texts", () => {
    for (const [made, kind, entry] of [
      [section({ order: "1" }), "section", "s"],
      [context({ order: "1" }), "context", "c"],
      [listener({ order: "1" }), "listener", "l"],
      [variable({ name: 1 }), "variable", ""],
      [provider({ name: 1 }), "tools", ""]
    ] as const) {
      const error = Result.getOrThrow(Result.flip(made as Result.Result<unknown, InvalidRegistration>))
      assert.deepInclude(error, { kind, entry, scope: "agent" })
      assert.isFalse("plugin" in error)
    }
    assert.include(Result.getOrThrow(Result.flip(section({ order: "1", plugin: "p" }))), { plugin: "p" })
    assert.isFalse("plugin" in Result.getOrThrow(Result.flip(section({ plugin: 1 }))))
  })
})

describe("what is left out", () => {
  it("has its default", () => {
    assert.include(Result.getOrThrow(section({})), { complete: false, interpolate: true, plugin: undefined })
    assert.deepStrictEqual(Result.getOrThrow(section({})).requires, [])
    assert.include(Result.getOrThrow(context({})), { interpolate: true, plugin: undefined })
    assert.include(Result.getOrThrow(listener({})), { order: 0, global: false, plugin: undefined })
    assert.include(Result.getOrThrow(provider({})), { name: undefined, plugin: undefined })
    assert.include(Result.getOrThrow(variable({})), { plugin: undefined })
  })

  it("is as good as undefined", () => {
    const all = { complete: undefined, interpolate: undefined, requires: undefined, plugin: undefined }
    assert.deepStrictEqual(Result.getOrThrow(section(all)), Result.getOrThrow(section({})))
    assert.deepStrictEqual(
      Result.getOrThrow(listener({ order: undefined, global: undefined, around: undefined })).order,
      0
    )
  })
})
