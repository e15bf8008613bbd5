import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, FileSystem, Layer, Queue, Sink, Stdio, Stream } from "effect"
import { systemError } from "effect/PlatformError"
import { TestClock } from "effect/testing"
import { ProcessEnv } from "../../src/cli/ProcessEnv.ts"
import { run } from "../../src/cli/run.ts"
import { errorOf, preamble, root, start } from "./support.ts"

const folders: Array<string> = []
afterAll(() => {
  for (const one of folders) rmSync(one, { recursive: true })
})

const folder = (parent = tmpdir()): string => {
  const made = mkdtempSync(join(parent, "watch-"))
  folders.push(made)
  return made
}

// -----------------------------------------------------------------------------
// a watched folder
// -----------------------------------------------------------------------------

/** Real files, whose changes are told when the test says so. */
const world = Effect.gen(function* () {
  const real = yield* Effect.provide(FileSystem.FileSystem, NodeFileSystem.layer)
  const here = folder()
  const watchers = new Map<string, { readonly folder: number; readonly tell: (event: FileSystem.WatchEvent) => void }>()
  const counts = { opened: 0, reads: 0, most: 0, empty: 0 }
  const output = yield* Queue.unbounded<string>()
  const fs: FileSystem.FileSystem = {
    ...real,
    readFile: (path) => {
      if (path.endsWith("a.yaml")) counts.reads++
      // So many reads fall into the moment between emptying the file and writing it.
      return path.endsWith("a.yaml") && counts.empty-- > 0 ? Effect.succeed(new Uint8Array()) : real.readFile(path)
    },
    watch: (path, options) =>
      Stream.callback((queue) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            assert.isFalse(watchers.has(path), `${path} is watched twice`)
            watchers.set(path, { folder: statSync(path).ino, tell: (event) => Queue.offerUnsafe(queue, event) })
            counts.opened++
            counts.most = Math.max(counts.most, watchers.size)
            options?.onReady?.()
          }),
          () => Effect.sync(() => watchers.delete(path))
        )
      )
  }
  const into = (prefix: string) => () =>
    Sink.forEach((chunk: string | Uint8Array) => {
      const text = typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk)
      return Queue.offer(output, prefix + text.replaceAll(`${here}/`, ""))
    })
  const stdio = Stdio.layerTest({ stdout: into(""), stderr: into("! ") })
  const touch = (name: string, tag: "Create" | "Update" | "Remove" = "Update") => {
    const path = join(here, name)
    const watcher = watchers.get(dirname(path))
    // As in an operating system, who watches a folder sees nothing of one that has come in its place.
    if (watcher?.folder === statSync(dirname(path)).ino) watcher.tell({ _tag: tag, path: basename(path) })
  }
  const write = (name: string, content: string) => {
    mkdirSync(dirname(join(here, name)), { recursive: true })
    // At once, as editors do: the session may be reading it.
    const fresh = join(here, `.${basename(name)}.new`)
    writeFileSync(fresh, content)
    renameSync(fresh, join(here, name))
  }
  return {
    here,
    counts,
    /** The folders that are watched. */
    watched: () => [...watchers.keys()].map((path) => path.slice(here.length + 1)).toSorted(),
    write,
    touch,
    change: (name: string, content: string) => {
      write(name, content)
      touch(name)
    },
    start: (...args: ReadonlyArray<string>) =>
      run(["watch", ...args]).pipe(
        Effect.provide(Layer.mergeAll(Layer.succeed(FileSystem.FileSystem, fs), NodePath.layer, stdio)),
        Effect.provideService(ProcessEnv, {}),
        Effect.forkScoped
      ),
    /** What is printed next, for which time may have to pass. */
    next: Effect.raceFirst(
      Queue.take(output),
      Effect.forever(Effect.andThen(TestClock.adjust("100 millis"), Effect.yieldNow))
    ),
    /** What was printed and not taken yet. */
    rest: Effect.suspend(() => Queue.clear(output))
  }
})

const ticks = Effect.repeat(Effect.yieldNow, { times: 50 })

const simple = "identity: One {{v}}.\nvariables: { v: x }\nsections: [{ name: s, order: 1, text: { file: in/s.md } }]\n"

