/**
 * Random logs. A program is a list of numbers; each takes what there is by then and makes one event of it, which mostly
 * keeps the rules and sometimes breaks one on purpose.
 */
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Event from "../../../src/session/Event.ts"
import type { Rule } from "../../../src/session/SessionError.ts"
import * as events from "./events.ts"
import * as Model from "./model.ts"

/** What one step is made from: which kind, which of what is there, and whether and how it is spoiled. */
const Step = Schema.Struct({
  kind: Schema.Literals([
    "user",
    "system",
    "system",
    "assistant",
    "toolResult",
    "snapshot",
    "header",
    "context",
    "developer",
    "logged",
    "opaque",
    "compact",
    "compact",
    "head",
    "prune",
    "refresh"
  ]),
  a: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999 })),
  b: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999 })),
  spoil: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 59 }))
})

export type Step = typeof Step.Type

export const programs: Arbitrary.Arbitrary<ReadonlyArray<Step>> = Arbitrary.array(Arbitrary.schema(Step), {
  minLength: 8,
  maxLength: 40
})

const pick = <A>(all: ReadonlyArray<A>, n: number): A | undefined => all[n % Math.max(1, all.length)]

const texts = ["", "v1", "v2", "v3"]

const seqsOf = (model: Model.Model, type: string) => model.nodes.filter((seq) => model.events[seq]?.type === type)

/** From the a-th to a later message, that at a protected head aside. */
const range = (model: Model.Model, a: number, b: number): ReadonlyArray<number> => {
  const isProtected = model.events[model.nodes[0] ?? -1]?.type === "system/message"
  const free = isProtected ? model.nodes.slice(1) : model.nodes
  const from = a % Math.max(1, free.length)
  return free.slice(from, from + 1 + (b % 4))
}

const sound = (model: Model.Model, { a, b, kind }: Step): object => {
  const text = pick(texts, a) ?? ""
  // As in most logs, so that there is a head to protect.
  if (model.nodes.length === 0 && b % 4 > 0) return events.system(text)
  switch (kind) {
    case "user":
      return events.user(
        text,
        b % 5 === 0 && model.events.length > 0 ? { sourceEventSeqs: [b % model.events.length] } : {}
      )
    case "system":
      return events.system(b % 9 === 0 ? [events.text("v"), events.text("1")] : text)
    case "assistant":
      return events.assistant(text)
    case "toolResult":
      return events.toolResult(text)
    case "snapshot":
      return b % 7 === 0 ? events.notice : events.snapshot(text)
    case "header":
      return events.requestHeader([["read"], ["read", "write"], []][a % 3] ?? [])
    case "context":
      return events.requestContext(text)
    case "developer": {
      const header = pick(model.events.filter(Event.is("request/header")), a)
      const tools = header?.data.header.tools?.map((tool) => tool.name) ?? []
      return events.developer(tools, header?.seq ?? 0)
    }
    case "logged":
      return b % 2 === 0 ? events.stepStart : events.toolCall
    case "opaque":
      return b % 2 === 0
        ? { type: "odd/fact", data: { a } }
        : { type: "odd/message", data: a, ignorable: true, surfaceOp: "append", sourceEventSeqs: [] }
    case "compact": {
      const seqs = range(model, a, b)
      return seqs.length === 0 ? events.user("none") : events.user("sum", events.replacing(...seqs))
    }
    case "head": {
      const seq = pick(seqsOf(model, "system/message"), a)
      return seq === undefined ? events.system(text) : events.system(text, events.replacing(seq))
    }
    case "prune": {
      const seq = pick(seqsOf(model, "tool/result"), a)
      return seq === undefined ? events.toolResult(text) : events.toolResult("", events.replacing(seq))
    }
    case "refresh": {
      const seqs = range(model, a, 0)
      return seqs.length === 0 ? events.snapshot(text) : events.snapshot(text, events.replacing(...seqs))
    }
  }
}

/** Takes something sound and breaks it, if this is possible with what there is. */
const spoilers: ReadonlyArray<(event: Model.Candidate, model: Model.Model, step: Step) => object> = [
  (event, _, { a }) => ({ ...event, seq: event.seq + 1 + (a % 3) }),
  (event, _, { a }) => ({ ...event, seq: Math.max(0, event.seq - 1 - (a % 3)) }),
  (event) => Object.fromEntries(Object.entries(event).filter(([key]) => key !== "surfaceOp")),
  (event) => ({ ...event, surfaceOp: "replace" }),
  (event) => ({ ...event, surfaceOp: { op: "replace", startSeq: 0, endSeq: 0, more: 1 } }),
  (event) => ({ ...event, sourceEventSeqs: [] }),
  (event) => ({ ...event, sourceEventSeqs: [event.seq] }),
  (event) => ({ ...event, sourceEventSeqs: [0, 0] }),
  (event, model, { a }) => ({ ...event, ...events.replacing((model.events.length * a) % (event.seq + 3)) }),
  (event, model) => ({ ...event, ...events.replacing(...model.nodes.slice(-2).toReversed()) }),
  (event, model, { a }) => ({ ...event, ...events.replacing(...model.nodes.slice(0, 1 + (a % 3))) }),
  (event, model, { a }) => ({
    ...event,
    ...events.replacing(...model.nodes.slice(1, 3 + (a % 2))),
    sourceEventSeqs: model.nodes.slice(2, 3)
  }),
  (event, model, { a }) => ({ ...events.toolResult("x", events.replacing(...range(model, a, a % 2))), seq: event.seq }),
  (event, model, { a }) => ({
    ...events.toolResult("x", events.replacing(pick(seqsOf(model, "tool/result"), a) ?? 0)),
    data: { ...events.toolResult("x").data, step: 2 },
    seq: event.seq
  }),
  (event, model, { a }) => ({ ...events.developer(["read", "none"], a % (model.events.length + 2)), seq: event.seq }),
  (event, model, { a }) => ({ ...events.developer(["write"], a % (model.events.length + 1)), seq: event.seq }),
  (event) => ({ type: "odd/message", data: null, surfaceOp: "append", seq: event.seq }),
  (event) => ({ ...events.stepEnd, surfaceOp: "append", seq: event.seq })
]

/** The event that a step makes of what there is. */
export const candidate = (model: Model.Model, step: Step): Model.Candidate => {
  const event = {
    seq: model.events.length,
    ...(sound(model, step) as { readonly type: string; readonly data: unknown })
  }
  const spoiler = spoilers[step.spoil]
  return spoiler === undefined ? event : (spoiler(event, model, step) as Model.Candidate)
}

/** What came of a step: the event that was accepted, or the rules that it broke. */
export interface Outcome {
  readonly step: Step
  readonly candidate: Model.Candidate
  readonly broken: ReadonlyArray<Rule>
  readonly model: Model.Model
}

/** Runs a program on the model alone: what it makes is checked by nothing else. */
export const run = (program: ReadonlyArray<Step>): ReadonlyArray<Outcome> => {
  let model = Model.empty
  return program.map((step) => {
    const made = candidate(model, step)
    const broken = Model.broken(model, made)
    if (broken.length === 0) model = Model.append(model, Result.getOrThrow(Event.fromUnknown(made)))
    return { step, candidate: made, broken, model }
  })
}

/** The events of random logs that keep all rules. */
export const logs: Arbitrary.Arbitrary<ReadonlyArray<Event.Event>> = Arbitrary.map(
  programs,
  (program) => run(program).at(-1)?.model.events ?? []
)
