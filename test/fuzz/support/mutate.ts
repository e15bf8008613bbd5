/** Damages texts and bytes in the ways that editors, merges and transports do, and in ways that nobody does. */
import type { Random } from "../../support/random.ts"
import { odd } from "./odd.ts"

type Mutation = (text: string, random: Random) => string

const at = (text: string, random: Random): number => random.below(text.length + 1)

const insert = (text: string, index: number, what: string): string => text.slice(0, index) + what + text.slice(index)

const onLines =
  (change: (lines: Array<string>, i: number, random: Random) => void): Mutation =>
  (text, random) => {
    const lines = text.split("\n")
    change(lines, random.below(lines.length), random)
    return lines.join("\n")
  }

const slice = (text: string, random: Random, most: number): string => {
  const start = at(text, random)
  return text.slice(start, start + 1 + random.below(most))
}

const replaced =
  (pattern: RegExp, values: readonly [string, ...ReadonlyArray<string>]): Mutation =>
  (text, random) => {
    const all = [...text.matchAll(pattern)]
    const one = all[random.below(all.length)]
    if (one === undefined) return insert(text, at(text, random), random.pick(values))
    return text.slice(0, one.index) + random.pick(values) + text.slice(one.index + one[0].length)
  }

const mutationsWith = (
  others: readonly [string, ...ReadonlyArray<string>]
): readonly [Mutation, ...ReadonlyArray<Mutation>] => [
  (text, random) => insert(text, at(text, random), random.pick(odd.tokens)),
  (text, random) => {
    const index = at(text, random)
    return text.slice(0, index) + random.pick(odd.tokens) + text.slice(index + 1)
  },
  (text, random) => {
    const index = at(text, random)
    return text.slice(0, index) + String.fromCharCode(random.below(0x10000)) + text.slice(index + 1)
  },
  (text, random) => {
    const index = at(text, random)
    return text.slice(0, index) + text.slice(index + 1 + random.below(20))
  },
  (text, random) => insert(text, at(text, random), slice(text, random, 200)),
  (text, random) => insert(text, at(text, random), slice(random.pick(others), random, 400)),
  onLines((lines, i) => lines.splice(i, 1)),
  onLines((lines, i) => lines.splice(i, 0, lines[i] ?? "")),
  onLines((lines, i, random) => {
    const j = random.below(lines.length)
    ;[lines[i], lines[j]] = [lines[j] ?? "", lines[i] ?? ""]
  }),
  onLines((lines, i, random) => {
    const line = lines[i] ?? ""
    lines[i] = random.pick([
      ` ${line}`,
      `    ${line}`,
      line.trimStart(),
      line.slice(1),
      `\t${line}`,
      line.replace(/^ /, "\t")
    ])
  }),
  onLines((lines, i, random) => lines.splice(i, 0, random.pick(odd.lines))),
  onLines((lines, i, random) => lines.splice(i, 0, ...random.pick(others).split("\n").slice(random.below(10), 10))),
  replaced(/(?<=[:[,] )-?\d[\d.]*/g, odd.numbers),
  replaced(/(?<=file: )[\w./-]+/g, odd.paths),
  replaced(/(?<=[:[,] )[\w"<>-]+/g, odd.values),
  (text) => text.replaceAll("\n", "\r\n"),
  (text) => `\ufeff${text}`,
  (text, random) => text.slice(0, at(text, random))
]

/** The text, damaged once or several times, with pieces of other texts. */
export const mutated = (text: string, others: readonly [string, ...ReadonlyArray<string>], random: Random): string => {
  const mutations = mutationsWith(others)
  let result = text
  for (let left = 1 + random.below(random.pick([1, 3, 10])); left > 0; left--)
    result = random.pick(mutations)(result, random)
  return result
}

/** Bytes that are UTF-8 no more, mostly. */
export const mutatedBytes = (text: string, random: Random): Uint8Array => {
  const bytes = new TextEncoder().encode(text)
  for (let left = 1 + random.below(4); left > 0 && bytes.length > 0; left--) {
    const i = random.below(bytes.length)
    bytes[i] = random.oneIn(2) ? (bytes[i] ?? 0) ^ (1 << random.below(8)) : random.below(256)
  }
  return random.oneIn(3) ? bytes.subarray(0, random.below(bytes.length + 1)) : bytes
}
