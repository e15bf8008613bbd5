import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Option, Result, Stream } from "effect"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import * as Layer from "effect/Layer"
import { width } from "../../src/internal/width.ts"
import type * as Event from "../../src/session/Event.ts"
import type * as Message from "../../src/session/Message.ts"
import * as Request from "../../src/session/Request.ts"
import * as SessionHeader from "../../src/session/SessionHeader.ts"
import * as SessionLog from "../../src/session/SessionLog.ts"
import * as SessionFile from "../../src/session/store/SessionFile.ts"
import * as events from "../session/support/events.ts"
import { Tally } from "../support/check.ts"
import { type Random, seeded } from "../support/random.ts"
import { patience, runs } from "../support/runs.ts"
import { errorOf, preamble, root } from "./support.ts"

const folder = mkdtempSync(join(tmpdir(), "preamble-log-"))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
const write = (content: string | Uint8Array, name = `${files++}.jsonl`): string => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

/** The folder has a long name. */
const wide = { columns: 200, env: { NO_COLOR: "1" } }

/** Runs `log` and takes the folder out of what it says. */
const log = (args: ReadonlyArray<string>, world: Parameters<typeof preamble>[1] = wide) =>
  Effect.map(preamble(["log", ...args], world), (ended) => ({
    ...ended,
    stdout: ended.stdout.replaceAll(`${folder}/`, ""),
    stderr: ended.stderr.replaceAll(`${folder}/`, "")
  }))

const json = (args: ReadonlyArray<string>, code = 0) =>
  Effect.map(log([...args, "--format", "json"]), (ended) => {
    assert.deepStrictEqual([ended.code, ended.stderr], [code, ""])
    assert.isTrue(ended.stdout.endsWith("}\n"))
    return JSON.parse(ended.stdout)
  })

interface Finding {
  readonly kind: string
  readonly line: number
  readonly offset: number
  readonly seq?: number
  readonly rule?: string
  readonly path?: string
  readonly reason: string
}

const findings = (file: string) =>
  Effect.map(preamble(["log", "check", file, "--format", "json"]), (ended) => {
    const answer: {
      readonly findings: ReadonlyArray<Finding>
      readonly total: number
      readonly warnings: number
      readonly unjudged: number
      readonly events: number
    } = JSON.parse(ended.stdout)
    assert.deepStrictEqual([ended.code, ended.stderr], [answer.total === 0 ? 0 : 1, ""])
    assert.strictEqual(answer.total + answer.warnings, answer.findings.length)
    return answer
  })

const header = Result.getOrThrow(SessionHeader.make({ id: "s", createdAt: 0 }))

const linesOf = (drafts: ReadonlyArray<object>): ReadonlyArray<string> =>
  [header, ...drafts.map((draft, seq) => ({ seq, ...draft }))].map((row) => JSON.stringify(row))

const textOf = (lines: ReadonlyArray<string>): string => lines.map((line) => `${line}\n`).join("")

/** A log of another program: rows without checksums. */
const plain = (...drafts: ReadonlyArray<object>): string => write(textOf(linesOf(drafts)))

/** A log of our own store. */
const stored = (drafts: ReadonlyArray<Event.Draft>, name = `${files++}.jsonl`) =>
  Effect.gen(function* () {
    const whole = Result.getOrThrow(SessionLog.commit(SessionLog.empty(header), drafts))
    const seed = Stream.fromIterable(SessionLog.events(whole))
    yield* SessionFile.create(join(folder, name), header, { seed, fsync: false })
    return join(folder, name)
  }).pipe(Effect.scoped, Effect.provide(Layer.mergeAll(NodeFileSystem.layer, NodePath.layer)))

const answer = (id: string, content: ReadonlyArray<Message.Block>): Event.Draft => ({
  type: "assistant/message",
  data: {
    turn: 1,
    step: 1,
    message: { role: "assistant", id, source: { kind: "model", provider: "p", model: "m" }, content }
  },
  surfaceOp: "append"
})

const result = (callId: string): Event.Draft => ({
  type: "tool/result",
  data: {
    turn: 1,
    step: 1,
    message: { role: "tool", id: `of ${callId}`, toolCallId: callId, source: { kind: "tool", callId }, content: [] }
  },
  surfaceOp: "append"
})

const turnStart: Event.Draft = { type: "turn/start", data: { turn: 1 } }
const stepStart = (step: number): Event.Draft => ({ type: "step/start", data: { turn: 1, step } })
const stepEnd = (step: number): Event.Draft => ({ type: "step/end", data: { turn: 1, step } })

/** Three requests: the second adds a snapshot, the third comes after a compaction and has another prompt. */
const story: ReadonlyArray<Event.Draft> = [
  turnStart,
  stepStart(1),
  events.system("Be brief.\nUse English."),
  events.user("Hello"),
  events.requestHeader(["read"]),
  events.assistant("Hi"),
  stepEnd(1),
  stepStart(2),
  events.snapshot("Monday"),
  events.assistant("Ok"),
  stepEnd(2),
  events.user("In short", events.replacing(3, 5, 8)),
  stepStart(3),
  events.system("Be brief.\nUse German.", events.replacing(2)),
  events.requestHeader(["read"], "series"),
  events.assistant(""),
  stepEnd(3)
]

// -----------------------------------------------------------------------------
// show
// -----------------------------------------------------------------------------

