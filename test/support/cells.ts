/** Texts that terminals find hard: wide and zero-width characters, emoji of many code points, control characters. */
import { Arbitrary, Schema } from "effect"

/** Each is one grapheme with the cells that it takes, by what the standards say and terminals do. */
export const graphemes: ReadonlyArray<readonly [grapheme: string, cells: number]> = [
  ["a", 1],
  [" ", 1],
  ["é", 1],
  ["e\u0301", 1],
  ["ж", 1],
  ["中", 2],
  ["。", 2],
  ["ｘ", 2],
  ["ｶ", 1],
  ["ｶ\uff9e", 2],
  ["한", 2],
  ["\u1112\u1161\u11ab", 2],
  ["नि", 1],
  ["…", 1],
  ["→", 1],
  ["🚀", 2],
  ["👍🏽", 2],
  ["👨‍👩‍👧‍👦", 2],
  ["🇩🇪", 2],
  ["1️⃣", 2],
  ["⚠️", 2],
  ["𠀀", 2],
  ["𗀀", 2]
]

/** What must not reach a terminal as it is. */
export const unseen = ["\u0000", "\t", "\n", "\r", "\u001b", "\u007f", "\u009b", "\u200b", "\u202e", "\u2028", "\ud800"]

const piece = Arbitrary.schema(Schema.Literals([...graphemes.map(([grapheme]) => grapheme), "\u001b[31m", ...unseen]))

export const text = (maxLength: number): Arbitrary.Arbitrary<string> =>
  Arbitrary.map(Arbitrary.array(piece, { maxLength }), (pieces) => pieces.join(""))
