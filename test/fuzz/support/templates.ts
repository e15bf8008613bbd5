/** Template texts with braces where they hurt, and values for some of their variables. */
import type { Random } from "../../support/random.ts"
import * as corpus from "./corpus.ts"
import { mutated } from "./mutate.ts"

export interface Input {
  readonly text: string
  readonly values: ReadonlyMap<string, string | undefined>
}

const pieces = [
  "{",
  "}",
  "{{",
  "}}",
  "{{{",
  "}}}",
  "{{a}}",
  "{{b}}",
  "{{ a }}",
  "{{A}}",
  "{{a",
  "a}}",
  "{{}}",
  "{{to_string}}",
  "{{constructor}}",
  "{{__proto__}}",
  "{{a.b}}",
  "{{#if a}}",
  "{{0}}",
  "a",
  "_",
  " ",
  "\n",
  "\r\n",
  "\r",
  "\u2028",
  "\0",
  "\ud83d",
  "\ude00",
  "😀",
  "\ufeff",
  "text "
] as const

const soup = (random: Random, most: number): string =>
  Array.from({ length: random.below(most) }, () => random.pick(pieces)).join("")

/** One or two pieces over and over. */
const repeated = (random: Random, largest: number): string => {
  const piece = soup(random, 4)
  const size = random.pick([100, 1_000, 10_000, random.oneIn(40) ? largest : 3_000])
  return soup(random, 3) + piece.repeat(Math.floor(size / (piece.length + 1))) + soup(random, 3)
}

const textOf = (random: Random, largest: number): string => {
  switch (random.below(6)) {
    case 0:
      return mutated(corpus.guidance, [corpus.guidance, "{{a}} {{b}}", "{{ {{a}} }}"], random)
    case 1:
    case 2:
      return repeated(random, largest)
    case 3:
      return soup(random, 400)
    default:
      return soup(random, 20)
  }
}

const valuesOf = (random: Random): ReadonlyMap<string, string | undefined> => {
  const values = new Map<string, string | undefined>()
  for (const name of ["a", "b", "to_string", "constructor"]) {
    if (!random.oneIn(5)) values.set(name, random.oneIn(6) ? undefined : random.pick(["", "x", "{{a}}", "}}", "😀\n"]))
  }
  if (random.oneIn(50)) for (let i = 0; i < 300; i++) values.set(`v${i}`, "x")
  return values
}

export const input = (random: Random, largest: number): Input => ({
  text: textOf(random, largest),
  values: valuesOf(random)
})
