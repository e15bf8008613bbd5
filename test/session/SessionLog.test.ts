import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Event from "../../src/session/Event.ts"
import * as RuntimeContextProjection from "../../src/session/RuntimeContextProjection.ts"
import type { AppendError, Rule } from "../../src/session/SessionError.ts"
import * as SessionLog from "../../src/session/SessionLog.ts"
import * as Surface from "../../src/session/Surface.ts"
import * as SystemPromptProjection from "../../src/session/SystemPromptProjection.ts"
import { check, Tally } from "../support/check.ts"
import { patience, runs } from "../support/runs.ts"
import { assistant, extend, header, log, replacing, seqs, system, user } from "./support/events.ts"
import * as Model from "./support/model.ts"
import * as programs from "./support/programs.ts"

const options = { runs: runs(300, 20_000), seed: 7, size: 40 }

const holds = <A>(arbitrary: Arbitrary.Arbitrary<A>, property: (value: A) => void) =>
  check(arbitrary, (value) => Effect.sync(() => property(value)), options)

const empty = SessionLog.empty(header)

/** Takes in and appends what nobody has looked at. */
const attempt = (self: SessionLog.SessionLog, candidates: ReadonlyArray<object>) =>
  Result.flatMap(Result.all(candidates.map(Event.fromUnknown)), (events) => SessionLog.append(self, events))

const ruleOf = (error: AppendError): Rule =>
  error._tag === "SurfaceViolation" ? error.rule : assert.fail(error.message)

/** All that can be seen of a log. */
const view = (self: SessionLog.SessionLog) => ({
  events: SessionLog.events(self),
  seqs: seqs(self),
  generation: self.surface.generation,
  messages: SessionLog.messages(self),
  retained: RuntimeContextProjection.retained(self.runtimeContext),
  effective: SystemPromptProjection.effective(self.systemPrompt)?.seq,
  projected: ["", "v1", "v2"].flatMap((text) =>
    [true, false].map((inHistory) =>
      SystemPromptProjection.project(self.systemPrompt, text, { inHistory, startsSeries: false })
    )
  ),
  header: self.requestHeader?.seq,
  context: self.requestContext?.seq
})

const restore = (events: ReadonlyArray<Event.Event>) => Result.getOrThrow(SessionLog.fromEvents(header, events))

const logs = Arbitrary.map(programs.logs, restore)

describe("a log", () => {
  it("gives its events by place, and in ranges", () => {
    const self = log(system("P"), user("a"), assistant("b"))
    assert.deepStrictEqual(
      Option.map(SessionLog.get(self, 1), (event) => event.type),
      Option.some("user/message")
    )
    for (const seq of [3, 2 ** 40]) assert.isTrue(Option.isNone(SessionLog.get(self, seq)))
    const range = (from?: number, to?: number) => SessionLog.events(self, { from, to }).map((event) => event.seq)
    assert.deepStrictEqual(range(), [0, 1, 2])
    assert.deepStrictEqual(range(1), [1, 2])
    assert.deepStrictEqual(range(1, 2), [1])
    assert.deepStrictEqual(range(0, 0), [])
    assert.deepStrictEqual(range(3), [])
    assert.strictEqual(self.length, 3)
  })

  it("gives itself as it was", () => {
    const self = log(system("P"), user("a"), user("b", replacing(1)), assistant("c"))
    assert.deepStrictEqual(seqs(SessionLog.until(self, 2)), [0, 1])
    assert.deepStrictEqual(seqs(SessionLog.until(self, 3)), [0, 2])
    assert.lengthOf(SessionLog.events(SessionLog.until(self, 0)), 0)
    assert.strictEqual(SessionLog.until(self, 4), self)
    assert.strictEqual(SessionLog.until(self, 9), self)
  })

  it("can grow in two ways from one place, and each is a log of its own", () => {
    const self = log(system("P"), user("a"))
    const [left, right] = [extend(self, user("l"), user("x", replacing(1, 2))), extend(self, user("r"))]
    assert.deepStrictEqual([left, right, self].map(seqs), [
      [0, 3],
      [0, 1, 2],
      [0, 1]
    ])
  })
})

