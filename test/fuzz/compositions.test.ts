import { describe, it } from "@effect/vitest"
import { deep, patience, runs } from "../support/runs.ts"
import { families } from "./support/big.ts"
import { type Input, input } from "./support/compositions.ts"
import { fuzz, smallerTexts } from "./support/Fuzz.ts"
import { hold } from "./support/promise.ts"
import { watched } from "./support/watchdog.ts"

/** Characters of the large inputs. */
const largest = deep ? 1_000_000 : 10_000

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
          accepted: 5,
          rendered: 5,
          refused: 40,
          mutated: 30,
          "broken bytes": 5,
          "opens files": 7,
          shapes: 10,
          soup: 10
        }
      })
    },
    patience
  )

  describe(`of ${largest} characters end`, () => {
    for (const { group, make, name } of families) {
      it(
        `${group}: ${name}`,
        () => void watched(() => hold({ family: group, content: make(largest), files: new Map() })),
        patience
      )
    }
  })
})
