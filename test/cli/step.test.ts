import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { width } from "../../src/internal/width.ts"
import * as Request from "../../src/session/Request.ts"
import * as Session from "../../src/session/Session.ts"
import * as FileStore from "../../src/session/store/FileStore.ts"
import * as SessionFile from "../../src/session/store/SessionFile.ts"
import { errorOf, preamble, root } from "./support.ts"

const folder = mkdtempSync(join(tmpdir(), "preamble-step-"))
afterAll(() => rmSync(folder, { recursive: true }))

const write = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

let logs = 0
const newLog = (): string => join(folder, `${logs++}.jsonl`)

const agent = join(root, "docs/examples/steps/agent.yaml")

const step = (log: string, ...args: ReadonlyArray<string>) => preamble(["step", agent, "--log", log, ...args])

const json = (log: string, ...args: ReadonlyArray<string>) =>
  Effect.map(step(log, ...args, "--format", "json"), (ended) => {
    assert.deepStrictEqual([ended.code, ended.stderr], [0, ""])
    assert.isTrue(ended.stdout.endsWith("}\n"))
    return JSON.parse(ended.stdout)
  })

interface Logged {
  readonly seq: number
  readonly type: string
  readonly surfaceOp?: "append" | { readonly startSeq: number }
  readonly data: { readonly reason?: unknown; readonly startsSeries?: true }
}

/** What was logged, short. */
const logged = (answer: { readonly logged: ReadonlyArray<Logged> }): ReadonlyArray<string> =>
  answer.logged.map(({ data, surfaceOp, type }) => {
    const replaced = typeof surfaceOp === "object" ? ` for ${surfaceOp.startSeq}` : ""
    const reason =
      type === "request/header" ? ` ${String(data.reason)}${data.startsSeries === true ? ", series" : ""}` : ""
    return type + replaced + reason
  })

const check = (log: string) =>
  Effect.map(preamble(["log", "check", log]), ({ code, stdout }) => assert.strictEqual(code, 0, stdout))

const platform = Layer.mergeAll(NodeFileSystem.layer, NodePath.layer)

describe("the steps of a session (worked example 2)", () => {
  for (const flags of [[], ["--in-history"]]) {
    it.effect(`log what is new, and nothing else: ${flags.join(" ") || "a leading prompt only"}`, () =>
      Effect.gen(function* () {
        const log = newLog()
        const first = yield* json(log, ...flags, "--message", "Mend the tests.")
        assert.deepStrictEqual(logged(first), [
          "turn/start",
          "step/start",
          "system/message",
          "user/message",
          "user/message",
          "request/header initial",
          "request/context",
          "step/end"
        ])
        assert.deepInclude(first, { created: true, repaired: null, turn: 1, step: 1, prefix: null })
        const { messages } = first.request
        const prompt = yield* preamble(["render", agent])
        assert.strictEqual(messages[0].content[0].text, prompt.stdout)
        assert.strictEqual(messages[1].content[0].text, "Mend the tests.")
        assert.match(messages[2].content[0].text, /Approval policy: ask\.$/u)
        assert.deepInclude(first.request.header.config, { provider: "none", model: "none" })
        assert.deepStrictEqual(
          first.request.header.tools.map((tool: { name: string }) => tool.name),
          ["bash"]
        )

        const second = yield* json(log, ...flags)
        assert.deepStrictEqual(logged(second), ["step/start", "request/header resume", "step/end"])
        assert.deepInclude(second, { created: false, turn: 1, step: 2 })
        assert.deepStrictEqual(second.request.messages, messages)
        assert.isTrue(second.prefix.whole)

        const never = ["--set", "policy=never"]
        const third = yield* json(log, ...flags, ...never)
        assert.deepStrictEqual(logged(third), ["step/start", "user/message", "request/header resume", "step/end"])
        assert.deepStrictEqual(third.request.messages.slice(0, 3), messages)
        assert.match(third.request.messages[3].content[0].text, /Approval policy: never\.$/u)
        assert.isTrue(third.prefix.whole)

        const fourth = yield* json(log, ...flags, ...never, "--set", "cwd=/elsewhere")
        assert.strictEqual(fourth.request.messages.length, flags.length === 0 ? 4 : 5)
        const text = fourth.request.messages[flags.length === 0 ? 0 : 4].content[0].text
        assert.include(text, "in /elsewhere.")
        if (flags.length === 0) {
          const replaced = ["step/start", "system/message for 2", "request/header resume, series", "step/end"]
          assert.deepStrictEqual(logged(fourth), replaced)
          assert.deepInclude(fourth.prefix, { whole: false, messages: 0 })
        } else {
          assert.deepStrictEqual(logged(fourth), ["step/start", "system/message", "request/header resume", "step/end"])
          assert.isTrue(fourth.prefix.whole)
        }
        yield* check(log)
      })
    )
  }

  it.effect("the minimal preset: the prompt is exactly the persona, and there is no snapshot ever", () =>
    Effect.gen(function* () {
      const minimal = join(root, "docs/examples/agent/agent.yaml")
      const log = newLog()
      for (const args of [["--message", "Hello"], []]) {
        const ended = yield* preamble([
          "step",
          minimal,
          "--scope",
          "minimal",
          "--log",
          log,
          ...args,
          "--format",
          "json"
        ])
        assert.deepStrictEqual(
          JSON.parse(ended.stdout).request.messages.map((message: { content: unknown }) => message.content),
          [[{ type: "text", text: "You are a helpful software engineer." }], [{ type: "text", text: "Hello" }]]
        )
      }
    })
  )
})

