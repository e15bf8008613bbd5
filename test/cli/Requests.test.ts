import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { Requests } from "../../src/cli/Requests.ts"
import * as Event from "../../src/session/Event.ts"
import * as Request from "../../src/session/Request.ts"
import * as SessionLog from "../../src/session/SessionLog.ts"
import * as Surface from "../../src/session/Surface.ts"
import * as events from "../session/support/events.ts"
import { noting } from "../session/support/noting.ts"
import { check, Tally } from "../support/check.ts"
import { patience, runs } from "../support/runs.ts"

/** A log that grows, and what is noted of its requests. */
class Growing {
  log = SessionLog.empty(events.header)
  readonly requests: Requests

  constructor(length: number) {
    this.requests = new Requests(length)
  }

  add(...drafts: ReadonlyArray<Event.Draft>): void {
    for (const event of Event.number(drafts, this.log.length)) {
      if (Event.isSurface(event)) this.requests.logged(Result.getOrThrow(Surface.plan(this.log.surface, event)))
      this.log = Result.getOrThrow(SessionLog.append(this.log, [event]))
    }
  }
}

// -----------------------------------------------------------------------------
// what is said
// -----------------------------------------------------------------------------

const moves = ["user", "system", "assistant", "replace", "replace", "empty", "header", "ask", "ask", "ask"] as const

const move = Arbitrary.all([
  Arbitrary.schema(Schema.Literals(moves)),
  Arbitrary.schema(Schema.Natural),
  Arbitrary.schema(Schema.Natural)
])

/** Few texts, so that many messages are the same as JSON. */
const texts = ["", "a", "b", "é", "éa"]

const headers = [[], ["read"], ["read", "write"], ["write"]]

const at = <A>(all: ReadonlyArray<A>, n: number): A => all[n % all.length]!

/** A message in the place of one or some others; a system message in the place of the head. */
const replacement = (log: SessionLog.SessionLog, text: string, n: number): ReadonlyArray<Event.Draft> => {
  const nodes = Surface.events(log.surface)
  const start = n % Math.max(1, nodes.length)
  const seqs = nodes.slice(start, start + 1 + (n % 3)).map(({ seq }) => seq)
  const [first] = seqs
  if (first === undefined) return []
  return start === 0 && nodes[0]?.type === "system/message"
    ? [events.system(text, events.replacing(first))]
    : [events.user(text, events.replacing(...seqs))]
}

const drafts = (
  log: SessionLog.SessionLog,
  kind: (typeof moves)[number],
  a: number,
  b: number
): ReadonlyArray<Event.Draft> => {
  const text = at(texts, a)
  switch (kind) {
    case "user":
      return [events.user(text)]
    case "system":
      return [events.system(text)]
    case "assistant":
      return [events.assistant(text)]
    case "replace":
      return replacement(log, text, b)
    case "empty": {
      const system = Surface.events(log.surface).findLast(({ type }) => type === "system/message")
      return system === undefined ? [] : [events.system("", events.replacing(system.seq))]
    }
    case "header":
      return [events.requestHeader(at(headers, a), "change")]
    case "ask":
      return []
  }
}