describe("random logs", () => {
  it.effect(
    "[279] keep exactly the rules of the model, word for word, and come to the same surface",
    () => {
      const tally = new Tally()
      const rules = new Map<Rule, number>()
      return Effect.map(
        holds(programs.programs, (program) => {
          let self = empty
          let before = Model.empty
          for (const { broken, candidate, model, step } of programs.run(program)) {
            const next = attempt(self, [candidate])
            if (Result.isFailure(next)) {
              const rule = ruleOf(next.failure)
              assert.include(broken, rule, JSON.stringify(candidate))
              assert.deepInclude(next.failure, { seq: candidate.seq, type: candidate.type })
              assert.strictEqual(model, before)
              rules.set(rule, (rules.get(rule) ?? 0) + 1)
              tally.count("refused")
              continue
            }
            assert.deepStrictEqual(broken, [], JSON.stringify(candidate))
            self = next.success
            before = model
            tally.count("accepted", step.kind, ...(model.generation > 0 ? ["replaced"] : []))
            assert.deepStrictEqual(seqs(self), model.nodes)
            assert.strictEqual(self.surface.generation, model.generation)
            assert.strictEqual(Surface.size(self.surface), model.nodes.length)
          }
          assert.deepStrictEqual(SessionLog.events(self), before.events)
          assert.deepStrictEqual(SessionLog.messages(self), Model.messages(before))
          const retained = Model.retained(before)
          const told = RuntimeContextProjection.retained(self.runtimeContext)
          if (typeof retained === "string") assert.strictEqual(told._tag.toLowerCase(), retained)
          else assert.deepInclude(told, { _tag: "Kept", seq: retained.seq })
          const prompts = Model.prompts(before)
          const last = prompts.findLast(({ text }) => text !== "") ?? prompts[0]
          assert.strictEqual(SystemPromptProjection.effective(self.systemPrompt)?.seq, last?.seq)
          for (const text of ["", "v1", "v2"]) {
            for (const [inHistory, startsSeries] of [
              [false, false],
              [true, false],
              [true, true]
            ] as const) {
              const facts = { inHistory, startsSeries }
              const commits = SystemPromptProjection.project(self.systemPrompt, text, facts)
              assert.deepStrictEqual(commits, Model.commits(before, text, facts))
            }
          }
        }),
        () => {
          tally.assertShares("events", {
            accepted: 50,
            refused: 15,
            compact: 4,
            head: 2,
            prune: 2,
            refresh: 2,
            replaced: 30
          })
          const each = [...rules].map(([rule, count]) => `${rule} ${count}`)
          console.log(`rules broken: ${each.join(", ")}`)
          const all: ReadonlyArray<Rule> = [
            "dense-seq",
            "log-only",
            "unknown-on-surface",
            "operation",
            "citation",
            "tool-header",
            "endpoint",
            "coverage",
            "tool-result",
            "head"
          ]
          for (const rule of all) assert.isAtLeast(rules.get(rule) ?? 0, 10, rule)
        }
      )
    },
    patience
  )

  it.effect(
    "[279] are the same, however they were appended: one by one, at once, or read again from their text",
    () =>
      holds(programs.logs, (events) => {
        const steps = events.reduce((self, event) => Result.getOrThrow(SessionLog.append(self, [event])), empty)
        const rows: ReadonlyArray<unknown> = JSON.parse(JSON.stringify(events))
        const read = Result.getOrThrow(
          attempt(
            empty,
            rows.map((row) => Object(row))
          )
        )
        const half = SessionLog.append(restore(events.slice(0, events.length / 2)), events.slice(events.length / 2))
        const whole = view(restore(events))
        const surface = events.reduce((self, event) => Result.getOrThrow(Surface.append(self, event)), Surface.empty)
        assert.deepStrictEqual(surface, steps.surface)
        for (const self of [steps, read, Result.getOrThrow(half)]) assert.deepStrictEqual(view(self), whole)
        for (let n = 0; n < events.length; n += 7) {
          assert.deepStrictEqual(view(SessionLog.until(steps, n)), view(restore(events.slice(0, n))))
        }
      }),
    patience
  )

  it.effect(
    "[274] take all events of a transaction or none, and earlier logs stay as they were",
    () => {
      const tally = new Tally()
      return Effect.map(
        holds(programs.programs, (program) => {
          let self = empty
          const outcomes = programs.run(program)
          for (let i = 0; i < outcomes.length; i += 4) {
            const batch = outcomes.slice(i, i + 4)
            const good = batch.filter(({ broken }) => broken.length === 0).map(({ candidate }) => candidate)
            const bad = batch.find(({ broken }) => broken.length > 0)
            const before = view(self)
            const kept = self
            if (bad !== undefined) {
              const upTo = batch.slice(0, batch.indexOf(bad)).map(({ candidate }) => candidate)
              const refused = attempt(self, [...upTo, bad.candidate])
              assert.include(bad.broken, ruleOf(Result.getOrThrow(Result.flip(refused))))
              tally.count("refused", upTo.length > 0 ? "after others" : "alone")
            } else tally.count("whole")
            self = Result.getOrThrow(attempt(self, good))
            assert.deepStrictEqual(view(kept), before)
          }
        }),
        () => tally.assertShares("transactions", { refused: 30, "after others": 10, whole: 2 })
      )
    },
    patience
  )

  it.effect(
    "give messages that depend on nothing but their events",
    () =>
      holds(programs.logs, (events) => {
        const other = { ...header, id: "other", createdAt: 5 }
        const rows: ReadonlyArray<unknown> = JSON.parse(JSON.stringify(events))
        const later = rows.map((row) => Result.getOrThrow(Event.fromUnknown({ ...Object(row), time: 99 })))
        const self = restore(events)
        const copy = Result.getOrThrow(SessionLog.fromEvents(other, later))
        assert.deepStrictEqual(SessionLog.messages(copy), SessionLog.messages(self))
        const opaque = Event.number([{ type: "turn/start", data: { turn: 9 } }], self.length)
        assert.deepStrictEqual(
          SessionLog.messages(Result.getOrThrow(SessionLog.append(self, opaque))),
          SessionLog.messages(self),
          "what is only logged is not seen"
        )
      }),
    patience
  )
})

