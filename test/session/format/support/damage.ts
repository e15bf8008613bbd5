/** Does to a log what a bad disk, a bad editor or a bad program does. */
import type { Json } from "effect/Schema"
import { isArray, isObject } from "../../../../src/session/format/plain.ts"
import { type Random, seeded } from "../../../support/random.ts"

const values: readonly [string, ...ReadonlyArray<string>] = [
  "null",
  "true",
  "-1",
  "-0",
  "0",
  "3",
  "1e999",
  "0.5",
  "9007199254740993",
  '""',
  '"append"',
  '"__proto__"',
  "[]",
  "[[0,2]]",
  "[-1]",
  "{}",
  '{"__proto__":{"system":"x"}}',
  '{"type":"tool-result"}'
]

/** The places in a value that something can be written to. */
const places = (value: Json, path: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> => {
  const inner = isArray(value)
    ? value.map((one, index) => [String(index), one] as const)
    : isObject(value)
      ? Object.entries(value)
      : []
  return [path, ...inner.flatMap(([key, one]) => places(one, [...path, key]))]
}

const change = (value: Json, path: ReadonlyArray<string>, f: (value: Json) => Json | undefined): Json | undefined => {
  const [key, ...rest] = path
  if (key === undefined) return f(value)
  if (isArray(value))
    return value.flatMap((one, index) => (String(index) === key ? (change(one, rest, f) ?? []) : [one]))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => {
      const changed = name === key ? change(one, rest, f) : one
      return changed === undefined ? [] : [[name, changed]]
    })
  )
}

const marker = "…here…"

const damageLine = (line: string, random: Random): string => {
  const value: Json = JSON.parse(line)
  const all = places(value)
  const path = all[random.below(all.length)] ?? []
  if (random.oneIn(3)) return JSON.stringify(change(value, path, () => undefined) ?? null)
  return JSON.stringify(change(value, path, () => marker)).replace(JSON.stringify(marker), random.pick(values))
}

/** What can happen, and to how much of it. */
export const damages: ReadonlyArray<
  readonly [kind: string, (lines: ReadonlyArray<string>, at: number, random: Random) => ReadonlyArray<string>]
> = [
  [
    "a line cut off",
    (lines, at, random) => lines.map((line, i) => (i === at ? line.slice(0, random.below(line.length)) : line))
  ],
  ["the end cut off", (lines, at) => lines.slice(0, at + 1)],
  ["a line missing", (lines, at) => lines.filter((_, i) => i !== at)],
  ["a line twice", (lines, at) => lines.flatMap((line, i) => (i === at ? [line, line] : [line]))],
  [
    "two lines exchanged",
    (lines, at) =>
      lines.map((line, i) => (i === at ? (lines[i + 1] ?? line) : i === at + 1 ? (lines[at] ?? line) : line))
  ],
  ["a value changed", (lines, at, random) => lines.map((line, i) => (i === at ? damageLine(line, random) : line))],
  [
    "another version",
    (lines, _, random) =>
      lines.map((line, i) => (i === 0 ? line.replace(/"version":\d/, `"version":${random.below(6)}`) : line))
  ]
]

/** A damaged log and what was done to it; which, and where, a seed decides. */
export const damage = (
  lines: ReadonlyArray<string>,
  seed: number
): readonly [kind: string, lines: ReadonlyArray<string>] => {
  const random = seeded(seed)
  const [kind, apply] = damages[random.below(damages.length)] ?? ["", (all: ReadonlyArray<string>) => all]
  return [kind, apply(lines, random.below(lines.length), random)]
}
