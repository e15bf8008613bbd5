import { assert, describe, it } from "@effect/vitest"
import type * as Event from "../../src/session/Event.ts"
import * as Position from "../../src/session/Position.ts"

const time = 5

const after = (...drafts: ReadonlyArray<Event.Draft>): Position.Position =>
  drafts
    .map((draft, seq): Event.Event => ({ ...draft, seq }))
    .reduce((self, event) => Position.step(self, event), Position.initial)

const turn = (turn: number): Event.Draft => ({ type: "turn/start", data: { turn } })
const step = (turn: number, step: number): Event.Draft => ({ type: "step/start", data: { turn, step } })
const stepEnd: Event.Draft = { type: "step/end", data: { turn: 1, step: 1 } }
const turnEnd: Event.Draft = { type: "turn/end", data: { turn: 1, reason: { kind: "completed" } } }

describe("Position", () => {
  for (const [what, drafts, position] of [
    ["nothing", [], { turn: 0, step: 0, isTurnOpen: false, isStepOpen: false }],
    ["a turn", [turn(1)], { turn: 1, step: 0, isTurnOpen: true, isStepOpen: false }],
    ["a step", [turn(1), step(1, 1)], { turn: 1, step: 1, isTurnOpen: true, isStepOpen: true }],
    ["its end", [turn(1), step(1, 1), stepEnd], { turn: 1, step: 1, isTurnOpen: true, isStepOpen: false }],
    ["the end of the turn", [turn(1), turnEnd], { turn: 1, step: 0, isTurnOpen: false, isStepOpen: false }],
    [
      "the end of a turn with an open step",
      [turn(1), step(1, 1), turnEnd],
      { turn: 1, step: 1, isTurnOpen: false, isStepOpen: false }
    ],
    [
      "another turn",
      [turn(1), step(1, 3), turnEnd, turn(2)],
      { turn: 2, step: 0, isTurnOpen: true, isStepOpen: false }
    ],
    [
      "a turn within one, as some logs have it",
      [turn(1), step(1, 3), turn(2)],
      { turn: 2, step: 0, isTurnOpen: true, isStepOpen: false }
    ],
    ["a step without a turn", [step(3, 2)], { turn: 3, step: 2, isTurnOpen: false, isStepOpen: true }],
    [
      "anything else",
      [turn(1), { type: "session/end-seed", data: {} }],
      { turn: 1, step: 0, isTurnOpen: true, isStepOpen: false }
    ]
  ] as const) {
    it(`after ${what}`, () => {
      assert.deepStrictEqual(after(...drafts), position)
      assert.isTrue(Object.isFrozen(after(...drafts)))
    })
  }

  it("closes the step that is open, and nothing else", () => {
    const open = after(turn(1), step(1, 2))
    assert.deepStrictEqual(Position.endStep(open, time), [{ type: "step/end", time, data: { turn: 1, step: 2 } }])
    for (const closed of [
      Position.initial,
      after(turn(1)),
      after(turn(1), step(1, 1), stepEnd),
      after(turn(1), turnEnd)
    ])
      assert.deepStrictEqual(Position.endStep(closed, time), [])
  })
})
