import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { clearedNotice, heading } from "../../src/PromptContext.ts"
import * as RuntimeContextProjection from "../../src/session/RuntimeContextProjection.ts"
import * as SessionLog from "../../src/session/SessionLog.ts"
import {
  assistant,
  extend,
  header,
  log,
  notice,
  replacing,
  said,
  seqs,
  snapshot,
  system,
  text,
  user
} from "./support/events.ts"

const now = (value: string): RuntimeContextProjection.Snapshot => ({
  text: value,
  sections: value === "" ? [] : [{ name: "policy", text: value }]
})

const X = now("X")
const Y = now("Y")
const none = now("")
const cleared: RuntimeContextProjection.Snapshot = { text: clearedNotice, sections: [] }

const project = (self: SessionLog.SessionLog, current: RuntimeContextProjection.Snapshot) =>
  RuntimeContextProjection.project(self.runtimeContext, current)

/** The log after the contexts were projected and committed. */
const apply = (self: SessionLog.SessionLog, current: RuntimeContextProjection.Snapshot) => {
  const message = project(self, current)
  return message === undefined ? self : extend(self, RuntimeContextProjection.toDraft(message, { time: 5, id: "c" }))
}

const retained = (self: SessionLog.SessionLog) => RuntimeContextProjection.retained(self.runtimeContext)

const restore = (self: SessionLog.SessionLog) =>
  Result.getOrThrow(SessionLog.fromEvents(header, SessionLog.events(self)))

const fresh = log(system("P"), user("a"))