describe("log show", () => {
  it.effect("text: the surface, the requests with what they share, the prompts with what changed, the messages", () =>
    Effect.gen(function* () {
      const file = yield* stored(story, "story.jsonl")
      const ended = yield* log(["show", file])
      assert.deepStrictEqual([ended.code, ended.stderr], [0, ""])
      assert.strictEqual(
        // How much of a request stays the same is tested where it is measured.
        ended.stdout
          .replaceAll(/\d+ of \d+ bytes \(\d+%\)/gu, "N of N bytes (N%)")
          .replace(/all \d+ bytes/u, "all N bytes"),
        `story.jsonl: session "s", format 4, 17 events
Turn 1 is open.

SURFACE (4)
  seq  role       source         replaces  bytes  text
   13  system     system-prompt  2            21  Be brief. Use German.
   11  user       user           3–8           8  In short
    9  assistant  model                        2  Ok
   15  assistant  model                        0  (empty, and not sent)

REQUESTS (3)
  at  turn  step  messages  begins with, of the one before
   5     1     1         2
   9     1     2         4  all N bytes
  15     1     3         3  N of N bytes (N%), 0 messages

PROMPTS (2)

1. event 2: appended, 22 bytes

2. event 13: in the place of 2, 21 bytes
@@ -1,2 +1,2 @@
 Be brief.
-Use English.
+Use German.

MESSAGES (3)

system
  Be brief.
  Use German.

user
  In short

assistant
  Ok
`
      )
    })
  )

  it.effect("json says the same, in full, and the requests are those that the log gives", () =>
    Effect.gen(function* () {
      const file = yield* stored(story)
      const answer = yield* json(["show", file])
      const whole = Result.getOrThrow(SessionLog.commit(SessionLog.empty(header), story))
      assert.deepStrictEqual(answer.messages, SessionLog.messages(whole))
      assert.deepInclude(answer, {
        session: "s",
        format: 4,
        renumbered: false,
        events: 17,
        at: 17,
        torn: null,
        route: null
      })
      assert.deepStrictEqual(answer.position, { turn: 1, step: 3, isTurnOpen: true, isStepOpen: false })
      assert.deepStrictEqual(answer.header, { config: events.config, tools: [events.tool("read")] })
      assert.deepStrictEqual(
        answer.surface.map((node: { seq: number; sent: boolean }) => [node.seq, node.sent]),
        [
          [13, true],
          [11, true],
          [9, true],
          [15, false]
        ]
      )
      assert.deepInclude(answer.surface[1], { role: "user", source: "user", replaces: { from: 3, to: 8 }, bytes: 8 })
      assert.deepStrictEqual(answer.prompts, [
        { seq: 2, shows: 2, replaces: null, text: "Be brief.\nUse English.", diff: null },
        {
          seq: 13,
          shows: 13,
          replaces: 2,
          text: "Be brief.\nUse German.",
          diff: "@@ -1,2 +1,2 @@\n Be brief.\n-Use English.\n+Use German.\n"
        }
      ])
      const requests = Request.places(whole).map((at) => Option.getOrThrow(Request.rebuild(whole, at)))
      assert.deepStrictEqual(
        answer.requests,
        requests.map((request, i) => {
          const earlier = requests[i - 1]
          const prefix = earlier === undefined ? null : Request.prefix(request, earlier)
          return {
            at: request.seq,
            turn: 1,
            step: i + 1,
            headerSeq: i < 2 ? 4 : 14,
            messages: request.messages.length,
            prefix:
              prefix === null
                ? null
                : { whole: prefix.isWhole, messages: prefix.messages, bytes: prefix.bytes, of: prefix.of }
          }
        })
      )
      assert.deepStrictEqual(
        requests.map(({ seq }) => seq),
        [5, 9, 15]
      )
    })
  )

  it.effect("--at shows it as it was before an event; beyond the end there is nothing", () =>
    Effect.gen(function* () {
      const file = yield* stored(story)
      const whole = Result.getOrThrow(SessionLog.commit(SessionLog.empty(header), story))
      for (let seq = 0; seq <= story.length; seq++) {
        const answer = yield* json(["show", file, "--at", `${seq}`])
        const then = SessionLog.until(whole, seq)
        assert.deepStrictEqual(answer.messages, SessionLog.messages(then))
        assert.deepStrictEqual(
          answer.requests.map((request: { at: number }) => request.at),
          Request.places(then)
        )
        assert.deepStrictEqual([answer.at, answer.events], [seq, 17])
      }
      assert.include((yield* log(["show", file, "--at", "9"])).stdout, "17 events, as it was before event 9\n")
      for (const seq of ["18", "-1"]) {
        const ended = yield* log(["show", file, `--at=${seq}`, "--format", "json"])
        assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
        assert.deepInclude(errorOf(ended), { _tag: "NoSuchEvent", seq: Number(seq), events: 17 })
      }
    })
  )

  it.effect("an older prompt that counts again is told, and an empty one", () =>
    Effect.gen(function* () {
      const file = plain(
        events.system("A"),
        events.requestHeader([]),
        stepStart(1),
        events.assistant("1"),
        events.system("B"),
        stepStart(2),
        events.assistant("2"),
        events.system("", events.replacing(4)),
        stepStart(3),
        events.assistant("3"),
        events.system("", events.replacing(0))
      )
      const { prompts } = yield* json(["show", file])
      assert.deepStrictEqual(
        prompts.map(({ seq, shows, text }: { seq: number; shows: number; text: string }) => [seq, shows, text]),
        [
          [0, 0, "A"],
          [4, 4, "B"],
          [7, 0, "A"],
          [10, 10, ""]
        ]
      )
      const { stdout } = yield* log(["show", file])
      assert.include(stdout, "3. event 7: the prompt of event 0 again, 1 byte\n@@")
      assert.include(stdout, "4. event 10: in the place of 0, empty\n@@")
    })
  )

  it.effect("reads every format, and says when numbers are others", () =>
    Effect.gen(function* () {
      const logs = join(root, "test/session/logs")
      const names = readdirSync(logs).filter((name) => name.endsWith(".jsonl"))
      for (const name of names) {
        const version = Number(/\.v(\d)\./u.exec(name)![1])
        const answer = yield* json(["show", join(logs, name)])
        assert.strictEqual(answer.format, version)
        assert.isAbove(answer.requests.length, 3)
        const { stdout } = yield* log(["show", join(logs, name)])
        assert.strictEqual(stdout.includes("Shown as it would be in format 4"), version < 4)
        assert.strictEqual(stdout.includes("with other numbers"), answer.renumbered)
        // A prompt that takes the place of none differs from nothing.
        assert.notInclude(stdout, "@@ -0,0")
      }
      assert.isAtLeast(names.length, 5)
    })
  )

  it.effect("what stands in a log is shown, never obeyed, and no line is too wide or takes forever", () =>
    Effect.gen(function* () {
      const evil = "\u001b[31m\u202e\u0007\u009b\r"
      const file = plain(
        events.system(`${evil}one`),
        {
          ...events.user(`${evil}${"x".repeat(3_000_000)}`),
          data: { ...events.user("").data, source: { kind: evil } }
        },
        events.user(`    ${"word ".repeat(100_000)}${evil}`),
        events.user([{ type: `t${evil}`, deep: { [evil]: evil } }]),
        events.system(`${evil}two`, events.replacing(0))
      )
      for (const args of [
        ["show", file],
        ["show", file, "--full"]
      ]) {
        for (const columns of [20, 41, 80]) {
          if (args.includes("--full") && columns !== 80) continue
          const { code, stdout } = yield* log(args, { columns, env: { NO_COLOR: "1" } })
          assert.strictEqual(code, 0)
          assert.notMatch(stdout.replaceAll("\n", ""), /[\p{Cc}\p{Bidi_Control}]/u)
          for (const line of stdout.split("\n")) assert.isAtMost(width(line), columns, line)
          assert.include(stdout.replaceAll("\n", ""), "\\u001b[31m")
        }
      }
      const short = (yield* log(["show", file])).stdout
      assert.include(short, "    word word")
      assert.include(short, "… (500,")
      assert.isAtMost(short.length, 10_000)
      assert.isAbove((yield* log(["show", file, "--full"])).stdout.length, 500_000)
    })
  )

  it.effect("what is no text is shown behind its type", () =>
    Effect.gen(function* () {
      const file = plain(
        events.user([
          { type: "reasoning", text: "Hm." },
          { type: "tool-call", id: "1", name: "read", arguments: '{"a":1}' },
          { type: "image", url: "u" },
          events.text("end")
        ])
      )
      const { stdout } = yield* log(["show", file])
      assert.include(stdout, 'user\n  [reasoning] Hm.\n  [tool-call] read {"a":1}\n  [image] {"url":"u"}\n  end\n')
    })
  )

  it.effect("tells what is open: a turn, a step, calls without a result", () =>
    Effect.gen(function* () {
      const calls = ["c1", "c2"].map((id) => ({ type: "tool-call", id, name: "slow", arguments: "{}" }))
      const killed = [turnStart, stepStart(1), events.user("x"), answer("a", calls)]
      const open = (drafts: ReadonlyArray<Event.Draft>) =>
        Effect.gen(function* () {
          const file = yield* stored(drafts)
          const { openCalls, position } = yield* json(["show", file])
          const { stdout } = yield* log(["show", file])
          return { openCalls, position, head: stdout.slice(0, stdout.indexOf("\n\n")).split("\n").slice(1) }
        })
      const call = (callId: string) => ({ callId, name: "slow", turn: 1, step: 1 })
      assert.deepStrictEqual(yield* open(killed), {
        openCalls: [call("c1"), call("c2")],
        position: { turn: 1, step: 1, isTurnOpen: true, isStepOpen: true },
        head: [
          "Turn 1, step 1 is open; calls c1 (slow), c2 (slow) have no results. The next step answers them as stopped."
        ]
      })
      const one = yield* open([...killed, result("c1")])
      assert.deepStrictEqual(one.openCalls, [call("c2")])
      assert.deepStrictEqual(one.head, [
        "Turn 1, step 1 is open; call c2 (slow) has no result. The next step answers it as stopped."
      ])
      assert.deepStrictEqual((yield* open([...killed, result("c1"), result("c2"), stepEnd(1)])).head, [
        "Turn 1 is open."
      ])
      const end: Event.Draft = { type: "turn/end", data: { turn: 1, reason: { kind: "completed" } } }
      assert.deepStrictEqual((yield* open([turnStart, end])).head, [])
    })
  )

  it.effect("tells of an append that was not finished, and fails on what is damaged", () =>
    Effect.gen(function* () {
      const file = yield* stored(story)
      appendFileSync(file, '{"type":')
      assert.deepStrictEqual((yield* json(["show", file])).torn, {
        offset: readFileSync(file).length - 8,
        bytes: 8,
        lines: 0
      })
      assert.include((yield* log(["show", file])).stdout, "The last 8 bytes are of an append that was not finished")
      const bytes = readFileSync(file)
      bytes[bytes.indexOf("Hello")]! += 1
      const ended = yield* log(["show", write(bytes), "--format", "json"])
      assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
      assert.deepInclude(errorOf(ended), { _tag: "LogDamaged", line: 5 })
      const missing = yield* log(["show", join(folder, "missing.jsonl")])
      assert.deepStrictEqual([missing.code, missing.stdout], [1, ""])
      assert.strictEqual(
        missing.stderr,
        'LogNotFound: session log "missing.jsonl" is not there. Give the path of its file; `preamble step` creates one.\n'
      )
      const asJson = yield* log(["show", join(folder, "missing.jsonl"), "--format", "json"])
      assert.include(String(errorOf(asJson)["message"]), "Give the path of its file")
    })
  )
})

