/**
 * Migrates generated logs of 20 MB and 200 MB from the oldest format, file to file, and prints the peak memory of each,
 * measured in a process of its own:
 *
 *     npm exec -- node test/session/format/memory.ts
 *
 * V8 takes what it can get: with `--max-old-space-size=64` before the script's name, the peak says what is needed.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { spawnSync } from "node:child_process"
import { closeSync, createReadStream, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as MigrationStream from "../../../src/session/format/MigrationStream.ts"

const words = "the quick brown fox jumps over the lazy dog while the build is running "

interface Kind {
  readonly megabytes: number
  /** A summary replaces everything after so many turns; 0: never, so that all messages stay. */
  readonly compactsEvery: number
}

const text = (text: string) => ({ type: "text", text })

/** Writes turn after turn, holding none of them, until the file is large enough. */
const generate = (file: string, { compactsEvery, megabytes }: Kind): void => {
  const out = openSync(file, "w")
  let bytes = 0
  let seq = 0
  let surface: Array<number> = []
  const write = (row: object) => (bytes += writeSync(out, `${JSON.stringify(row)}\n`))
  const full = () => bytes >= megabytes * 1_000_000
  const put = (type: string, data: object, more: object = {}) => {
    write({ type, seq, time: 1_700_000_000_000 + seq, data, ...more })
    return seq++
  }
  const message = (type: string, data: object, more: object = { surfaceOp: "append" }) => {
    const at = put(type, data, more)
    surface.push(at)
  }
  write({ type: "session", version: 0, id: "large", createdAt: 1_700_000_000_000, delegationDepth: 0 })
  for (let turn = 1; !full(); turn++) {
    const step = { turn, step: 1 }
    put("turn/start", { turn })
    put("step/start", step)
    message("user/message", {
      role: "user",
      id: `u${turn}`,
      source: { kind: "user" },
      content: [text(words.repeat(10))]
    })
    const system = `You are a careful assistant. Today is day ${Math.floor(turn / 50)}.`
    put("request/header", { header: { config: { provider: "p", model: "m" }, system }, reason: "change" })
    const texts = Array.from({ length: 200 }, (_, index) => words.slice(index % 40, (index % 40) + 5))
    const first = seq
    const body = { ...step, index: 0, dt: texts.slice(1).map(() => 1), texts }
    write({ type: "text-chunks", seq0: seq, time0: 1_700_000_000_000 + seq, data: body })
    seq += texts.length
    const finish = put("assistant/chunk", { ...step, chunk: { type: "finish", reason: { kind: "stop" } } })
    const source = { kind: "model", provider: "p", model: "m" }
    const call = { type: "tool-call", id: `c${turn}`, name: "read", arguments: "{}" }
    const answer = { role: "assistant", id: `a${turn}`, source, content: [text(texts.join("")), call] }
    message(
      "assistant/message",
      { ...step, message: answer },
      { sourceEventSeqs: [[first, finish]], surfaceOp: "append" }
    )
    const cites = put("tool/call", { ...step, callId: call.id, name: "read", arguments: "{}" })
    const result = { type: "tool-result", toolCallId: call.id, content: [text(words.repeat(20))], isError: false }
    const wrapper = { role: "user", id: `r${turn}`, source: { kind: "tool", callId: call.id }, content: [result] }
    const meta = { lines: Array.from({ length: 20 }, (_, number) => ({ number, text: words })) }
    message("tool/result", { ...step, message: wrapper, meta }, { sourceEventSeqs: [cites], surfaceOp: "append" })
    put("step/end", step)
    put("turn/end", { turn, reason: { kind: "completed" } })
    if (compactsEvery > 0 && turn % compactsEvery === 0) {
      const replaced = surface
      surface = []
      const op = { op: "replace", start: replaced[0], end: replaced.at(-1) }
      const summary = {
        role: "user",
        id: `s${turn}`,
        source: { kind: "plugin", plugin: "compact" },
        content: [text(words)]
      }
      put("compaction/start", { compactionId: `k${turn}` })
      message("user/message", summary, { sourceEventSeqs: replaced, surfaceOp: op })
      put("compaction/end", { compactionId: `k${turn}` })
    }
  }
  closeSync(out)
}

const migrate = (from: string, to: string) =>
  Effect.gen(function* () {
    const out = openSync(to, "w")
    const lines = Stream.fromAsyncIterable<Uint8Array, unknown>(createReadStream(from), (cause) => cause).pipe(
      Stream.decodeText(),
      Stream.splitLines
    )
    yield* Stream.runForEach(MigrationStream.migrate({ file: from, children: [] })(lines), (part) =>
      Effect.sync(() => {
        const line = MigrationStream.line(part)
        if (line !== undefined) writeSync(out, `${line}\n`)
        else if (part._tag === "Report") {
          const { eventsRead, eventsWritten } = part.report
          console.log(`  ${eventsRead} events read, ${eventsWritten} written`)
        }
      })
    )
    closeSync(out)
  })

const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`

const measure = (kind: Kind) =>
  Effect.gen(function* () {
    const folder = mkdtempSync(join(tmpdir(), "preamble-memory-"))
    const [from, to] = [join(folder, "from.jsonl"), join(folder, "to.jsonl")]
    generate(from, kind)
    const idle = process.memoryUsage.rss()
    const start = performance.now()
    yield* migrate(from, to)
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    const sizes = `${mib(statSync(from).size)} to ${mib(statSync(to).size)}`
    // In kilobytes.
    const peak = process.resourceUsage().maxRSS * 1024
    console.log(`  ${sizes} in ${seconds} s; before ${mib(idle)}, peak ${mib(peak)}`)
    rmSync(folder, { recursive: true })
  })

const [, script = fileURLToPath(import.meta.url), megabytes, compactsEvery] = process.argv

if (megabytes === undefined) {
  for (const every of ["20", "0"]) {
    for (const size of ["20", "200"]) {
      console.log(`${size} MB, ${every === "0" ? "never compacted" : `compacted every ${every} turns`}`)
      spawnSync(process.execPath, [...process.execArgv, script, size, every], { stdio: "inherit" })
    }
  }
} else {
  void Effect.runPromise(measure({ megabytes: Number(megabytes), compactsEvery: Number(compactsEvery) }))
}
