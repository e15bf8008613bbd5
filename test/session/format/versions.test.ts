/** Which format a log has, and which steps lead from there. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Catalogue from "../../../src/session/format/Catalogue.ts"
import type { Edge } from "../../../src/session/format/Edge.ts"
import { UnsupportedFormat } from "../../../src/session/format/FormatError.ts"
import * as FormatVersion from "../../../src/session/format/FormatVersion.ts"
import { own } from "./support/logs.ts"
import { invalid, migrated } from "./support/look.ts"
import { append, log, step, stepEnd } from "./support/rows.ts"
import { migrate } from "./support/run.ts"

const nowhere: Edge = {
  from: 0,
  to: 1,
  header: () => assert.fail("a header was migrated"),
  open: () => assert.fail("a stage was opened")
}

describe("which format a log has", () => {
  it("[282] a log of the current format goes through no step and comes out as it is", () => {
    const lines = log(4, [...step, stepEnd, ["acme/note", { any: [1] }]])
    const edges = [0, 1, 2, 3].map((from) => ({ ...nowhere, from, to: from + 1 }))
    const catalogue = Result.getOrThrow(Catalogue.make(edges))
    const { events, report } = Result.getOrThrow(migrate(lines, { catalogue }))
    assert.deepStrictEqual(
      events.map((event) => JSON.stringify(event)),
      lines.slice(1)
    )
    assert.deepInclude(report, { from: 4, to: 4, renumbered: false, eventsRead: 4, eventsWritten: 4, lines: 5 })
  })

  it("[283] a newer one is refused, with both numbers and the file", () => {
    const error = Result.getOrThrow(Result.flip(migrate(log(5, step), { file: "a.jsonl" })))
    assert.instanceOf(error, UnsupportedFormat)
    assert.deepInclude(error, { file: "a.jsonl", line: 1, version: 5, current: 4 })
    for (const word of ["5", "4", "a.jsonl"]) assert.include(error.message, word)
  })

  it("[BC-016] the version decides, and is never read with good will", () => {
    const judged = [{ version: 5 }, { version: "4" }, { version: 4.5 }, { version: -1 }, {}].map((part) =>
      Result.getOrThrow(Result.flip(migrate([JSON.stringify({ type: "session", ...part })], { file: "a.jsonl" })))
    )
    assert.deepStrictEqual(
      judged.map((error) => error._tag),
      ["UnsupportedFormat", "InvalidLog", "InvalidLog", "InvalidLog", "InvalidLog"]
    )
    const musts = [["5", "4", "a.jsonl"], ["version"], ["4.5"], ["-1"], ["missing"]]
    judged.forEach((error, index) => musts[index]?.forEach((must) => assert.include(error.message, must)))
  })

  it("says little of what is long, whatever it is", () => {
    const long = "x".repeat(100_000)
    const logs = [
      [JSON.stringify({ type: long })],
      [JSON.stringify({ type: "session", version: long })],
      log(4, [["acme/note", {}, { seq: long }]]),
      log(4, [[long, {}, append]]),
      log(3, [[long, {}, append]]),
      log(1, [["assistant/chunk", { turn: 1, step: 1, chunk: {}, [long]: 1 }]])
    ]
    for (const lines of logs) {
      const { message } = Result.getOrThrow(Result.flip(migrate(lines, { file: "a.jsonl" })))
      assert.isBelow(message.length, 700)
      assert.match(message, /xxx.*correct a copy/u)
    }
  })

  it("[284] without a version, or with something else for one, it is malformed", () => {
    const session = { type: "session", id: "s" }
    const headers = [
      session,
      ...["4", 4.5, -1, -0, Number.NaN, null, true, {}, [4]].map((version) => ({ ...session, version })),
      { version: 4 },
      { type: "sessions", version: 4 },
      null,
      4,
      "header",
      [session]
    ]
    for (const one of headers) assert.strictEqual(FormatVersion.classify(one)._tag, "Malformed", JSON.stringify(one))
    assert.deepStrictEqual(
      [0, 3, 4, 5, 1e300].map((version) => FormatVersion.classify({ ...session, version })._tag),
      ["Older", "Older", "Current", "Newer", "Newer"]
    )
    for (const line of ["", "{", "null", '{"type":"session"}']) {
      const error = invalid([line])
      assert.deepInclude(error, { file: "a.jsonl", line: 1 })
      assert.include(error.message, "line 1")
    }
  })

  it("[285] a log of the first format goes through all steps, in their order", () => {
    const lines = own.find(([file]) => file === "first-writers.v0.jsonl")?.[1] ?? assert.fail("no such log")
    const edges = migrated(lines).report.entries.flatMap((entry) => entry.edge ?? [])
    assert.deepStrictEqual([...new Set(edges)].toSorted(), ["0→1", "1→2", "2→3", "3→4"])
    assert.deepInclude(migrated(lines).report, { from: 0, to: 4 })
  })

  it("[286] a catalogue with a gap, a second edge, or one too far cannot be built", () => {
    const [first, second, third, fourth] = Catalogue.standard.edges
    if (first === undefined || second === undefined || third === undefined || fourth === undefined) assert.fail()
    const problems = (edges: ReadonlyArray<Edge>) => {
      const error = Result.getOrThrow(Result.flip(Catalogue.make(edges)))
      assert.strictEqual(error._tag, "InvalidCatalogue")
      for (const { from, to } of error.problems) assert.include(error.message, `${from} to ${to}`)
      return error.problems.map(({ from, kind, to }) => `${kind} ${from} ${to}`)
    }
    assert.deepStrictEqual(problems([first, second, fourth]), ["gap 2 3"])
    assert.deepStrictEqual(problems([]), ["gap 0 1", "gap 1 2", "gap 2 3", "gap 3 4"])
    assert.deepStrictEqual(problems([first, second, second, third, fourth]), ["duplicate 1 2"])
    assert.deepStrictEqual(problems([first, second, third, fourth, { ...nowhere, from: 4, to: 5 }]), [
      "beyond-current 4 5"
    ])
    assert.deepStrictEqual(problems([first, second, third, fourth, { ...nowhere, from: 0, to: 2 }]), [
      "not-adjacent 0 2"
    ])
    assert.deepStrictEqual(problems([second, third, fourth, { ...nowhere, from: 1, to: 1 }]), [
      "not-adjacent 1 1",
      "gap 0 1"
    ])
    // The order in which they are given is none.
    const shuffled = Result.getOrThrow(Catalogue.make([third, first, fourth, second]))
    assert.deepStrictEqual(shuffled, Catalogue.standard)
    assert.deepStrictEqual(Catalogue.path(shuffled, 2), [third, fourth])
    assert.deepStrictEqual(Catalogue.path(shuffled, 4), [])
  })
})
