import { assert, describe, it } from "@effect/vitest"
import { deep, patience, runs } from "../support/runs.ts"
import { families } from "./support/big.ts"
import { type Input, input } from "./support/compositions.ts"
import { guidance, tools } from "./support/corpus.ts"
import { folder } from "./support/FakeFiles.ts"
import { fuzz, smallerTexts } from "./support/Fuzz.ts"
import { odd } from "./support/odd.ts"
import { hold } from "./support/promise.ts"
import { watched } from "./support/watchdog.ts"

/** Characters of the large inputs. */
const largest = deep ? 400_000 : 5_000

const shown = ({ content, family, files }: Input) => ({
  family,
  content: typeof content === "string" ? content : { bytes: [...content] },
  files: Object.fromEntries(
    [...files].filter(([name]) => !name.endsWith(".yaml")).map(([name, bytes]) => [name, String(bytes)])
  )
})

function* smaller(one: Input): Iterable<Input> {
  const none: Input["files"] = new Map()
  if (one.files.size > 0) yield { ...one, files: none }
  if (typeof one.content === "string") {
    for (const content of smallerTexts(one.content)) yield { ...one, content }
    return
  }
  const latin1 = Buffer.from(one.content).toString("latin1")
  for (const text of smallerTexts(latin1)) yield { ...one, content: Buffer.from(text, "latin1") }
}

/** Milliseconds of processor time. */
const cpu = (body: () => void): number => {
  const before = process.cpuUsage()
  body()
  const { system, user } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** Places where a composition can have any value. */
const slots: Readonly<Record<string, (value: string) => string>> = {
  "alone in the file": (value) => value,
  "as a row of a preset": (value) => `- ${value}\n- { name: "@deepseek-ai/dsh-persona", config: ${value} }`,
  "in a preset": (value) =>
    `- { name: "@deepseek-ai/dsh-system-prompt", config: { toolOrder: ${value}, persona: ${value} } }`,
  "as a setting": (value) => `identity: ${value}\ntoolOrder: ${value}\nscope: ${value}`,
  "as a variable": (value) => `variables: { x: ${value} }\nsections: [{ name: s, order: 0, text: "{{x}}" }]`,
  "as a text": (value) => `sections:\n  - name: s\n    order: 0\n    text: ${value}`,
  "as the file of a text": (value) => `sections:\n  - name: s\n    order: 0\n    text: { file: ${value} }`,
  "as a file of tools": (value) => `tools:\n  - { file: ${value} }`,
  "in a tool": (value) => `tools:\n  - { name: t, description: d, parameters: { type: object, default: ${value} } }`,
  "as a restriction": (value) =>
    `tools: [{ name: t, description: d, parameters: { type: object } }]\nscopes: { a: { restrict: ${value} }, b: { restrict: { allow: ${value} } }, c: { restrict: { deny: [t, ${value}] } } }\nrestrict: ${value}`,
  "as an order": (value) => `contexts:\n  - { name: c, order: ${value}, text: c }`,
  "as a name": (value) => `sections:\n  - { name: ${value}, order: 0, text: c }\nscopes: { ? ${value} : {} }`,
  "as a list": (value) => `sections: ${value}\ncontexts: ${value}\ntools: ${value}\nsilence: ${value}`,
  "as a plugin": (value) => `plugins: [${value}]`
}

describe("composition files", () => {
  it(
    "are used or refused with places, whatever is in them",
    () => {
      fuzz({
        title: "compositions",
        seed: 6,
        runs: runs(300, 20_000),
        input: (random) => input(random, largest),
        property: hold,
        smaller,
        show: shown,
        least: {
          accepted: 8,
          rendered: 5,
          refused: 40,
          mutated: 30,
          "broken bytes": 5,
          braced: 2,
          "opens files": 7,
          shapes: 10,
          soup: 10
        }
      })
    },
    patience
  )

  // One odd thing at a time: what it does shows only where nothing else is wrong.
  for (const [number, [slot, make]] of Object.entries(slots).entries()) {
    it(`bear each odd thing ${slot}`, () => {
      for (const [i, value] of [...odd.paths, ...odd.values].entries()) {
        // In every test run each is somewhere, and names of files where files are named.
        if (!deep && i % 4 !== number % 4 && !(i < odd.paths.length && slot.includes("file"))) continue
        const content = make(value)
        const files: Input["files"] = new Map([
          [`${folder}/tools.json`, tools],
          [`${folder}/guidance/bash.md`, guidance]
        ])
        try {
          watched(() => hold({ family: slot, content, files }))
        } catch (error) {
          assert.fail(`${JSON.stringify(content)}: ${String(error)}`)
        }
      }
    })
  }

  describe(`of ${largest} characters end`, () => {
    const growth: Array<readonly [factor: number, name: string]> = []
    for (const { group, make, name } of families) {
      const spent = (size: number) =>
        cpu(() => watched(() => hold({ family: group, content: make(size), files: new Map() })))
      it(
        `${group}: ${name}`,
        () => {
          const quarter = deep ? spent(largest / 4) : 1
          growth.push([spent(largest) / quarter, name])
        },
        patience
      )
    }
    // Printed and not asserted: time is no property. 4 is linear, 16 is quadratic.
    it.runIf(deep)("and take longer by what they are longer", () => {
      const worst = growth.toSorted(([a], [b]) => b - a).slice(0, 8)
      console.log(
        `four times the size, so many times the time: ${worst.map(([factor, name]) => `${name} ${factor.toFixed(1)}`).join(", ")}`
      )
    })
  })
})
