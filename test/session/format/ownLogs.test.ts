/** The logs of this repository tell one story in every format. */
import { assert, describe, it } from "@effect/vitest"
import { migrated } from "./support/look.ts"
import { own } from "./support/logs.ts"
import { normalise } from "./support/normalise.ts"
import { ownLogs } from "./support/ownLogs.ts"
import { plain } from "./support/story.ts"

describe("the logs of this repository", () => {
  it("are what their script writes", () => {
    assert.deepStrictEqual(
      own.map(([file]) => file),
      ownLogs.map(([file]) => file).toSorted()
    )
    for (const [file, text] of ownLogs) {
      const lines = own.find(([name]) => name === file)?.[1] ?? []
      assert.strictEqual(lines.map((line) => `${line}\n`).join(""), text, file)
    }
  })

  it("hold what migrations have to do with", () => {
    const kinds = own.flatMap(([, lines]) => migrated(lines).report.entries.map((entry) => entry.what.split(":")[0]))
    for (const kind of ["turn/end", "assistant/attempt", "session/end-seed", "goal/change", "acme/note", "llm/retry"]) {
      assert.include(kinds, kind)
    }
  })

  it("become the same log", () => {
    const current = own.find(([file]) => file === "session.v4.jsonl")?.[1] ?? []
    for (const [file, lines] of own) {
      if (file.startsWith("first-writers") || file === "session.v1.jsonl") continue
      assert.deepStrictEqual(normalise(migrated(lines), plain), normalise(migrated(current), plain), file)
    }
  })
})