// -----------------------------------------------------------------------------
// check
// -----------------------------------------------------------------------------

const brief = ({ kind, line, path, rule, seq }: Finding): string =>
  [
    `${line}`,
    ...(seq === undefined ? [] : [`event ${seq}`]),
    kind,
    ...(rule === undefined ? [] : [rule]),
    ...(path === undefined ? [] : [path])
  ].join(" ")

describe("log check", () => {
  it.effect("what no model can be sent is a warning: a call or a result alone, a block that nobody knows", () =>
    Effect.gen(function* () {
      const call = (id: string) => ({ type: "tool-call", id, name: "slow", arguments: "{}" })
      const drafts = [
        turnStart,
        stepStart(1),
        events.user([{ type: "hologram", depth: 3 }]),
        answer("a", [call("c1"), call("c2")]),
        result("c1"),
        answer("b", [events.text("Hm")]),
        result("c9"),
        answer("c", [call("c3")])
      ]
      const file = yield* stored(drafts)
      const { findings: found, total, warnings } = yield* findings(file)
      assert.deepStrictEqual([total, warnings], [0, 3])
      assert.deepStrictEqual(found.map(brief), ["4 event 2 unsendable", "5 event 3 unsendable", "8 event 6 unsendable"])
      assert.match(found[0]!.reason, /block of type "hologram"/u)
      assert.match(found[1]!.reason, /^message "a" \(assistant\) .* its call "c2" has no result behind it\./u)
      assert.match(found[2]!.reason, /no message before it calls "c9"/u)
      const lines = readFileSync(file, "utf8").split("\n")
      assert.deepInclude(found[2], { offset: Buffer.byteLength(`${lines.slice(0, 7).join("\n")}\n`) })
      const text = yield* log(["check", file])
      assert.strictEqual(text.code, 0)
      assert.include(text.stdout, "jsonl:5, event 3: warning unsendable\n  message")
      assert.match(text.stdout, /: format 4, 8 events: 3 warnings\n$/u)
      // A torn end is an error, and leaves the rest to be judged; other damage does not.
      appendFileSync(file, '{"type":')
      const torn = yield* log(["check", file])
      assert.strictEqual(torn.code, 1)
      assert.match(torn.stdout, /: format 4, 8 events: 1 problem, 3 warnings\n$/u)
      const damaged = plain(...drafts, { type: "user/message", data: null, surfaceOp: "append" })
      assert.deepInclude(yield* findings(damaged), { total: 1, warnings: 0 })
      // Events have other numbers in an older format.
      const older = [
        { type: "session", version: 3, id: "old", createdAt: 0, isSeeded: false, delegationDepth: 0 },
        ...[events.system(""), answer("a", [call("c1")]), events.user("x")].map((draft, seq) => ({ seq, ...draft }))
      ]
      const old = yield* findings(write(textOf(older.map((row) => JSON.stringify(row)))))
      assert.deepStrictEqual(old.findings.map(brief), ["1 unsendable"])
    })
  )

  it.effect("several logs: each with what is wrong with it, once; as JSON a line for each", () =>
    Effect.gen(function* () {
      const good = plain(...story)
      const bad = write("nonsense\n")
      const ended = yield* log(["check", good, bad, good])
      assert.deepStrictEqual([ended.code, ended.stderr], [1, ""])
      assert.match(
        ended.stdout,
        /^\d+\.jsonl: format 4, 17 events: nothing is wrong\n\n\d+\.jsonl:1: format\n.*\n\n\d+\.jsonl: .*: 1 problem\n$/u
      )
      const asJson = yield* log(["check", good, bad, "--format", "json"])
      assert.deepStrictEqual(
        asJson.stdout
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line).total),
        [0, 1]
      )
      assert.strictEqual((yield* log(["check", good])).code, 0)
      const missing = yield* log(["check", good, join(folder, "gone.jsonl")])
      assert.deepStrictEqual([missing.code, missing.stdout], [1, ""])
      assert.match(missing.stderr, /^LogNotFound: session log "gone\.jsonl"/u)
    })
  )

  it.effect("an intact log has no problem: exit 0", () =>
    Effect.gen(function* () {
      for (const file of [yield* stored(story), plain(...story)]) {
        const { code, stderr, stdout } = yield* log(["check", file])
        assert.deepStrictEqual([code, stderr], [0, ""])
        assert.match(stdout, /^\d+\.jsonl: format 4, 17 events: nothing is wrong\n$/u)
        assert.deepInclude(yield* json(["check", file]), { session: "s", format: 4, events: 17, total: 0, unjudged: 0 })
      }
    })
  )

  it.effect("every violation at once, each with its line and its event, none of them made up by another", () =>
    Effect.gen(function* () {
      const file = plain(
        events.system("A"),
        { ...events.user("x"), data: { role: "user" } },
        events.user("2"),
        events.user("3"),
        // 1 cannot be read, so that nobody can say what this does.
        events.user("4", events.replacing(1)),
        // It does not cite 3, and takes it away all the same.
        events.user("5", { surfaceOp: { op: "replace", startSeq: 2, endSeq: 3 }, sourceEventSeqs: [2] }),
        events.user("6", events.replacing(5)),
        events.user("7", events.replacing(0)),
        { ...events.stepStart, surfaceOp: "append" },
        { type: "weather/report", data: null, surfaceOp: "append" },
        { ...events.assistant("10"), sourceEventSeqs: [2] },
        events.user("11", { sourceEventSeqs: [99] }),
        events.developer(["read"], 5),
        { ...events.user("13"), surfaceOp: undefined },
        events.toolResult("14"),
        events.toolResult("15", events.replacing(6)),
        { ...events.user("16"), extra: 1 },
        events.user("17"),
        events.user("18", { surfaceOp: { op: "replace", startSeq: 17, endSeq: 14 }, sourceEventSeqs: [14, 17] })
      )
      const found = yield* findings(file)
      assert.deepStrictEqual(found.findings.map(brief), [
        "3 event 1 event $.data.id",
        "7 event 5 surface coverage",
        "9 event 7 surface head",
        "10 event 8 surface log-only",
        "11 event 9 surface unknown-on-surface",
        "12 event 10 surface citation",
        "13 event 11 surface citation",
        "14 event 12 surface tool-header",
        "15 event 13 surface operation",
        "17 event 15 surface tool-result",
        "18 event 16 event $.extra",
        "20 event 18 surface endpoint"
      ])
      assert.strictEqual(found.unjudged, 1)
      const { code, stderr, stdout } = yield* log(["check", file])
      assert.deepStrictEqual([code, stderr], [1, ""])
      assert.include(
        stdout,
        `${files - 1}.jsonl:7, event 5: surface, rule coverage\n  sourceEventSeqs must name everything that it replaces. Add 3.\n\n`
      )
      assert.include(stdout, "19 events: 12 problems; 1 event could not be judged\n")
    })
  )

  it.effect("behind a violation goes on with what the event most likely means", () =>
    Effect.gen(function* () {
      const users = [1, 2, 3].map((i) => events.user(`${i}`))
      const uncited = { surfaceOp: { op: "replace", startSeq: 1, endSeq: 2 }, sourceEventSeqs: [1] } as const
      const of = (...more: ReadonlyArray<Event.Draft>) =>
        Effect.map(findings(plain(events.system("A"), ...users, events.user("4", uncited), ...more)), (found) => [
          found.findings.map(brief),
          found.unjudged
        ])
      // It stands where those stood that it replaces.
      assert.deepStrictEqual(yield* of(events.user("5", events.replacing(4, 3))), [["6 event 4 surface coverage"], 0])
      // Nobody can say whether 2 is still there.
      assert.deepStrictEqual(yield* of(events.user("5", events.replacing(2))), [["6 event 4 surface coverage"], 1])
      // Of 3 that can be said: it is there, and not cited.
      const both = events.user("5", { surfaceOp: { op: "replace", startSeq: 4, endSeq: 3 }, sourceEventSeqs: [4] })
      assert.deepStrictEqual(yield* of(both), [["6 event 4 surface coverage", "7 event 5 surface coverage"], 0])
    })
  )

  it.effect("lines that are no rows, numbers that are missing, twice or out of order", () =>
    Effect.gen(function* () {
      const lines = linesOf(Array.from({ length: 12 }, (_, i) => events.user(`${i}`)))
      const at = (seq: number) => lines[seq + 1]!
      const of = (...rest: ReadonlyArray<string>) =>
        Effect.map(findings(write(textOf([lines[0]!, ...rest]))), (found) => found.findings.map(brief))
      assert.deepStrictEqual(yield* of(at(0), "{", "", "[]", '{"seq":4}', at(5)), [
        "3 event 1 row",
        "4 event 1 row",
        "5 event 1 row",
        "6 event 4 row"
      ])
      assert.deepStrictEqual(yield* of(at(0), at(3), at(4)), ["3 event 3 surface dense-seq"])
      assert.deepStrictEqual(yield* of(at(0), at(1), at(1), at(0), at(2)), [
        "4 event 1 surface dense-seq",
        "5 event 0 surface dense-seq"
      ])
      assert.deepStrictEqual(yield* of(at(0), at(2), at(1), at(3)), [
        "3 event 2 surface dense-seq",
        "4 event 1 surface dense-seq"
      ])
      // A number that nobody can have counted up to is one mistake, and no gap.
      assert.deepStrictEqual(yield* of(at(0), at(1).replace('"seq":1', '"seq":9007199254740991'), at(2)), [
        "3 event 9007199254740991 surface dense-seq"
      ])
      assert.deepStrictEqual(yield* of(at(0), at(1).replace('"seq":1', '"seq":"1"'), at(2).replace('"seq":2,', "")), [
        "3 event 1 row"
      ])
      const deep = `{"seq":0,"type":"x","data":${"[".repeat(100_000)}${"]".repeat(100_000)}}`
      assert.deepStrictEqual(yield* of(deep, at(1)), ["2 event 0 row"])
    })
  )

  it.effect("tells of them in the order of the lines, and takes no line for text that is none", () =>
    Effect.gen(function* () {
      const [first, second, ...rest] = linesOf([{ ...events.user("x"), extra: 1 }, events.user("?"), events.user("z")])
      const bytes = Buffer.from(textOf([first!, second!, ...rest]))
      bytes[bytes.indexOf("?")] = 0xff
      const file = write(bytes)
      assert.deepStrictEqual((yield* findings(file)).findings.map(brief), ["2 event 0 event $.extra", "3 row"])
      const { stdout } = yield* log(["check", file])
      assert.match(stdout, /jsonl:2, event 0: event\n.*\n\n\d+\.jsonl:3: row\n {2}it is no UTF-8\.\n/u)
    })
  )

  it.effect("headers: newer, malformed, missing, invalid", () =>
    Effect.gen(function* () {
      const row = linesOf([events.user("x")])[1]!
      const of = (first: string) => Effect.map(findings(write(textOf([first, row, "{"]))), ({ findings }) => findings)
      for (const [first, reason] of [
        [
          JSON.stringify({ ...header, version: 5 }),
          /format 5, and this version of effect-preamble reads formats up to 4/u
        ],
        [JSON.stringify({ ...header, version: "4" }), /must be a number/u],
        [JSON.stringify({ ...header, type: "x" }), /must have type "session"/u],
        ["nonsense", /no JSON/u]
      ] as const) {
        const [only, ...others] = yield* of(first)
        assert.deepInclude(only, { kind: "format", line: 1 })
        assert.match(only!.reason, reason)
        assert.deepStrictEqual(others, [])
      }
      const invalid = yield* of(JSON.stringify({ ...header, delegationDepth: -1 }))
      assert.deepStrictEqual(invalid.map(brief), ["1 header $.delegationDepth", "3 event 1 row"])
      assert.deepStrictEqual((yield* findings(write(""))).findings.map(brief), ["1 format"])
      assert.deepStrictEqual((yield* findings(write(linesOf([])[0]!))).findings, [])
    })
  )

  it.effect("older formats: rows, what cannot be migrated, and what the result breaks", () =>
    Effect.gen(function* () {
      const source = readFileSync(join(root, "test/session/logs/session.v2.jsonl"), "utf8").trimEnd().split("\n")
      const changed = (...changes: ReadonlyArray<readonly [line: number, text: string]>) => {
        const lines = [...source]
        for (const [line, text] of changes) lines[line - 1] = text
        return Effect.map(
          findings(write(textOf(lines))),
          (found) => [found.findings.map(brief), found.unjudged > 0] as const
        )
      }
      const [, seq = "0"] = /"seq":(\d+)/u.exec(source[9]!) ?? []
      assert.deepStrictEqual(yield* changed(), [[], false])
      assert.deepStrictEqual(yield* changed([10, "{"], [20, "{"]), [[`10 event ${seq} row`, "20 event 18 row"], true])
      const unknown = JSON.stringify({ seq: Number(seq), type: "who", data: null, surfaceOp: "append" })
      assert.deepStrictEqual(yield* changed([10, unknown], [20, "{"]), [
        [`10 event ${seq} migration`, "20 event 18 row"],
        true
      ])
      const header = JSON.stringify({ ...JSON.parse(source[0]!), isSeeded: "yes" })
      assert.deepStrictEqual((yield* changed([1, header], [20, "{"]))[0][0], "1 migration")
    })
  )

  it.effect("a log of our own: each damaged line once, and the end that was not finished", () =>
    Effect.gen(function* () {
      const random = seeded(7)
      const tally = new Tally()
      const drafts = Array.from({ length: 30 }, (_, i) => events.user(`text ${i}`))
      const whole = readFileSync(yield* stored(drafts))
      const ends = [...whole.entries()].flatMap(([i, byte]) => (byte === 10 ? [i] : []))
      for (let run = 0; run < runs(40, 2000); run++) {
        const bytes = Buffer.from(whole)
        const damaged = new Set<number>()
        for (let i = random.below(4); i >= 0; i--) {
          const line = random.below(ends.length)
          // Where a line and its checksum are both damaged, nothing is left to judge the next one by.
          if (damaged.has(line + 1)) continue
          const [start, end] = [line === 0 ? 0 : ends[line - 1]! + 1, ends[line]!]
          // Anywhere in the line, or in the eight digits of its checksum.
          const place = random.oneIn(3) ? end - 3 - random.below(8) : start + random.below(end - start)
          // Another letter or digit, so that the line still ends with what may be a checksum.
          bytes[place] = "0123456789abcdef".charCodeAt(random.below(16))
          if (bytes[place] !== whole[place]) damaged.add(line + 1)
        }
        const cut = random.oneIn(2) ? random.below(200) : 0
        const file = write(bytes.subarray(0, whole.length - cut), "damaged.jsonl")
        const kept = [...ends.entries()].filter(([, end]) => end < whole.length - cut).map(([i]) => i + 1)
        const { findings: found } = yield* findings(file)
        const lines = new Set(found.filter(({ kind }) => kind === "checksum").map(({ line }) => line))
        const expected = [...damaged].filter((line) => kept.includes(line)).toSorted((a, b) => a - b)
        if (!damaged.has(1)) {
          assert.deepStrictEqual([...lines], expected)
          const isTorn = kept.length > 0 && (ends[kept.length - 1] ?? -1) + 1 < whole.length - cut
          assert.strictEqual(found.filter(({ kind }) => kind === "torn").length, isTorn ? 1 : 0)
          tally.count(
            ...(isTorn ? ["torn"] : []),
            expected.length > 1 ? "many" : expected.length === 1 ? "one" : "none"
          )
        }
        const ended = yield* log(["show", file])
        assert.strictEqual(ended.code === 0, expected.length === 0)
      }
      tally.assertShares("damaged logs", { torn: 20, many: 20, one: 10 })
    })
  )

  it.effect("checksums where there were none, none where there were some, and appends that lack lines", () =>
    Effect.gen(function* () {
      const file = yield* stored(story)
      const lines = readFileSync(file, "utf8").trimEnd().split("\n")
      const of = (changed: ReadonlyArray<string>) =>
        Effect.map(findings(write(textOf(changed))), (found) => found.findings.map(brief))
      const bare = linesOf(story)
      assert.deepStrictEqual(yield* of(lines.with(4, bare[4]!)), ["5 checksum"])
      assert.deepStrictEqual(yield* of([...bare.slice(0, 5), ...lines.slice(5)]), ["6 checksum"])
      const overwritten = `${textOf(lines).slice(0, -1)}x`
      assert.deepStrictEqual((yield* findings(write(overwritten))).findings.map(brief), ["18 checksum"])
      assert.include((yield* log(["check", write(overwritten)])).stdout, "its line feed is overwritten")
      // How many lines are to come is not believed of a line that is damaged.
      assert.deepStrictEqual(yield* of(lines.with(4, lines[4]!.replace('"crc":"0:', '"crc":"7:'))), ["5 checksum"])
      const one = write(textOf(lines))
      const agent = write("identity: You are X.", "agent.yaml")
      yield* preamble(["step", agent, "--log", one, "--message", "x"])
      const more = readFileSync(one, "utf8").trimEnd().split("\n")
      assert.isAbove(more.length, lines.length + 3)
      // An append that lacks its last lines does not count, nor do those that it has.
      const cut = yield* findings(write(textOf(more.slice(0, -2))))
      assert.deepStrictEqual(cut.findings.map(brief), ["19 torn"])
      assert.strictEqual(cut.events, 17)
      const lacking = [...more.slice(0, 19), ...more.slice(20)]
      assert.includeMembers([...(yield* of(lacking))], ["20 checksum"])
    })
  )
})

