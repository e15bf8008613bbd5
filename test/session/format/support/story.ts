/** What happens in a session, whatever the format in which it is written down. */
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const Step = Schema.Struct({
  /** Which prompt a header carries; -1: no header is logged. */
  prompt: between(-1, 4),
  users: between(0, 2),
  /** Answers that failed before one did not. */
  failures: between(0, 2),
  /** Pieces of text in an answer. */
  pieces: between(0, 4),
  answers: Schema.Boolean,
  tools: between(0, 2),
  /** Whether the latest result is shortened afterwards. */
  prunes: Schema.Boolean,
  /** How many messages a summary replaces afterwards; with fewer than two there is no compaction. */
  compacts: between(0, 6),
  titles: Schema.Boolean,
  goals: Schema.Boolean,
  /** Whether old names of code mode occur. */
  codes: Schema.Boolean,
  /** Whether an event occurs that nobody knows, and that looks as if it referred to others. */
  unknown: Schema.Boolean,
  commands: Schema.Boolean
})

export type Step = typeof Step.Type

export interface Turn {
  readonly steps: ReadonlyArray<Step>
  readonly end: "completed" | "aborted" | "error" | "interrupted"
  readonly steers: boolean
}

/** `seed`: how many of the turns were another session's; 0: the session has no seed. */
export interface Story {
  readonly turns: ReadonlyArray<Turn>
  readonly seed: number
}

const turn: Arbitrary.Arbitrary<Turn> = Arbitrary.all({
  steps: Arbitrary.array(Arbitrary.schema(Step), { maxLength: 3 }),
  end: Arbitrary.schema(Schema.Literals(["completed", "aborted", "error", "interrupted"])),
  steers: Arbitrary.schema(Schema.Boolean)
})

export const story: Arbitrary.Arbitrary<Story> = Arbitrary.all({
  turns: Arbitrary.array(turn, { maxLength: 4 }),
  seed: Arbitrary.schema(between(0, 2))
})

/** How the writers of a format wrote, where they had a choice. */
export interface Style {
  /** The shapes of the first writers of format 0. Later formats hold what those became. */
  readonly legacy: boolean
  /** Pieces of answers in packed rows. */
  readonly packs: boolean
  /** Citations as ranges. */
  readonly ranges: boolean
  /** No event says its number. */
  readonly unnumbered: boolean
  /** The end of a seed has an event of its own in the formats 0 and 1, too. */
  readonly marks: boolean
}

export const style: Arbitrary.Arbitrary<Style> = Arbitrary.schema(
  Schema.Struct({
    legacy: Schema.Boolean,
    packs: Schema.Boolean,
    ranges: Schema.Boolean,
    unnumbered: Schema.Boolean,
    marks: Schema.Boolean
  })
)

export const plain: Style = { legacy: false, packs: true, ranges: false, unnumbered: false, marks: false }