describe("watch", () => {
  it.effect("renders at first, then prints what is different each time that a file of the composition changes", () =>
    Effect.gen(function* () {
      const { change, here, next, start, watched, write } = yield* world
      write("a.yaml", simple)
      write("in/s.md", "S")
      yield* start(join(here, "a.yaml"))
      assert.match(
        (yield* next).replaceAll(/\s+/gu, " "),
        /^a\.yaml, scope "global": prompt and tools have 9 bytes, ~\d+ tokens $/u
      )
      assert.strictEqual(yield* next, "! Watching 2 files. Ctrl-C ends.\n")
      assert.deepStrictEqual(watched(), ["", "in"])

      change("in/s.md", "T")
      const text = yield* next
      assert.include(text, 'First differing byte of the prompt: 8 (line 3, column 1)\n  on both sides: section "s"')
      assert.isTrue(text.endsWith('section "s"\n@@ -1 +1 @@\n-S\n+T\n'), text)

      change("a.yaml", simple.replace("v: x", "v: y"))
      assert.include(yield* next, '~  v  "x" → "y"')
      change("a.yaml", `# a comment\n${simple.replace("v: x", "v: y")}`)
      assert.strictEqual(yield* next, "\nNothing is different.\n")
    })
  )

  it.effect("goes on through errors, tells each once, and compares with the last good rendering", () =>
    Effect.gen(function* () {
      const { change, counts, here, next, rest, start, touch, write } = yield* world
      write("a.yaml", simple)
      write("in/s.md", "S")
      yield* start(join(here, "a.yaml"))
      yield* next
      yield* next
      change("a.yaml", "identity: [")
      assert.match(yield* next, /^! a\.yaml:1:12: the YAML is broken/u)
      touch("a.yaml")
      while (counts.reads < 3) yield* Effect.andThen(TestClock.adjust("100 millis"), Effect.yieldNow)
      yield* ticks
      assert.deepStrictEqual(yield* rest, [])
      change("a.yaml", simple.replace("{{v}}", "{{w}}"))
      assert.match(yield* next, /^! a\.yaml:1:15: UnknownVariable/u)
      rmSync(join(here, "in/s.md"))
      touch("in/s.md", "Remove")
      assert.match(yield* next, /^! a\.yaml:3:.*cannot read "in\/s\.md": there is no such file/su)
      write("in/s.md", "S")
      change("a.yaml", simple.replace("One", "Two"))
      touch("in/s.md", "Create")
      const good = yield* next
      assert.include(good, "-One x.\n+Two x.\n")
      assert.deepStrictEqual(yield* rest, [])
    })
  )

  it.effect("a file that is empty while it is written is no error; one that stays empty is", () =>
    Effect.gen(function* () {
      const { change, counts, here, next, start, write } = yield* world
      write("a.yaml", simple)
      write("in/s.md", "S")
      yield* start(join(here, "a.yaml"))
      yield* next
      yield* next
      counts.empty = 1
      change("a.yaml", simple.replace("One", "Two"))
      assert.include(yield* next, "-One x.\n+Two x.\n")
      counts.empty = 2
      change("a.yaml", simple)
      assert.match(yield* next, /^! a\.yaml:1:1: the file is empty/u)
    })
  )

  it.effect("it may start with an error; a folder that comes later, or comes anew, is watched from then on", () =>
    Effect.gen(function* () {
      const { change, here, next, start, touch, watched, write } = yield* world
      write("a.yaml", simple)
      yield* start(join(here, "a.yaml"))
      assert.include(yield* next, "there is no such file")
      yield* next
      assert.deepStrictEqual(watched(), [""])
      write("in/s.md", "S")
      touch("in", "Create")
      assert.include(yield* next, "prompt and tools have 9 bytes")
      assert.deepStrictEqual(watched(), ["", "in"])
      renameSync(join(here, "in"), join(here, "old"))
      write("in/s.md", "T")
      touch("in", "Create")
      assert.include(yield* next, "-S\n+T\n")
      change("in/s.md", "U")
      assert.include(yield* next, "-T\n+U\n")
    })
  )

  it.effect("many changes in a row are one; what happens to other files is none", () =>
    Effect.gen(function* () {
      const { counts, here, next, rest, start, touch, write } = yield* world
      write("a.yaml", "identity: x")
      write("b.yaml", "identity: x")
      yield* start(join(here, "a.yaml"))
      yield* next
      yield* next
      assert.strictEqual(counts.reads, 1)
      for (let i = 0; i < 5; i++) {
        touch("a.yaml")
        yield* ticks
        yield* TestClock.adjust("99 millis")
        yield* ticks
      }
      assert.strictEqual(counts.reads, 1, "it was never quiet")
      yield* TestClock.adjust("1 millis")
      assert.include(yield* next, "Nothing is different.")
      assert.strictEqual(counts.reads, 2)
      touch("b.yaml")
      touch("a.yaml~")
      yield* ticks
      yield* TestClock.adjust("10 seconds")
      yield* ticks
      assert.deepStrictEqual([counts.reads, yield* rest], [2, []])
    })
  )

  it.effect("keeps one watcher for each folder over 100 changes, and none when it is interrupted", () =>
    Effect.gen(function* () {
      const { change, counts, here, next, start, watched, write } = yield* world
      write("a.yaml", simple)
      write("in/s.md", "S")
      const fiber = yield* start(join(here, "a.yaml"))
      yield* next
      yield* next
      for (let i = 0; i < 100; i++) {
        change("in/s.md", `S${i}`)
        assert.include(yield* next, `+S${i}\n`)
      }
      assert.deepStrictEqual([counts.opened, counts.most, watched()], [2, 2, ["", "in"]])
      change("a.yaml", "identity: x")
      yield* next
      assert.deepStrictEqual(watched(), [""], "what nothing refers to any more is not watched")
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.hasInterrupts(exit))
      assert.deepStrictEqual(watched(), [])
    })
  )

  it.effect("files of variables and plugins are watched; a module is loaded once, which is said", () =>
    Effect.gen(function* () {
      const { change, here, next, start, touch, write } = yield* world
      write("a.yaml", "identity: '{{v}}'\nplugins: [p.mjs]")
      write("v.yaml", "v: one")
      write("p.mjs", "export default 1")
      yield* start(join(here, "a.yaml"), "--var-file", join(here, "v.yaml"))
      assert.include(yield* next, "has a default export that is no Layer")
      assert.strictEqual(yield* next, "! Watching 3 files. Ctrl-C ends.\n")
      touch("p.mjs")
      assert.strictEqual(yield* next, "! note: p.mjs changed. Modules are loaded once: start again to see it.\n")
      change("a.yaml", "identity: '{{v}}'")
      assert.include(yield* next, "prompt and tools have 3 bytes")
      change("v.yaml", "v: two")
      assert.include(yield* next, "-one\n+two\n")
    })
  )

  it.effect("json: one line for each event, failures as everywhere", () =>
    Effect.gen(function* () {
      const { change, here, next, start, write } = yield* world
      write("a.yaml", "identity: x")
      yield* start(join(here, "a.yaml"), "--format", "json")
      assert.deepInclude(JSON.parse(yield* next), { event: "rendered", scope: "global", bytes: 1 })
      assert.deepStrictEqual(JSON.parse((yield* next).slice(2)), { watching: ["a.yaml"] })
      change("a.yaml", "identity: y")
      const changed = yield* next
      assert.strictEqual(changed.indexOf("\n"), changed.length - 1)
      assert.deepInclude(JSON.parse(changed), {
        event: "changed",
        different: true,
        before: { file: "a.yaml", scope: "global" }
      })
      change("a.yaml", "identty: y")
      assert.strictEqual(JSON.parse((yield* next).slice(2)).error._tag, "InvalidComposition")
    })
  )

  it.effect("a folder that cannot be watched ends it with 1 and a message", () =>
    Effect.gen(function* () {
      const messages: Array<string> = []
      const stderr = () =>
        Sink.forEach((chunk: string | Uint8Array) =>
          Effect.sync(() => void messages.push(typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk)))
        )
      const real = yield* Effect.provide(FileSystem.FileSystem, NodeFileSystem.layer)
      const fs: FileSystem.FileSystem = {
        ...real,
        watch: () =>
          Stream.fail(systemError({ module: "FileSystem", method: "watch", _tag: "Unknown", description: "too many" }))
      }
      const services = Layer.mergeAll(
        Layer.succeed(FileSystem.FileSystem, fs),
        NodePath.layer,
        Stdio.layerTest({ stderr })
      )
      const file = join(folder(), "a.yaml")
      writeFileSync(file, "identity: x")
      assert.strictEqual(yield* run(["watch", file]).pipe(Effect.provide(services)), 1)
      assert.match(messages.join(""), /^cannot watch for changes: .*too many/u)
    })
  )

  it.effect("standard input cannot be watched: wrong usage", () =>
    Effect.gen(function* () {
      const ended = yield* preamble(["watch", "-", "--format", "json"], { stdin: "identity: x" })
      assert.deepStrictEqual([ended.code, ended.stdout], [2, ""])
      assert.deepInclude(errorOf(ended), { _tag: "WrongUsage" })
    })
  )
})

