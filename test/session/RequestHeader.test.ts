import { assert, describe, it } from "@effect/vitest"
import * as RequestContext from "../../src/session/RequestContext.ts"
import * as RequestHeader from "../../src/session/RequestHeader.ts"
import * as SystemPromptProjection from "../../src/session/SystemPromptProjection.ts"
import * as ToolChange from "../../src/session/ToolChange.ts"
import {
  assistant,
  config,
  developer,
  extend,
  log,
  requestContext,
  requestHeader,
  seqs,
  stepStart,
  system,
  tool,
  user
} from "./support/events.ts"

const read = tool("read")
const write = tool("write")
const base: RequestHeader.RequestHeader = { config, tools: [read, write] }

const differs = (that: RequestHeader.RequestHeader, title: string) => {
  assert.isFalse(RequestHeader.equals(base, that), title)
  assert.isFalse(RequestHeader.equals(that, base), title)
}

describe("RequestHeader", () => {
  it("[261] leaves out tools and adapter defaults where there are none", () => {
    assert.deepStrictEqual(RequestHeader.make({ config, tools: [], adapterDefaults: {} }), { config })
    assert.deepStrictEqual(RequestHeader.make({ config }), { config })
    assert.deepStrictEqual(RequestHeader.make({ config, adapterDefaults: { maxTokens: false, odd: true } }), { config })
    const full = { config, tools: [read], adapterDefaults: { reasoningEffort: true, maxTokens: false } }
    assert.deepStrictEqual(RequestHeader.make(full), full)
    assert.isTrue(
      RequestHeader.equals(RequestHeader.make({ config, tools: [] }), { config, adapterDefaults: { maxTokens: false } })
    )
    extend(log(), {
      type: "request/header",
      data: { header: RequestHeader.make({ config, tools: [] }), reason: "initial" }
    })
  })

  it("[249] differs by configuration, by marks of the adapter, and by tools, their order alone too", () => {
    assert.isTrue(RequestHeader.equals(base, structuredClone(base)))
    assert.isTrue(RequestHeader.equals(base, { ...base, config: { model: config.model, provider: config.provider } }))
    differs({ config, tools: [write, read] }, "order")
    differs({ config, tools: [read] }, "fewer tools")
    differs({ config, tools: [read, { ...write, description: "x" }] }, "description")
    differs({ config, tools: [read, { ...write, parameters: {} }] }, "parameters")
    differs({ config, tools: [read, { ...write, deferLoading: true }] }, "loading")
    const { description, name, parameters } = write
    differs({ config, tools: [read, { description, name, parameters }] }, "the order of keys is in the bytes")
    const more = { ...config, maxTokens: 1 }
    differs({ ...base, config: more }, "a field more")
    differs({ ...base, config: { ...config, model: "n" } }, "a field")
    assert.isFalse(
      RequestHeader.equals({ config: more }, { config: { ...config, reasoningEffort: 1 } }),
      "another field"
    )
    differs({ ...base, adapterDefaults: { maxTokens: true } }, "a mark")
    assert.isFalse(
      RequestHeader.equals(
        { config, adapterDefaults: { maxTokens: true } },
        { config, adapterDefaults: { reasoningEffort: true } }
      )
    )
    assert.isTrue(RequestHeader.sameTools(base, { config: more, tools: [read, write] }))
    assert.isFalse(RequestHeader.sameTools(base, { config }))
    assert.isTrue(RequestHeader.sameTools({ config }, { config: more }))
  })

  it("sees a configuration that was changed in place", () => {
    const mutable = { ...config, maxTokens: 1 }
    const kept = { config: { ...mutable } }
    assert.isTrue(RequestHeader.equals(kept, { config: mutable }))
    mutable.maxTokens = 2
    assert.isFalse(RequestHeader.equals(kept, { config: mutable }))
  })

  const continuing = { previous: base, isFirst: false, startsSeries: false }

  it("[246] the first header of a log is initial, the first of a run that goes on is a resumption, then nothing", () => {
    const first = { ...continuing, isFirst: true }
    assert.deepStrictEqual(RequestHeader.entry(base, { ...first, previous: undefined }), {
      header: base,
      reason: "initial"
    })
    assert.deepStrictEqual(RequestHeader.entry(base, first), { header: base, reason: "resume" })
    assert.deepStrictEqual(RequestHeader.entry({ config }, first), { header: { config }, reason: "resume" })
    assert.isUndefined(RequestHeader.entry(base, continuing))
    assert.isUndefined(RequestHeader.entry(structuredClone(base), continuing))
  })

  it("[249] tools that changed, be it their order, are a change", () => {
    for (const tools of [[read], [write, read]]) {
      assert.deepStrictEqual(RequestHeader.entry({ config, tools }, continuing), {
        header: { config, tools },
        reason: "change"
      })
    }
  })

  it("[250] a series that is declared is a reason, or goes with another one", () => {
    const series = { ...continuing, startsSeries: true }
    assert.deepStrictEqual(RequestHeader.entry(base, series), { header: base, reason: "series" })
    for (const [facts, reason] of [
      [{ ...series, previous: undefined }, "initial"],
      [{ ...series, previous: undefined, isFirst: true }, "initial"],
      [{ ...series, isFirst: true }, "resume"],
      [{ ...series, previous: { config } }, "change"]
    ] as const) {
      assert.deepStrictEqual(RequestHeader.entry(base, facts), { header: base, reason, startsSeries: true })
    }
  })

  it("[247, 248] a prompt that is appended leaves the generation, so that no header is due; one that replaces moves it", () => {
    const self = log(system("v1"), user("a"), requestHeader(["read", "write"]))
    const previous = self.requestHeader?.data.header
    for (const [inHistory, expected] of [
      [true, undefined],
      [false, "series"]
    ] as const) {
      const commits = SystemPromptProjection.project(self.systemPrompt, "v2", { inHistory, startsSeries: false })
      assert.lengthOf(commits, 1)
      const at = { turn: 1, step: 2, time: 0, id: "s" }
      const after = extend(self, ...commits.map((commit) => SystemPromptProjection.toDraft(commit, at)))
      assert.deepStrictEqual(seqs(after), inHistory ? [0, 1, 3] : [3, 1])
      const startsSeries = after.surface.generation !== self.surface.generation
      assert.strictEqual(RequestHeader.entry(base, { previous, isFirst: false, startsSeries })?.reason, expected)
    }
  })

  it("the log knows the one that was logged last", () => {
    const self = log(requestHeader(["a"]), user("x"), requestHeader(["b"], "change"), user("y"))
    assert.strictEqual(self.requestHeader?.seq, 2)
    assert.isUndefined(log(user("x")).requestHeader)
  })
})

