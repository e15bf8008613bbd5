/** What holds of every log of an older format, whatever happened in it. */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { FormatError } from "../../../src/session/format/FormatError.ts"
import { check, Tally } from "../../support/check.ts"
import { patience, runs } from "../../support/runs.ts"
import { damage, damages } from "./support/damage.ts"
import { normalise } from "./support/normalise.ts"
import { anonymous, eventsOf, requestsOf } from "./support/oracle.ts"
import { referencesOf } from "./support/referencesOf.ts"
import { migrate, type Migrated } from "./support/run.ts"
import { plain, story, style } from "./support/story.ts"
import { write } from "./support/writer.ts"

const older = Arbitrary.schema(Schema.Literals([0, 1, 2, 3]))

const linesOf = ({ events, header }: Migrated) => [header, ...events].map((row) => JSON.stringify(row))

/** What a migration did, in short. */
const deeds = ({ report }: Migrated): ReadonlyArray<string> =>
  report.entries.map(({ action, edge, what }) => `${edge ?? ""} ${action} ${what.split(/[ :]/)[0]}`)

describe("a log of an older format", () => {
  it.effect(
    "becomes the log that a writer of the current format would have written",
    () => {
      const tally = new Tally()
      return Effect.map(
        check(
          Arbitrary.all({ story, style, version: older }),
          ({ story, style, version }) =>
            Effect.gen(function* () {
              const expected = yield* Effect.fromResult(migrate(write(4, style, story)))
              const migrated = yield* Effect.fromResult(migrate(write(version, style, story)))
              assert.deepStrictEqual(normalise(migrated, style), normalise(expected, style))
              tally.count(`from ${version}`, ...deeds(migrated))
            }),
          { runs: runs(150, 5000), seed: 7 }
        ),
        () =>
          tally.assertShares("migrations", {
            "from 0": 15,
            "from 1": 15,
            "from 2": 15,
            "from 3": 15,
            " opaque acme/note": 10,
            "0→1 renamed compact/summary": 1,
            "0→1 renamed steering/message": 1,
            "0→1 rewritten tool/result": 1,
            "1→2 inserted assistant/attempt": 8,
            "1→2 inserted goal/change": 8,
            "1→2 inserted session/end-seed": 4,
            "1→2 inserted turn/end": 2,
            "1→2 remapped compaction/summary": 4,
            "1→2 remapped tool/result": 5,
            "2→3 inserted system/message": 25,
            "2→3 remapped session/title": 8,
            "2→3 remapped user/message": 8,
            "3→4 inserted turn/end": 2,
            "3→4 rewritten tool/result": 15
          })
      )
    },
    patience
  )

  it.effect(
    "[300] asks for the same before and after, and is whole and current then",
    () => {
      const tally = new Tally()
      return Effect.map(
        check(
          Arbitrary.all({ story, style, version: older }),
          ({ story, style, version }) =>
            Effect.gen(function* () {
              const source = write(version, style, story)
              const migrated = yield* Effect.fromResult(migrate(source))
              const lines = linesOf(migrated)
              const same =
                version === 0 && style.legacy ? anonymous : (requests: ReturnType<typeof requestsOf>) => requests
              const before = requestsOf(source)
              assert.deepStrictEqual(same(requestsOf(lines)), same(before))
              tally.count(
                before.some(({ messages, prompt }) => messages.length > 2 && prompt !== "") ? "long" : "short"
              )
              // Migrating is deterministic, and what is current stays as it is.
              assert.deepStrictEqual(linesOf(yield* Effect.fromResult(migrate(source))), lines)
              assert.deepStrictEqual(linesOf(yield* Effect.fromResult(migrate(lines))), lines)
            }),
          { runs: runs(50, 3000), seed: 8 }
        ),
        () => tally.assertShares("requests", { long: 25 })
      )
    },
    patience
  )

  it.effect(
    "[292] refers to what it referred to",
    () => {
      const tally = new Tally()
      return Effect.map(
        check(
          Arbitrary.all({ story, style, version: older }),
          ({ story, style, version }) =>
            Effect.gen(function* () {
              const source = write(version, style, story)
              const migrated = yield* Effect.fromResult(migrate(source))
              const before = referencesOf(eventsOf(source))
              const after = referencesOf(eventsOf(linesOf(migrated)))
              for (const [event, references] of before) assert.deepStrictEqual(after.get(event), references, event)
              tally.count(before.size > 2 ? "many" : "few")
            }),
          { runs: runs(50, 3000), seed: 9 }
        ),
        () => tally.assertShares("references", { many: 30 })
      )
    },
    patience
  )

  it.effect(
    "is the same with its pieces packed or one by one",
    () =>
      check(
        Arbitrary.all({ story, version: Arbitrary.schema(Schema.Literals([0, 1])) }),
        ({ story, version }) =>
          Effect.gen(function* () {
            const packed = yield* Effect.fromResult(migrate(write(version, plain, story)))
            const loose = yield* Effect.fromResult(migrate(write(version, { ...plain, packs: false }, story)))
            assert.deepStrictEqual(linesOf(loose), linesOf(packed))
          }),
        { runs: runs(25, 1000), seed: 10 }
      ),
    patience
  )
})

describe("a damaged log", () => {
  it.effect(
    "migrates or is refused with a place, and throws nothing",
    () => {
      const tally = new Tally()
      const formats = Arbitrary.schema(Schema.Literals([0, 1, 2, 3, 4]))
      const isError = Schema.is(FormatError)
      return Effect.map(
        check(
          Arbitrary.all({
            seed: Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 31 }))),
            story,
            style,
            version: formats
          }),
          ({ seed, story, style, version }) =>
            Effect.sync(() => {
              const [kind, lines] = damage(write(version, style, story), seed)
              const outcome = migrate(lines, { file: "damaged.jsonl" })
              tally.count(kind, Result.isSuccess(outcome) ? "migrated" : outcome.failure._tag)
              if (Result.isSuccess(outcome)) {
                assert.isTrue(Result.isSuccess(migrate(linesOf(outcome.success))))
                return
              }
              const error = outcome.failure
              assert.isTrue(isError(error))
              assert.isAtLeast(error.line, 1)
              assert.isAtMost(error.line, Math.max(1, lines.length))
              assert.include(error.message, `"damaged.jsonl", line ${error.line}`)
            }),
          { runs: runs(250, 10_000), seed: 11 }
        ),
        () =>
          tally.assertShares("damage", {
            ...Object.fromEntries(damages.map(([kind]) => [kind, 5])),
            migrated: 20,
            InvalidLog: 20,
            MigrationFailure: 5,
            UnsupportedFormat: 1
          })
      )
    },
    patience
  )
})
