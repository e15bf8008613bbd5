/** The page for users says what the list says. */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import { type Deviation, deviations, notCompared } from "./deviations.ts"

const page = fs.readFileSync(new URL("../../docs/differences.md", import.meta.url), "utf8")

const lines = (shown: Deviation["shown"]): ReadonlyArray<string> =>
  Object.entries<Deviation>(deviations).flatMap(([name, one]) =>
    one.shown === shown ? [`- **${name}**: ${one.why}`] : []
  )

/** The list under a heading. */
const listed = (heading: string): ReadonlyArray<string> =>
  (page.split(`## ${heading}\n`)[1] ?? "")
    .split("\n## ")[0]!
    .split("\n")
    .filter((line) => line.startsWith("- "))

describe("docs/differences.md", () => {
  it("names every deviation, and no other", () => {
    assert.deepStrictEqual(listed("Met by random programs"), lines("random"))
    assert.deepStrictEqual(listed("Shown by a program of their own"), lines("directed"))
    assert.deepStrictEqual(
      listed("Not compared"),
      Object.values(notCompared).map((why) => `- ${why}`)
    )
  })

  it("accounts for every row of the design", () => {
    const rows = [
      ...Object.values<Deviation>(deviations).map(({ row }) => row),
      ...Object.keys(notCompared).map(Number)
    ]
    const known = new Set(rows.filter((row) => row !== undefined))
    assert.deepStrictEqual(
      [...known].toSorted((a, b) => a - b),
      Array.from({ length: 23 }, (_, i) => i + 1)
    )
  })
})