// -----------------------------------------------------------------------------
// projections of random logs
// -----------------------------------------------------------------------------

const prompt = Arbitrary.schema(Schema.Literals(["", "v1", "v2", "v3"]))
const flag = Arbitrary.schema(Schema.Boolean)

const commit = (self: SessionLog.SessionLog, text: string, facts: SystemPromptProjection.Facts) => {
  const commits = SystemPromptProjection.project(self.systemPrompt, text, facts)
  const drafts = commits.map((one, i) =>
    SystemPromptProjection.toDraft(one, { turn: 1, step: 1, time: 0, id: `s${self.length + i}` })
  )
  return extend(self, ...drafts)
}

const systems = (self: SessionLog.SessionLog) =>
  Surface.events(self.surface).flatMap((event) => (event.type === "system/message" ? [event.data.message] : []))

describe("projections of random logs", () => {
  it.effect(
    "[244] give nothing once they were committed, and the prompt is what the model sees last",
    () => {
      const tally = new Tally()
      return Effect.map(
        holds(Arbitrary.all([logs, prompt, flag, flag]), ([self, text, inHistory, startsSeries]) => {
          const after = commit(self, text, { inHistory, startsSeries })
          const facts = { inHistory, startsSeries: false }
          assert.deepStrictEqual(SystemPromptProjection.project(after.systemPrompt, text, facts), [])
          const sent = systems(after).filter(({ content }) => content.length > 0)
          const last = sent.at(-1)
          assert.deepStrictEqual(last?.content ?? [], text === "" ? [] : [{ type: "text", text }])
          const count = after.length - self.length
          tally.count(
            count === 0 ? "nothing" : after.surface.generation > self.surface.generation ? "replaced" : "appended"
          )
        }),
        () => tally.assertShares("prompts", { nothing: 5, replaced: 10, appended: 10 })
      )
    },
    patience
  )

  it.effect(
    "[245] on a plain route leave one system message with content, the first of all, or none if it is empty",
    () => {
      const tally = new Tally()
      return Effect.map(
        holds(Arbitrary.all([logs, prompt]), ([self, text]) => {
          tally.count(systems(self).length > 1 ? "several" : "few")
          const [head, ...rest] = systems(commit(self, text, { inHistory: false, startsSeries: false }))
          assert.deepStrictEqual(head?.content, text === "" ? [] : [{ type: "text", text }])
          for (const { content } of rest) assert.deepStrictEqual(content, [])
        }),
        () => tally.assertShares("system messages before", { several: 20 })
      )
    },
    patience
  )

  it.effect(
    "on a plain route, from the first step on, there is one system message on the surface: the head",
    () => {
      const step = Arbitrary.all([prompt, Arbitrary.schema(Schema.Literals(["user", "compact", "restart"]))])
      return holds(Arbitrary.array(step, { maxLength: 12 }), (steps) => {
        let self = empty
        for (const [text, then] of steps) {
          self = commit(self, text, { inHistory: false, startsSeries: false })
          self = extend(self, user("a"), assistant("b"))
          const history = seqs(self).slice(1)
          if (then === "compact") self = extend(self, user("sum", replacing(...history)))
          if (then === "restart") self = restore(SessionLog.events(self))
          assert.lengthOf(systems(self), 1)
          const [head] = Surface.events(self.surface)
          assert.strictEqual(head?.type, "system/message")
          assert.strictEqual(SystemPromptProjection.effective(self.systemPrompt), head)
        }
      })
    },
    patience
  )

  it.effect(
    "tell the contexts once, and again only when the model sees something else",
    () => {
      const tally = new Tally()
      return Effect.map(
        holds(Arbitrary.all([logs, prompt]), ([self, text]) => {
          const now = { text, sections: text === "" ? [] : [{ name: "c", text }] }
          const message = RuntimeContextProjection.project(self.runtimeContext, now)
          tally.count(message === undefined ? "nothing" : message.sections.length === 0 ? "cleared" : "told")
          if (message === undefined) return
          const after = extend(self, RuntimeContextProjection.toDraft(message, { time: 0, id: "c" }))
          assert.isUndefined(RuntimeContextProjection.project(after.runtimeContext, now))
          assert.deepStrictEqual(
            RuntimeContextProjection.project(restore(SessionLog.events(after)).runtimeContext, now),
            undefined
          )
          assert.strictEqual(after.surface.generation, self.surface.generation)
        }),
        () => tally.assertShares("contexts", { nothing: 5, cleared: 5, told: 40 })
      )
    },
    patience
  )
})
