/** Composition files, from whole ones to noise, with the files that they name. */
import type { Random } from "../../support/random.ts"
import { families } from "./big.ts"
import * as corpus from "./corpus.ts"
import { folder } from "./FakeFiles.ts"
import { mutated, mutatedBytes } from "./mutate.ts"
import { odd } from "./odd.ts"

type Bytes = string | Uint8Array

export interface Input {
  readonly family: string
  readonly content: Bytes
  readonly files: ReadonlyMap<string, Bytes>
}

const all = [...corpus.compositions, corpus.tools, corpus.guidance] as const

/** Pieces in a row. */
const soup = (random: Random, pieces: readonly [string, ...ReadonlyArray<string>], most: number): string =>
  Array.from({ length: random.below(most) }, () => random.pick(pieces)).join("")

const keys = [
  "preamble",
  "identity",
  "persona",
  "prefix",
  "suffix",
  "runtimeContext",
  "toolOrder",
  "sortToolKeys",
  "variables",
  "sections",
  "contexts",
  "tools",
  "scopes",
  "scope",
  "plugins",
  "silence",
  "parent",
  "name",
  "order",
  "text",
  "file",
  "env",
  "complete",
  "interpolate",
  "requires",
  "description",
  "parameters",
  "deferLoading",
  "suppressRuntimeContext",
  "warning",
  "at",
  "reason",
  "id",
  "config",
  "disabled",
  "group",
  "__proto__",
  "constructor",
  "a",
  "b",
  "TOOL_BASH",
  "global"
] as const

/** A value of any shape, of the words that a composition has. */
const value = (random: Random, depth: number): string => {
  const inner = () => value(random, depth - 1)
  switch (random.below(depth > 0 ? 8 : 3)) {
    case 0:
      return random.pick(odd.values)
    case 1:
      return random.pick(odd.paths)
    case 2:
      return random.pick(keys)
    case 3:
    case 4:
      return `[${Array.from({ length: random.below(4) }, inner).join(", ")}]`
    default:
      return `{ ${Array.from({ length: random.below(6) }, () => `${random.pick(keys)}: ${inner()}`).join(", ")} }`
  }
}

const shapes = (random: Random): string =>
  random.oneIn(4)
    ? Array.from({ length: random.below(5) }, () => `- ${value(random, 4)}`).join("\n")
    : Array.from({ length: random.below(8) }, () => `${random.pick(keys)}: ${value(random, 5)}`).join("\n")

const noise = (random: Random): Uint8Array => Uint8Array.from({ length: random.below(400) }, () => random.below(256))

const units = (random: Random): string =>
  String.fromCharCode(...Array.from({ length: random.below(200) }, () => random.below(0x10000)))

/** A composition that is right but for a file that it names, in one place or in all. */
const references = (random: Random): string => {
  const text = random.pick([corpus.inventory, corpus.inventory, random.pick(corpus.compositions)])
  const all = random.oneIn(2)
  return text.replaceAll(/(?<=file: )[\w./-]+/g, (name) => (all || random.oneIn(2) ? random.pick(odd.paths) : name))
}

const braces = ["{{x}}", "{{model}}", "{{user}}", "{{", "}}", "{{ X }}", "{", "}}}}", "{{}}"] as const

/** A composition that is right, with braces in its texts instead of some words. */
const braced = (random: Random): string =>
  random
    .pick(corpus.compositions)
    .replaceAll(/(?<=[a-z] )[a-z]{2,}(?= [a-z])/g, (word) => (random.oneIn(8) ? random.pick(braces) : word))

const contentOf = (random: Random, largest: number): readonly [family: string, content: Bytes] => {
  switch (random.below(20)) {
    case 0:
      return ["bytes", noise(random)]
    case 1:
      return ["units", units(random)]
    case 2:
    case 3:
      return ["soup", soup(random, odd.tokens, 40)]
    case 4:
      return ["soup", soup(random, odd.lines, 20)]
    case 5:
    case 6:
    case 7:
      return ["shapes", shapes(random)]
    case 8:
    case 9:
      return ["broken bytes", mutatedBytes(random.pick(corpus.compositions), random)]
    case 10:
      return ["references", references(random)]
    case 11:
      return ["braced", braced(random)]
    case 12: {
      const { group, make } = random.pick(families)
      const text = make(random.pick([10, 100, 1_000, 10_000, random.oneIn(20) ? largest : 2_000]))
      return [group, random.oneIn(2) ? text : mutated(text, all, random)]
    }
    default:
      return ["mutated", mutated(random.oneIn(3) ? corpus.inventory : random.pick(corpus.compositions), all, random)]
  }
}

/** Of at most about `largest` bytes; most are small. */
export const input = (random: Random, largest: number): Input => {
  const [family, content] = contentOf(random, largest)
  const tools = random.oneIn(2) ? corpus.tools : mutated(corpus.tools, all, random)
  const guidance = random.oneIn(2) ? corpus.guidance : mutatedBytes(corpus.guidance, random)
  const files = new Map<string, Bytes>([
    [`${folder}/tools.json`, tools],
    [`${folder}/guidance/bash.md`, guidance],
    [`${folder}/guidance/read.md`, corpus.guidance],
    [`${folder}/guidance/edit.md`, mutated(corpus.guidance, all, random)],
    [`${folder}/guidance/plan.md`, corpus.guidance],
    [`${folder}/agent.yaml`, content],
    [`${folder}/broken.bin`, noise(random)],
    [`${folder}/世.md`, corpus.guidance],
    ["/etc/passwd", "root"]
  ])
  return { family, content, files }
}
