import { assert, describe, it } from "@effect/vitest"
import type * as Event from "../../src/session/Event.ts"
import * as Result from "effect/Result"
import * as SessionLog from "../../src/session/SessionLog.ts"
import * as SystemPromptProjection from "../../src/session/SystemPromptProjection.ts"
import {
  assistant,
  extend,
  header,
  log,
  refusal,
  replacing,
  said,
  seqs,
  snapshot,
  system,
  text,
  user
} from "./support/events.ts"

const plain = { inHistory: false, startsSeries: false }
const continuing = { inHistory: true, startsSeries: false }
const series = { inHistory: true, startsSeries: true }

type Facts = SystemPromptProjection.Facts

const project = (self: SessionLog.SessionLog, prompt: string, facts: Facts) =>
  SystemPromptProjection.project(self.systemPrompt, prompt, facts)

const append = (text: string) => ({ text, replaces: undefined })
const replace = (seq: number, text: string) => ({ text, replaces: seq })

const drafts = (commits: ReadonlyArray<SystemPromptProjection.Commit>): ReadonlyArray<Event.Draft> =>
  commits.map((commit, i) => SystemPromptProjection.toDraft(commit, { turn: 1, step: 1, time: 5, id: `s${i}` }))

/** The log after a prompt was projected and committed. */
const apply = (self: SessionLog.SessionLog, prompt: string, facts: Facts) =>
  extend(self, ...drafts(project(self, prompt, facts)))

const empty = SessionLog.empty(header)

/** A head, then history. */
const v1 = log(system("v1"), user("a"))
/** A head and a later prompt. */
const v2 = extend(v1, system("v2"), user("b"))

