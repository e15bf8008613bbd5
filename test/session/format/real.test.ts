/** Logs that another system wrote: they load, and every request in them stays what it was. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { entriesOf } from "../../../src/session/format/MigrationReport.ts"
import * as SessionLog from "../../../src/session/SessionLog.ts"
import { real } from "./support/logs.ts"
import { requestsOf } from "./support/oracle.ts"
import { migrate } from "./support/run.ts"

/** What in them nobody here knows; it is carried along unread. */
const opaque: Readonly<Record<string, ReadonlyArray<string>>> = {
  "account-signout.v4.jsonl": ["permission/preset", "sandbox/mode", "approval/policy"],
  "hook-cc-posttool-context.v0.jsonl": ["hook/invoked", "hook/result"],
  "packed-chunks.v0.jsonl": ["hook/invoked", "hook/result"],
  "subagent-report.child.v0.jsonl": ["subagent/descriptor", "approval/policy"],
  "text-turn.v3.jsonl": ["permission/preset", "sandbox/mode", "approval/policy"]
}

describe("real logs (skipped where ../shared/fixtures is absent)", () => {
  if (real.length === 0) it("are absent", (context) => context.skip("../shared/fixtures/dsh-logs is absent"))

  for (const [file, source] of real) {
    it.effect(`[282, 285, 300, 301] ${file}`, () =>
      Effect.gen(function* () {
        const before = [...source]
        const { events, header, report } = yield* Effect.fromResult(migrate(source, { file }))
        assert.deepStrictEqual(source, before)
        assert.strictEqual(header.version, 4)
        assert.strictEqual(report.eventsWritten, events.length)
        assert.deepStrictEqual(
          entriesOf(report, "opaque").map((entry) => entry.what),
          opaque[file] ?? []
        )

        // Each request, byte for byte.
        const lines = [header, ...events].map((row) => JSON.stringify(row))
        const asked = requestsOf(source)
        assert.deepStrictEqual(requestsOf(lines), asked)
        if (file.includes(".v0.") && source.length > 1) {
          const prompts = asked.filter((request) => request.at === "request/header").map((request) => request.prompt)
          assert.isTrue(prompts.length > 0 && prompts.every((prompt) => prompt.startsWith("You are an AI agent")))
        }

        // Whole, by the code that appends.
        const log = yield* Effect.fromResult(SessionLog.fromEvents(header, events))
        assert.strictEqual(log.length, events.length)

        // What was migrated is current, and stays as it is.
        const again = yield* Effect.fromResult(migrate(lines, { file }))
        assert.deepStrictEqual(again.events, events)
        assert.deepStrictEqual(again.header, header)
        assert.isFalse(again.report.renumbered)
        assert.deepStrictEqual(
          again.report.entries.filter((entry) => entry.action !== "opaque"),
          []
        )
      })
    )
  }
})