describe("RequestContext", () => {
  it("[251] is logged at first, and when one of its four members differs, one that is left out too", () => {
    const route: RequestContext.RequestContext = {
      provider: "p",
      model: "m",
      contextWindow: 1000,
      systemPromptUpdate: "in-history"
    }
    assert.isUndefined(log().requestContext, "none yet: to be logged")
    const { contextWindow: _, ...unlimited } = route
    const { systemPromptUpdate: __, ...leading } = route
    for (const other of [
      { ...route, provider: "q" },
      { ...route, model: "n" },
      { ...route, contextWindow: 1 },
      unlimited,
      leading
    ]) {
      assert.isFalse(RequestContext.equals(route, other), JSON.stringify(other))
      assert.isFalse(RequestContext.equals(other, route), JSON.stringify(other))
    }
    assert.isTrue(RequestContext.equals(route, { ...route }))
    const more = { ...route, region: "x" }
    assert.isTrue(RequestContext.equals(route, more), "nothing else counts")
  })

  it("the log knows the one that was logged last", () => {
    const self = log(requestContext("m"), user("x"), requestContext("n"))
    assert.deepStrictEqual(self.requestContext?.data, { provider: "p", model: "n" })
  })
})

describe("ToolChange", () => {
  const at = { turn: 1, step: 1, time: 5, id: "developer", headerSeq: 3 }

  it("names what came and what went, and nothing that only changed", () => {
    const after = { config, tools: [{ ...write, description: "other" }, tool("grep"), tool("find")] }
    assert.deepStrictEqual(ToolChange.between(base, after), { added: ["grep", "find"], removed: ["read"] })
    assert.deepStrictEqual(ToolChange.between(base, { config }), { added: [], removed: ["read", "write"] })
    assert.deepStrictEqual(ToolChange.between({ config }, base), { added: ["read", "write"], removed: [] })
    assert.deepStrictEqual(ToolChange.between(base, { config, tools: [write, read] }), { added: [], removed: [] })
  })

  it("is told in one message, additions first, with the header if there are any", () => {
    const { time: _, ...added } = ToolChange.toDraft({ added: ["a", "b"], removed: [] }, at) ?? assert.fail()
    assert.deepStrictEqual(added, developer(["a", "b"], 3))
    const both = ToolChange.toDraft({ added: ["a"], removed: ["b"] }, at) ?? assert.fail()
    assert.deepStrictEqual(both.data.message.content, [
      { type: "tool-addition", toolName: "a" },
      { type: "tool-removal", toolName: "b" }
    ])
    const { time, ...removed } = ToolChange.toDraft({ added: [], removed: ["gone"] }, at) ?? assert.fail()
    assert.strictEqual(time, 5)
    assert.deepStrictEqual(removed, developer([], 3))
    assert.isUndefined(ToolChange.toDraft({ added: [], removed: [] }, at))
  })

  it("goes with the header that defines the tools", () => {
    const self = log(stepStart, user("a"), assistant("b"), requestHeader(["a", "b"]))
    const draft = ToolChange.toDraft({ added: ["a", "b"], removed: ["c"] }, at) ?? assert.fail()
    assert.deepStrictEqual(seqs(extend(self, draft)), [1, 2, 4])
  })
})