describe("project", () => {
  it("[228] the first prompt is appended, on any route", () => {
    for (const facts of [plain, continuing, series]) assert.deepStrictEqual(project(empty, "v1", facts), [append("v1")])
    assert.deepStrictEqual(said(apply(empty, "v1", plain)), [["system", "v1"]])
  })

  it("[229] an empty first prompt takes the first place, and sends nothing", () => {
    assert.deepStrictEqual(project(empty, "", plain), [append("")])
    const held = extend(apply(empty, "", plain), user("a"))
    assert.deepStrictEqual(seqs(held), [0, 1])
    assert.deepStrictEqual(said(held), [["user", "a"]])
    assert.deepStrictEqual(said(apply(held, "v1", plain)), [
      ["system", "v1"],
      ["user", "a"]
    ])
  })

  it("[230] plain route: the same prompt is nothing", () => {
    assert.deepStrictEqual(project(v1, "v1", plain), [])
  })

  it("[231] plain route: another prompt replaces the head, cites it, and stays at its place", () => {
    const commits = project(v1, "v2", plain)
    assert.deepStrictEqual(commits, [replace(0, "v2")])
    assert.deepStrictEqual(drafts(commits), [
      {
        type: "system/message",
        time: 5,
        data: {
          turn: 1,
          step: 1,
          message: { role: "system", content: [text("v2")], source: { kind: "system-prompt" }, id: "s0" }
        },
        ...replacing(0)
      }
    ])
    assert.deepStrictEqual(seqs(apply(v1, "v2", plain)), [2, 1])
  })

  it("[232] plain route: emptied, then nothing, then refilled", () => {
    const cleared = apply(v1, "", plain)
    assert.deepStrictEqual(project(v1, "", plain), [replace(0, "")])
    assert.deepStrictEqual(drafts(project(v1, "", plain))[0]?.data, {
      ...system("").data,
      message: { ...system("").data.message, id: "s0" }
    })
    assert.deepStrictEqual(said(cleared), [["user", "a"]])
    assert.deepStrictEqual(project(cleared, "", plain), [])
    assert.deepStrictEqual(project(cleared, "v3", plain), [replace(2, "v3")])
    assert.deepStrictEqual(seqs(apply(cleared, "v3", plain)), [3, 1])
  })

  it("[233] within the history: another prompt is appended", () => {
    assert.deepStrictEqual(project(v1, "v2", continuing), [append("v2")])
    const roles = said(apply(v1, "v2", continuing)).map(([role]) => role)
    assert.deepStrictEqual(roles, ["system", "user", "system"])
  })

  it("[234] within the history: the latest prompt is what counts", () => {
    assert.deepStrictEqual(project(v2, "v2", continuing), [])
    assert.deepStrictEqual(project(v2, "v3", continuing), [append("v3")])
    assert.deepStrictEqual(project(v2, "v1", continuing), [append("v1")])
  })

  it("[235] a new series empties what stands behind, then replaces the head", () => {
    assert.deepStrictEqual(project(v2, "v4", series), [replace(2, ""), replace(0, "v4")])
    assert.deepStrictEqual(said(apply(v2, "v4", series)), [
      ["system", "v4"],
      ["user", "a"],
      ["user", "b"]
    ])
    const three = extend(v2, system("v3"))
    assert.deepStrictEqual(project(three, "v4", series), [replace(2, ""), replace(4, ""), replace(0, "v4")])
  })

  it("[236] a new series moves an unchanged later prompt to the head", () => {
    assert.deepStrictEqual(project(v2, "v2", series), [replace(2, ""), replace(0, "v2")])
    assert.deepStrictEqual(project(v2, "v1", series), [replace(2, "")])
  })

  it("[237] within the history: an empty prompt empties all, from behind, and once", () => {
    assert.deepStrictEqual(project(v2, "", continuing), [replace(2, ""), replace(0, "")])
    const cleared = apply(v2, "", continuing)
    assert.deepStrictEqual(said(cleared), [
      ["user", "a"],
      ["user", "b"]
    ])
    assert.deepStrictEqual(project(cleared, "", continuing), [])
  })

  it("[238] what is dormant is passed over: within the history a prompt is appended, else the head is refilled", () => {
    const dormant = apply(v2, "", continuing)
    assert.deepStrictEqual(seqs(dormant), [5, 1, 4, 3])
    assert.deepStrictEqual(project(dormant, "v5", continuing), [append("v5")])
    assert.deepStrictEqual(project(dormant, "v5", plain), [replace(5, "v5")])
  })

  it("[239] plain route: a dormant later prompt and an unchanged head are nothing", () => {
    const dormant = apply(v2, "v1", plain)
    assert.deepStrictEqual(seqs(dormant), [0, 1, 4, 3])
    assert.deepStrictEqual(project(dormant, "v1", plain), [])
    assert.deepStrictEqual(project(dormant, "v1", series), [])
    assert.deepStrictEqual(project(dormant, "v1", continuing), [])
  })

  it("[240] a prompt that is not one text equals none, and is emptied like others", () => {
    for (const blocks of [[text("v"), text("1")], [{ type: "image" }], [text("v1"), text("")]]) {
      const head = log(system(blocks), user("a"))
      for (const prompt of ["v1", "v", ""]) assert.deepStrictEqual(project(head, prompt, plain), [replace(0, prompt)])
      assert.deepStrictEqual(project(head, "v1", continuing), [append("v1")])
      const tail = extend(v1, system(blocks))
      assert.deepStrictEqual(project(tail, "v1", continuing), [append("v1")])
      assert.deepStrictEqual(project(tail, "v1", plain), [replace(2, "")])
      assert.deepStrictEqual(project(tail, "", continuing), [replace(2, ""), replace(0, "")])
    }
  })

  it("[241] without a system message, one is appended, wherever that is", () => {
    const late = log(user("a"))
    assert.deepStrictEqual(project(late, "v1", plain), [append("v1")])
    assert.deepStrictEqual(seqs(apply(late, "v1", plain)), [0, 1])
    assert.deepStrictEqual(project(apply(late, "v1", plain), "v2", plain), [replace(1, "v2")])
  })

  it("[242] a system message that was compacted away is appended again", () => {
    const late = log(user("a"), system("v1"), user("b"))
    const compacted = extend(late, user("sum", replacing(0, 1, 2)))
    for (const facts of [plain, continuing, series]) {
      assert.deepStrictEqual(project(compacted, "v1", facts), [append("v1")])
    }
  })

  it("a head that was compacted away makes the next system message the head", () => {
    const late = log(user("a"), system("v1"), user("b"), system("v2"))
    const compacted = extend(late, user("sum", replacing(0, 1)))
    assert.deepStrictEqual(project(compacted, "v2", plain), [])
    assert.deepStrictEqual(project(compacted, "v3", plain), [replace(3, "v3")])
  })

  it("counts prompts in the order of the surface, not of the log", () => {
    const replaced = extend(v2, system("v0", replacing(0)))
    assert.deepStrictEqual(seqs(replaced), [4, 1, 2, 3])
    assert.deepStrictEqual(project(replaced, "v2", continuing), [])
    assert.deepStrictEqual(project(replaced, "v9", plain), [replace(2, ""), replace(4, "v9")])
    assert.strictEqual(SystemPromptProjection.effective(replaced.systemPrompt)?.seq, 2)
    assert.isUndefined(SystemPromptProjection.effective(empty.systemPrompt))
  })

  it("[243] is a function of the log: before and after it was read again", () => {
    for (const self of [empty, v1, v2, apply(v2, "", plain)]) {
      const restored = Result.getOrThrow(SessionLog.fromEvents(header, SessionLog.events(self)))
      for (const facts of [plain, continuing, series]) {
        for (const prompt of ["", "v1", "v2", "v9"]) {
          const commits = project(self, prompt, facts)
          assert.deepStrictEqual(project(self, prompt, facts), commits)
          assert.deepStrictEqual(project(restored, prompt, facts), commits)
        }
      }
    }
  })

  it("[253] a plain route after prompts within the history moves them to the head; the other way round they are appended", () => {
    assert.deepStrictEqual(project(v2, "v2", plain), [replace(2, ""), replace(0, "v2")])
    const consolidated = apply(v2, "v2", plain)
    assert.deepStrictEqual(project(consolidated, "v3", continuing), [append("v3")])
    assert.deepStrictEqual(said(apply(consolidated, "v3", continuing)), [
      ["system", "v2"],
      ["user", "a"],
      ["user", "b"],
      ["system", "v3"]
    ])
  })

  it("[BC-015] a compaction cannot take the prompt with it", () => {
    const history = log(system("P"), snapshot("T1"), user("u"), assistant("a"))
    assert.deepInclude(refusal(history, user("sum", replacing(0, 1, 2, 3))), { rule: "head", seqs: [0] })
    const compacted = extend(history, user("sum", replacing(1, 2, 3)))
    assert.deepStrictEqual(project(compacted, "P", plain), [])
    assert.deepStrictEqual(said(compacted), [
      ["system", "P"],
      ["user", "sum"]
    ])
  })
})