describe("Requests", () => {
  it.effect(
    "says of each request what the request itself says, compared with the one before",
    () => {
      const tally = new Tally()
      return Effect.map(
        check(
          Arbitrary.array(move, { minLength: 10, maxLength: 60 }),
          (all) =>
            Effect.sync(() => {
              const growing = new Growing(all.length)
              const sent: Array<Request.Request> = []
              for (const [kind, a, b] of all) {
                growing.add(...drafts(growing.log, kind, a, b))
                if (kind !== "ask") continue
                growing.requests.add(growing.log)
                const request = Option.getOrUndefined(Request.fromLog(growing.log))
                if (request !== undefined) sent.push(request)
              }
              assert.deepStrictEqual(
                growing.requests.all.map(({ at, messages, prefix }) => ({ at, messages, prefix })),
                sent.map((request, i) => ({
                  at: request.seq,
                  messages: request.messages.length,
                  prefix: Option.map(Option.fromUndefinedOr(sent[i - 1]), (before) => Request.prefix(request, before))
                }))
              )
              for (const { messages, prefix } of growing.requests.all) {
                if (Option.isNone(prefix)) continue
                const { isWhole, messages: same } = prefix.value
                tally.count(
                  isWhole ? "whole" : same === 0 ? "from the beginning" : "in part",
                  messages > 6 ? "long" : "short"
                )
              }
            }),
          { runs: runs(300, 20_000), seed: 11, size: 60 }
        ),
        () => tally.assertShares("requests", { whole: 20, "from the beginning": 5, "in part": 5, long: 5 })
      )
    },
    patience
  )

  it("notes where a request was made, and nothing before a header is logged", () => {
    const growing = new Growing(9)
    growing.add(events.system("A"), events.stepStart)
    growing.requests.add(growing.log)
    assert.deepStrictEqual(growing.requests.all, [])
    growing.add(
      { type: "turn/start", data: { turn: 2 } },
      { type: "step/start", data: { turn: 2, step: 3 } },
      events.requestHeader([])
    )
    growing.requests.add(growing.log)
    assert.deepStrictEqual(growing.requests.all, [
      { at: 5, turn: 2, step: 3, headerSeq: 4, messages: 1, prefix: Option.none() }
    ])
  })
})

// -----------------------------------------------------------------------------
// what it costs
// -----------------------------------------------------------------------------

/** The same log, with the nodes of its surface noted when they are looked at. */
const watched = (log: SessionLog.SessionLog, seen: Set<object>): SessionLog.SessionLog => ({
  ...log,
  surface: { ...log.surface, nodes: noting(log.surface.nodes, seen) }
})

const long = (count: number): Growing => {
  const growing = new Growing(count + 20)
  growing.add(events.system("A"), events.requestHeader(["read"]))
  growing.add(...Array.from({ length: count }, (_, i) => events.user(`m${i}`)))
  return growing
}

const replaced = (log: SessionLog.SessionLog, index: number, by: (where: Where) => Event.Draft) => [
  by(events.replacing(at(events.seqs(log), index)))
]

type Where = ReturnType<typeof events.replacing>

type Change = (log: SessionLog.SessionLog) => ReadonlyArray<Event.Draft>

const changes: Readonly<Record<string, Change>> = {
  "a message was added": () => [events.user("more")],
  "the prompt was replaced": (log) => replaced(log, 0, (where) => events.system(`B${log.length}`, where)),
  "a message in the middle was replaced": (log) =>
    replaced(log, Math.floor(Surface.size(log.surface) / 2), (where) => events.user(`B${log.length}`, where)),
  "other tools are there": ({ length }) => [events.requestHeader([`tool${length}`], "change")],
  "the same tools are logged again": () => [events.requestHeader(["read"], "series")]
}

describe("what a request costs", () => {
  it("all nodes are noted when all messages are read", () => {
    const seen = new Set<object>()
    assert.lengthOf(Surface.messages(watched(long(1_000).log, seen).surface), 1_001)
    assert.isAbove(seen.size, 1_000 / 32)
  })

  for (const [title, change] of Object.entries(changes)) {
    it(`does not depend on how many messages there are: ${title}`, () => {
      for (const count of [100, 3_000]) {
        const growing = long(count)
        const seen = new Set<object>()
        for (let i = 0; i < 4; i++) {
          growing.requests.add(watched(growing.log, seen))
          growing.add(...change(growing.log))
        }
        assert.lengthOf(growing.requests.all, 4)
        // Two surfaces in each of three comparisons, and in each at most three nodes from the root to one message.
        assert.isAtMost(seen.size, 3 * 2 * 3, String(count))
      }
    })
  }
})