// -----------------------------------------------------------------------------
// a process
// -----------------------------------------------------------------------------

/** A process in a folder, and all that it prints, on whichever stream. */
const watching = (cwd: string, ...args: ReadonlyArray<string>) => {
  const main = join(root, "src/cli/main.ts")
  // Both streams into one, so that they cannot come out of order.
  const child = spawn("sh", ["-c", 'exec "$0" "$@" 2>&1', process.execPath, main, "watch", ...args], { cwd })
  let printed = ""
  const listeners = new Set<() => void>()
  child.stdout.on("data", (chunk: Buffer) => {
    printed += chunk.toString()
    for (const one of listeners) one()
  })
  return {
    child,
    printed: () => printed,
    seen: (text: string) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (!printed.includes(text)) return
          listeners.delete(look)
          resolve()
        }
        listeners.add(look)
        look()
      }),
    ended: new Promise((resolve) => child.on("close", (code, signal) => resolve([code, signal])))
  }
}

describe("the process", () => {
  it("sees files that an editor replaces, and ends with 130 at Ctrl-C", async () => {
    const here = folder()
    const file = join(here, "a.yaml")
    const replace = (content: string) => {
      writeFileSync(join(here, "a.yaml.tmp"), content)
      renameSync(join(here, "a.yaml.tmp"), file)
    }
    writeFileSync(file, "identity: one")
    const { child, ended, printed, seen } = watching(here, "a.yaml")
    await seen("Ctrl-C ends.")
    replace("identity: two")
    await seen("-one\n+two\n")
    replace("identity: [")
    await seen("the YAML is broken")
    replace("identity: three")
    await seen("-two\n+three\n")
    child.kill("SIGINT")
    assert.deepStrictEqual(await ended, [130, null])
    assert.notInclude(printed(), "bug of preamble")
    assert.include(printed(), "prompt and tools have 3 bytes")
  }, 30_000)

  it("ends with 0 when the reader has gone", async () => {
    const here = folder(join(root, "test/cli"))
    const file = join(here, "a.yaml")
    writeFileSync(file, "identity: one")
    const child = start(["watch", file])
    child.stdin.end()
    const ended = new Promise((resolve) => child.on("close", (code, signal) => resolve([code, signal])))
    await new Promise((resolve) => child.stderr.once("data", resolve))
    child.stdout.destroy()
    writeFileSync(file, "identity: two")
    assert.deepStrictEqual(await ended, [0, null])
  }, 30_000)

  it("prints what docs/watch.md shows", async () => {
    const page = readFileSync(join(root, "docs/watch.md"), "utf8")
    const files = [...page.matchAll(/<!-- file: (\S+) -->\n```\w*\n(.*?)^```$/gmsu)]
    const [first, ...others] = files.map(([, , text]) => text!)
    const [, transcript] = /<!-- watch -->\n```console\n\$ preamble watch agent\.yaml\n(.*?)^```$/msu.exec(page)!
    const here = folder()
    writeFileSync(join(here, "agent.yaml"), first!)
    const { child, ended, printed, seen } = watching(here, "agent.yaml")
    await seen("Ctrl-C ends.")
    for (const [text, end] of [
      [others[0]!, "1 problem\n"],
      [others[1]!, "+Answer in two paragraphs.\n"]
    ] as const) {
      writeFileSync(join(here, "next.yaml"), text)
      renameSync(join(here, "next.yaml"), join(here, "agent.yaml"))
      await seen(end)
    }
    child.kill("SIGINT")
    await ended
    assert.strictEqual(printed(), transcript)
  }, 30_000)
})