describe("project", () => {
  it("[214] a fresh session without contexts is told nothing", () => {
    assert.isUndefined(project(fresh, none))
    assert.deepStrictEqual(retained(fresh), { _tag: "Never" })
  })

  it("[215] a fresh session with contexts is told them, with their source, form and sections", () => {
    const message = project(fresh, X)
    assert.deepStrictEqual(message, X)
    assert.deepStrictEqual<unknown>(RuntimeContextProjection.toDraft(X, { time: 5, id: "c" }), {
      type: "user/message",
      time: 5,
      data: {
        role: "user",
        content: [text("X")],
        source: { kind: "runtime-context", form: "snapshot", sections: [{ name: "policy", text: "X" }] },
        id: "c"
      },
      surfaceOp: "append"
    })
  })

  it("[216] what was not committed is told again", () => {
    assert.deepStrictEqual(project(fresh, X), X)
    assert.deepStrictEqual(project(fresh, X), X)
  })

  it("[217] what was committed is not told again, and what differs is", () => {
    const told = apply(fresh, X)
    assert.deepStrictEqual(retained(told), { _tag: "Kept", seq: 2, text: "X" })
    assert.isUndefined(project(told, X))
    assert.deepStrictEqual(project(told, Y), Y)
    assert.isUndefined(project(apply(told, Y), Y))
    assert.deepStrictEqual(project(apply(told, Y), X), X)
  })

  it("[218] contexts that end are cleared by a notice without sections", () => {
    const told = apply(fresh, X)
    assert.deepStrictEqual(project(told, none), cleared)
    const { data } = RuntimeContextProjection.toDraft(cleared, { time: 5, id: "c" })
    assert.deepStrictEqual(data, {
      role: "user",
      content: [text(clearedNotice)],
      source: { kind: "runtime-context" },
      id: "c"
    })
  })

  it("[219] after the notice: nothing, or a snapshot", () => {
    const gone = apply(apply(fresh, X), none)
    assert.isUndefined(project(gone, none))
    assert.deepStrictEqual(project(gone, X), X)
  })

  it("[220] a snapshot that was compacted away is no longer in force", () => {
    const compacted = extend(apply(fresh, X), assistant("b"), user("sum", replacing(1, 2, 3)))
    assert.deepStrictEqual(retained(compacted), { _tag: "Gone" })
    assert.deepStrictEqual(project(compacted, none), cleared)
    assert.deepStrictEqual(project(compacted, X), X)
    assert.isUndefined(project(apply(compacted, X), X))
    assert.isUndefined(project(apply(compacted, none), none))
  })

  it("[221] an event that cites the snapshot changes nothing", () => {
    const cited = extend(apply(fresh, X), user("b", { sourceEventSeqs: [2] }))
    assert.isUndefined(project(cited, X))
    assert.deepStrictEqual(retained(cited), { _tag: "Kept", seq: 2, text: "X" })
  })

  it("[222] nor does a replacement that cites it and leaves it on the surface", () => {
    const cited = extend(apply(fresh, X), user("b", { ...replacing(1), sourceEventSeqs: [1, 2] }))
    assert.deepStrictEqual(seqs(cited), [0, 3, 2])
    assert.isUndefined(project(cited, X))
  })

  it("[223] a snapshot that is not one text equals none", () => {
    for (const blocks of [[text("X"), text("Y")], [{ type: "image" }], [text("X"), text("")]]) {
      const odd = extend(fresh, user(blocks, {}, "runtime-context"))
      assert.deepStrictEqual(retained(odd), { _tag: "Kept", seq: 2, text: undefined })
      assert.deepStrictEqual(project(odd, X), X)
      assert.deepStrictEqual(project(odd, none), cleared)
    }
    const empty = extend(fresh, snapshot(""))
    assert.deepStrictEqual(project(empty, none), cleared)
  })

  it("[224] user messages of other sources, and events of other logs, say nothing of the contexts", () => {
    assert.deepStrictEqual(project(extend(fresh, user("X")), X), X)
    assert.deepStrictEqual(project(extend(fresh, user("X", {}, "runtime-context-2")), X), X)
    apply(fresh, X)
    assert.deepStrictEqual(retained(fresh), { _tag: "Never" })
    assert.deepStrictEqual(project(fresh, X), X)
  })

  it("[225] if the newest snapshot was replaced, the newest of the others is in force, live and restored", () => {
    const two = apply(apply(fresh, X), Y)
    const compacted = extend(two, user("sum", replacing(3)))
    assert.deepStrictEqual(said(compacted), [
      ["system", "P"],
      ["user", "a"],
      ["user", "X"],
      ["user", "sum"]
    ])
    for (const self of [compacted, restore(compacted)]) {
      assert.deepStrictEqual(retained(self), { _tag: "Kept", seq: 2, text: "X" })
      assert.isUndefined(project(self, X))
      assert.deepStrictEqual(project(self, Y), Y)
    }
  })

  it("[226] if none survived, contexts that ended are cleared, live and restored", () => {
    const compacted = extend(apply(apply(fresh, X), Y), user("sum", replacing(2, 3)))
    for (const self of [compacted, restore(compacted)]) {
      assert.deepStrictEqual(retained(self), { _tag: "Gone" })
      assert.deepStrictEqual(project(self, none), cleared)
    }
  })

  it("[227] a snapshot that takes the place of something is in force, though others stand behind it", () => {
    const replaced = extend(apply(fresh, X), snapshot("Y", replacing(1)))
    assert.deepStrictEqual(seqs(replaced), [0, 3, 2])
    for (const self of [replaced, restore(replaced)]) {
      assert.deepStrictEqual(retained(self), { _tag: "Kept", seq: 3, text: "Y" })
      assert.isUndefined(project(self, Y))
      assert.deepStrictEqual(project(self, X), X)
    }
    assert.deepStrictEqual(retained(extend(apply(fresh, X), snapshot("Y", replacing(2)))), {
      _tag: "Kept",
      seq: 3,
      text: "Y"
    })
  })

  it("[BC-059] compares with what the model still sees, and clears what ended once", () => {
    let self = fresh
    const told = ["T1", "T1", "T2", "", "", "T2"].map((value) => {
      const message = project(self, now(value))
      self = apply(self, now(value))
      return message?.text ?? "-"
    })
    assert.deepStrictEqual(told, ["T1", "-", "T2", clearedNotice, "-", "T2"])
  })

  it("[BC-015] a compaction that takes the snapshot with it has it told once more", () => {
    const compacted = extend(
      log(system("P"), snapshot("T1"), user("u"), assistant("a")),
      user("sum", replacing(1, 2, 3))
    )
    assert.strictEqual(project(compacted, now("T1"))?.text, "T1")
    assert.isUndefined(project(apply(compacted, now("T1")), now("T1")))
  })

  it("the notice is no snapshot: contexts that say the same under a heading are told", () => {
    const gone = extend(fresh, notice)
    assert.strictEqual(project(gone, now(`${heading}\n\n${clearedNotice}`))?.text, `${heading}\n\n${clearedNotice}`)
  })
})