// -----------------------------------------------------------------------------
// migrate
// -----------------------------------------------------------------------------

describe("log migrate", () => {
  const old = readFileSync(join(root, "test/session/logs/session.v0.jsonl"))

  it.effect("writes format 4 with checksums, tells what it did, and leaves the source as it was", () =>
    Effect.gen(function* () {
      const file = write(old)
      const ended = yield* log(["migrate", file, join(folder, "out.jsonl")], { columns: 80, env: { NO_COLOR: "1" } })
      assert.deepStrictEqual([ended.code, ended.stderr], [0, ""])
      assert.match(ended.stdout, /^out\.jsonl: session "story", \d+\s+events in format 4\n\d+\.jsonl has\s+152 events/u)
      assert.match(ended.stdout, /^inserted 2→3 \(.*line \d+\): system\/message/mu)
      assert.match(ended.stdout, /^dropped 2→3 \(/mu)
      assert.match(ended.stdout, /^renamed 3→4 \(/mu)
      assert.match(ended.stdout, /^opaque \(/mu)
      for (const line of ended.stdout.split("\n")) assert.isAtMost(width(line), 80)
      const said = ended.stdout.replaceAll("\n", " ")
      assert.include(said, "Logs of sessions that it started were not looked at, so that none is added to it.")
      assert.include(
        said,
        "A FileStore names each file after its session: put this one into the folder of the store as story.jsonl."
      )
      assert.deepStrictEqual(readFileSync(file), old)
      const before = yield* json(["show", file])
      const after = yield* json(["show", join(folder, "out.jsonl")])
      for (const part of ["messages", "prompts", "requests", "surface"])
        assert.deepStrictEqual(after[part], before[part])
      assert.deepInclude(after, { format: 4, renumbered: false })
      assert.strictEqual((yield* findings(join(folder, "out.jsonl"))).total, 0)
      const report = yield* json(["migrate", file, join(folder, "again.jsonl")])
      assert.deepInclude(report, {
        out: "again.jsonl",
        storeName: "story.jsonl",
        from: 0,
        to: 4,
        eventsRead: 152,
        torn: null
      })
      assert.includeMembers(
        report.entries.map((entry: { action: string }) => entry.action),
        ["inserted", "dropped", "renamed", "rewritten", "remapped", "opaque"]
      )
      assert.deepStrictEqual(readFileSync(join(folder, "again.jsonl")), readFileSync(join(folder, "out.jsonl")))
    })
  )

  it.effect("a current log stays the same but for checksums; what was not finished is left out, and told", () =>
    Effect.gen(function* () {
      const file = plain(...story)
      appendFileSync(file, '{"type":"turn/end"')
      const out = join(folder, "checked.jsonl")
      assert.include(
        (yield* log(["migrate", file, out])).stdout,
        "Its last 18 bytes, of an append that was not finished, were left out"
      )
      assert.strictEqual(readFileSync(out, "utf8").replaceAll(/,"crc":"[^"]*"/gu, ""), textOf(linesOf(story)))
      const named = yield* log(["migrate", file, join(folder, "s.jsonl")])
      assert.notMatch(named.stdout, /FileStore|started/u)
    })
  )

  it.effect(
    "refuses without a trace: what is there, what cannot be read or migrated, where nothing can be written",
    () =>
      Effect.gen(function* () {
        const within = join(folder, "within")
        mkdirSync(within)
        const out = join(within, "out.jsonl")
        const refused = (args: ReadonlyArray<string>, tag: string) =>
          Effect.map(preamble(["log", "migrate", ...args, "--format", "json"]), (ended) => {
            assert.deepStrictEqual([ended.code, ended.stdout, errorOf(ended)["_tag"]], [1, "", tag])
          })
        const lines = old.toString().trimEnd().split("\n")
        const late = JSON.stringify({ type: "who", data: null, surfaceOp: "append" })
        yield* refused([write(textOf([...lines, late])), out], "MigrationFailure")
        yield* refused([write(textOf([...lines, "{"])), out], "InvalidLog")
        yield* refused([write(textOf([JSON.stringify({ ...header, version: 9 })])), out], "UnsupportedFormat")
        yield* refused([plain(events.user("x", { sourceEventSeqs: [0] })), out], "InvalidLog")
        yield* refused([join(folder, "nowhere.jsonl"), out], "LogNotFound")
        yield* refused([write(old), join(folder, "nowhere", "out.jsonl")], "StoreFailure")
        assert.deepStrictEqual(readdirSync(within), [])
        const there = write("something")
        // Seen before anything is read.
        yield* refused([write("nonsense"), there], "LogExists")
        const source = write(old)
        yield* refused([source, source], "LogExists")
        assert.strictEqual(readFileSync(there, "utf8"), "something")
        assert.deepStrictEqual(readFileSync(source), old)
        assert.isFalse(existsSync(`${there}.lock`))
      })
  )
})

// -----------------------------------------------------------------------------
// hostile logs
// -----------------------------------------------------------------------------

/** What no number, text or list is. */
const oddities = [
  "1e308",
  "1e400",
  "-0",
  "-1",
  "1.5",
  "9007199254740993",
  "4294967296",
  '"\\ud800"',
  '"\\u001b[31m"',
  '{"__proto__":1}',
  "[[0,999999999]]",
  `"${"x".repeat(5000)}"`,
  `${"[".repeat(600)}${"]".repeat(600)}`,
  `${"[".repeat(100_000)}${"]".repeat(100_000)}`
] as const

const values = /:("(?:[^"\\]|\\.)*"|\d+|true|false|null|\[\]|\{\})/gu

const spoil = (random: Random, log: Buffer): readonly [how: string, bytes: Uint8Array] => {
  const lines = log.toString().split("\n")
  const line = random.below(lines.length)
  switch (random.below(7)) {
    case 0:
      return ["noise", Uint8Array.from({ length: random.below(400) }, () => random.below(256))]
    case 1:
      return ["cut", log.subarray(0, random.below(log.length))]
    case 2: {
      const bytes = Buffer.from(log)
      for (let i = random.below(4); i >= 0; i--) bytes[random.below(log.length)] = random.below(256)
      return ["bytes", bytes]
    }
    case 3:
      return ["removed", Buffer.from(lines.toSpliced(line, 1).join("\n"))]
    case 4:
      return ["doubled", Buffer.from(lines.toSpliced(line, 0, random.pick(["", ...lines])).join("\n"))]
    default: {
      const text = lines[line]!
      const places = [...text.matchAll(values)]
      const place = places[random.below(places.length)]
      if (place === undefined) return ["same", log]
      const odd = `${text.slice(0, place.index + 1)}${random.pick(oddities)}${text.slice(place.index + place[0].length)}`
      return ["odd", Buffer.from(lines.with(line, odd).join("\n"))]
    }
  }
}

describe("hostile logs", () => {
  it.effect("what is no file is not opened: a device never ends", () =>
    Effect.gen(function* () {
      for (const args of [
        ["show", "/dev/zero"],
        ["check", "/dev/zero"],
        ["migrate", "/dev/zero", "out.jsonl"]
      ]) {
        const ended = yield* log(args)
        assert.strictEqual(ended.code, 1)
        assert.match(ended.stderr, /^StoreFailure: .*: this is not a file but a pipe or a device/u)
      }
    })
  )

  it.effect(
    "are shown or refused, never crash; and `check` finds something exactly where the others refuse, or end early",
    () =>
      Effect.gen(function* () {
        const random = seeded(11)
        const tally = new Tally()
        const logs = join(root, "test/session/logs")
        const names = readdirSync(logs).filter((name) => name.endsWith(".jsonl"))
        const sources = [...names.map((name) => join(logs, name)), yield* stored(story)].map((file) =>
          readFileSync(file)
        )
        const agent = write("identity: You are X.", "agent.yaml")
        for (let run = 0; run < runs(40, 4000); run++) {
          const [how, bytes] = spoil(random, sources[random.below(sources.length)]!)
          const file = write(bytes, "spoilt.jsonl")
          const found = yield* findings(file)
          const shown = yield* log(["show", file])
          const checked = yield* log(["check", file])
          const stepped = yield* preamble(["step", agent, "--log", write(bytes, "stepped.jsonl")])
          for (const ended of [shown, checked, stepped]) {
            assert.oneOf(ended.code, [0, 1])
            assert.notMatch(`${ended.stdout}${ended.stderr}`.replaceAll(/[\n\t]/gu, ""), /[\p{Cc}\p{Bidi_Control}]/u)
          }
          const isRefused = found.findings.some(({ kind }) => kind !== "torn")
          assert.strictEqual(shown.code, isRefused ? 1 : 0)
          const out = join(folder, "migrated.jsonl")
          const migrated = yield* log(["migrate", file, out])
          assert.strictEqual(migrated.code, isRefused ? 1 : 0)
          assert.strictEqual(existsSync(out) || existsSync(`${out}.lock`), !isRefused)
          for (const one of [out, `${out}.lock`]) rmSync(one, { force: true })
          tally.count(how, isRefused ? "refused" : "read", ...found.findings.map(({ kind }) => kind))
        }
        const each = { noise: 3, cut: 3, bytes: 3, removed: 3, doubled: 3, odd: 10 }
        tally.assertShares("hostile logs", { ...each, refused: 30, read: 10, torn: 5, row: 10, migration: 3, event: 1 })
      }),
    patience
  )
})