describe("preamble step", () => {
  it.effect("text: the route, the prefix, what was logged, the tools, the messages", () =>
    Effect.gen(function* () {
      const file = write("small.yaml", "identity: You are {{who}}.\nvariables: { who: X }\n")
      const log = newLog()
      const small = (...args: ReadonlyArray<string>) =>
        Effect.map(
          preamble(["step", file, "--log", log, ...args], { columns: 200, env: { NO_COLOR: "1" } }),
          (ended) => {
            assert.deepStrictEqual([ended.code, ended.stderr], [0, ""])
            // How much of a request stays the same is tested where it is measured.
            return ended.stdout
              .replaceAll(`${folder}/`, "")
              .replaceAll(/\d+ of \d+ bytes \(\d+%\)/gu, "N of N bytes (N%)")
          }
        )
      assert.strictEqual(
        yield* small("--message", "Hello", "--provider", "p", "--model", "m"),
        `${logs - 1}.jsonl: session "${logs - 1}", turn 1, step 1
The log was not there, and was created.
For provider "p", model "m". It is the first request.

LOGGED (7)
  seq  event            what
    0  turn/start
    1  step/start
    2  system/message   You are X.
    3  user/message     Hello
    4  request/header   initial
    5  request/context  p, m
    6  step/end

TOOLS (0)

MESSAGES (2)

system
  You are X.

user
  Hello
`
      )
      assert.strictEqual(
        yield* small("--set", "who=Y"),
        `${logs - 1}.jsonl: session "${logs - 1}", turn 1, step 2
For provider "p", model "m". It begins with N of N bytes (N%) of the request before, with 0 whole messages.

LOGGED (4)
  seq  event           what
    7  step/start
    8  system/message  in the place of 2: You are Y.
    9  request/header  resume, a new series
   10  step/end

TOOLS (0)

MESSAGES (2)

system
  You are Y.

user
  Hello
`
      )
      const all = yield* small("--set", `who=${"line\n".repeat(30)}`, "--in-history", "--full")
      assert.match(all, /^ +14 {2}request\/context {2}p, m, in-history$/mu)
      assert.strictEqual(all.match(/^ {2}line$/gmu)?.length, 29)
      assert.include(yield* small("--set", `who=${"line\n".repeat(30)}`, "--in-history"), "  … (159 bytes in all)\n")
    })
  )

  it.effect("a message begins a turn, and ends one that is open, in one transaction; without it the turn goes on", () =>
    Effect.gen(function* () {
      const log = newLog()
      const steps = [
        yield* json(log, "--message", "one"),
        yield* json(log),
        yield* json(log, "--message", "two"),
        yield* json(log)
      ]
      assert.deepStrictEqual(
        steps.map(({ step, turn }) => [turn, step]),
        [
          [1, 1],
          [1, 2],
          [2, 1],
          [2, 2]
        ]
      )
      assert.deepStrictEqual(logged(steps[2]).slice(0, 3), ["turn/end", "turn/start", "step/start"])
      assert.deepInclude(steps[2].logged[0].data, { turn: 1, reason: { kind: "interrupted" } })
      const text = readFileSync(log, "utf8").split("\n")
      const [start] = text.flatMap((line, i) => (line.includes('"turn/end"') ? [i] : []))
      // Its line says that others of the same append follow.
      assert.match(text[start!]!, /"crc":"[1-9]\d*:/u)
      yield* check(log)
    })
  )

  it.effect("a first step needs no message", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* json(newLog()), { turn: 1, step: 1 })
    })
  )

  it.effect("each request can be rebuilt from the log, and a store of the folder knows the session", () =>
    Effect.gen(function* () {
      const log = join(folder, "of%20many.jsonl")
      const answers = [yield* json(log, "--message", "one"), yield* json(log), yield* json(log, "--set", "cwd=/x")]
      assert.strictEqual(answers[0].session, "of many")
      const whole = yield* Effect.scoped(
        Effect.flatMap(Session.open("of many"), Session.log).pipe(
          Effect.provide(FileStore.layer({ folder }).pipe(Layer.provideMerge(platform)))
        )
      )
      for (const { request } of answers) {
        const rebuilt = yield* Effect.fromOption(Request.rebuild(whole, request.seq))
        assert.deepStrictEqual(JSON.parse(JSON.stringify(rebuilt)), request)
      }
      const { requests } = JSON.parse((yield* preamble(["log", "show", log, "--format", "json"])).stdout)
      assert.deepStrictEqual(
        requests.map(({ at, prefix }: { at: number; prefix: unknown }) => ({ at, prefix })),
        answers.map(({ prefix, request }) => ({ at: request.seq, prefix }))
      )
    })
  )

  it.effect("goes on with the configuration of the request before, unless another is given", () =>
    Effect.gen(function* () {
      const log = newLog()
      const configs = [
        yield* json(log, "--message", "x", "--provider", "p", "--model", "m"),
        yield* json(log),
        yield* json(log, "--model", "n"),
        yield* json(log)
      ].map(({ request }) => request.header.config)
      assert.deepStrictEqual(configs, [
        { provider: "p", model: "m" },
        { provider: "p", model: "m" },
        { provider: "p", model: "n" },
        { provider: "p", model: "n" }
      ])
      // What an agent has set besides stays, as long as the model does.
      const agents = newLog()
      yield* json(agents, "--message", "x")
      const rows = readFileSync(agents, "utf8")
      const plain = rows.replaceAll(/,"crc":"[^"]*"/gu, "")
      const more = plain
        .replace('{"provider":"none","model":"none"}', '{"provider":"p","model":"m","maxTokens":7}')
        .replace('{"provider":"none","model":"none"}', '{"provider":"p","model":"m","contextWindow":9}')
      const migrated = newLog()
      yield* preamble(["log", "migrate", write("agents.jsonl", more), migrated])
      const kept = yield* json(migrated)
      assert.deepStrictEqual(kept.request.header.config, { provider: "p", model: "m", maxTokens: 7 })
      assert.deepStrictEqual(logged(kept), ["step/start", "request/header resume", "step/end"])
      const other = yield* json(migrated, "--model", "n")
      assert.deepStrictEqual(other.request.header.config, { provider: "p", model: "n" })
      const route = other.logged.find((event: Logged) => event.type === "request/context")
      assert.deepStrictEqual(route.data, { provider: "p", model: "n" })
    })
  )

  it.effect("what cannot be rendered is told whole; no log is created, and none is touched", () =>
    Effect.gen(function* () {
      const broken = write("broken.yaml", "identity: '{{one}} {{two}}'")
      const log = newLog()
      const refused = yield* preamble(["step", broken, "--log", log, "--message", "x"])
      assert.deepStrictEqual([refused.code, refused.stdout], [1, ""])
      assert.include(refused.stderr, "broken.yaml:1:12: UnknownVariable")
      assert.include(refused.stderr, "2 problems")
      assert.deepStrictEqual([existsSync(log), existsSync(`${log}.lock`)], [false, false])
      yield* json(log, "--message", "x")
      const before = readFileSync(log)
      assert.strictEqual((yield* preamble(["step", broken, "--log", log, "--message", "y"])).code, 1)
      assert.strictEqual((yield* step(log, "--scope", "nobody")).code, 1)
      assert.deepStrictEqual(readFileSync(log), before)
    })
  )

  it.effect(
    "a variable that nobody knows is refused before anything is written; one that the scope leaves out is noted",
    () =>
      Effect.gen(function* () {
        const log = newLog()
        const unknown = yield* step(log, "--message", "x", "--set", "polcy=never", "--set", "cwd=/x")
        assert.deepStrictEqual(unknown, {
          code: 1,
          stdout: "",
          stderr:
            'NothingFound: scope "global" has no variable "polcy", and no text refers to it. Did you mean "policy"? ' +
            "It was set with --set. Nothing was logged.\n"
        })
        assert.deepStrictEqual([existsSync(log), existsSync(`${log}.lock`)], [false, false])
        yield* json(log, "--message", "x")
        const before = readFileSync(log)
        const values = write("values.yaml", "zzz: x\n")
        const refused = yield* step(log, "--var-file", values, "--format", "json")
        assert.deepStrictEqual([refused.code, refused.stdout], [1, ""])
        assert.deepInclude(errorOf(refused), {
          _tag: "NothingFound",
          sought: "variable",
          value: "zzz",
          scope: "global"
        })
        assert.notInclude(refused.stderr, "Did you mean")
        assert.include(refused.stderr, "--var-file")
        assert.deepStrictEqual(readFileSync(log), before)
        const known = write("known.yaml", "identity: Hi.\nvariables: { policy: ask }\n")
        const noted = yield* preamble(["step", known, "--log", newLog(), "--set", "policy=never"])
        assert.deepStrictEqual([noted.code, noted.stderr], [0, "note: no text refers to {{policy}}.\n"])
        const referred = write("referred.yaml", "identity: '{{late}}'\n")
        assert.strictEqual((yield* preamble(["step", referred, "--log", newLog(), "--set", "late=x"])).code, 0)
      })
  )

  it.effect("logs that cannot be written to: another's, an older one, one without checksums, a damaged one", () =>
    Effect.gen(function* () {
      const failure = (log: string) =>
        Effect.map(step(log, "--format", "json"), (ended) => {
          assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
          return String(errorOf(ended)["_tag"])
        })
      const log = newLog()
      yield* json(log, "--message", "x")
      const busy = Effect.andThen(SessionFile.open(log), failure(log)).pipe(Effect.scoped, Effect.provide(platform))
      assert.strictEqual(yield* busy, "LogBusy")
      const told = yield* Effect.andThen(SessionFile.open(log), step(log)).pipe(Effect.scoped, Effect.provide(platform))
      assert.include(told.stderr, "is open in another program that writes to it.")
      assert.deepInclude(yield* json(log), { step: 2 })
      const bytes = readFileSync(log)
      const plain = bytes.toString().replaceAll(/,"crc":"[^"]*"/gu, "")
      assert.strictEqual(yield* failure(write("plain.jsonl", plain)), "MigrationRequired")
      const older = readFileSync(join(root, "test/session/logs/session.v3.jsonl"), "utf8")
      assert.strictEqual(yield* failure(write("older.jsonl", older)), "MigrationRequired")
      const migrate = `preamble log migrate "${join(folder, "older.jsonl")}" OUT`
      assert.include((yield* step(join(folder, "older.jsonl"))).stderr, migrate)
      assert.strictEqual(yield* failure(write("empty.jsonl", "")), "LogDamaged")
      assert.strictEqual(
        yield* failure(write("changed.jsonl", bytes.toString().replace("Copper", "Silver"))),
        "LogDamaged"
      )
      assert.strictEqual(yield* failure(join(folder, "nowhere", "x.jsonl")), "StoreFailure")
      assert.strictEqual(yield* failure(folder), "StoreFailure")
    })
  )

  it.effect("an append that was not finished is cut off, and told", () =>
    Effect.gen(function* () {
      const log = newLog()
      yield* json(log, "--message", "x")
      const { length } = readFileSync(log)
      appendFileSync(log, '{"type":"turn/end"')
      const answer = yield* json(log)
      assert.deepStrictEqual(answer.repaired, { offset: length, bytes: 18, lines: 0 })
      yield* check(log)
      appendFileSync(log, "{")
      assert.include((yield* step(log)).stdout, "1 byte of an append that was not finished")
    })
  )

  it.effect("wrong usage: no log, an empty message", () =>
    Effect.gen(function* () {
      const none = yield* preamble(["step", agent])
      assert.deepStrictEqual([none.code, none.stdout], [2, ""])
      assert.include(none.stderr, "--log")
      const log = newLog()
      const empty = yield* step(log, "--message", "", "--format", "json")
      assert.deepStrictEqual([empty.code, empty.stdout, errorOf(empty)["_tag"]], [2, "", "WrongUsage"])
      assert.isFalse(existsSync(log))
      const bare = join(folder, "bare")
      const refused = yield* step(bare, "--message", "x")
      assert.deepStrictEqual([refused.code, refused.stdout, existsSync(bare)], [2, "", false])
      assert.include(refused.stderr, `There is no log ${bare}, and a new one needs a name that ends in .jsonl`)
      assert.include(refused.stderr, `--log ${bare}.jsonl`)
      yield* json(log, "--message", "x")
      const other = write("other.log", readFileSync(log, "utf8"))
      assert.deepInclude(yield* json(other), { step: 2 })
    })
  )

  it.effect("what the prompt or a message says is shown, never obeyed, and no line is too wide", () =>
    Effect.gen(function* () {
      const evil = "\u001b[31m\u202e\u0007"
      const args = ["step", agent, "--log", newLog(), "--set", `cwd=${evil}`, "--message", `${evil}${"x".repeat(500)}`]
      for (const columns of [30, 80]) {
        const { code, stdout } = yield* preamble([...args, "--provider", evil], { columns, env: { NO_COLOR: "1" } })
        assert.strictEqual(code, 0)
        assert.notMatch(stdout.replaceAll("\n", ""), /[\p{Cc}\p{Bidi_Control}]/u)
        for (const line of stdout.split("\n")) assert.isAtMost(width(line), columns, line)
      }
    })
  )
})
