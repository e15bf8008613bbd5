import { mkdtempSync, promises, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { makePipe } from "../support/makePipe.ts"
import { root, spawned, start } from "./support.ts"

const folder = mkdtempSync(join(tmpdir(), "preamble-main-"))
afterAll(() => rmSync(folder, { recursive: true }))

const write = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

const ended = (child: ReturnType<typeof start>): Promise<readonly [number | null, NodeJS.Signals | null]> =>
  new Promise((resolve) => child.on("close", (code, signal) => resolve([code, signal])))

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

const large = "0123456789abcdef".repeat(200_000)

describe("the process", () => {
  it("writes exactly the prompt's bytes to a pipe, and ends with 0", async () => {
    const text = 'identity: "é世😀 \\n"\n'
    assert.deepStrictEqual(await spawned(["render", "-"], { stdin: text }), { code: 0, stdout: "é世😀 \n", stderr: "" })
  })

  it("reads a composition from a pipe that is named as a file, as that of `<(command)` is", async () => {
    const pipe = join(folder, "pipe")
    makePipe(pipe)
    const [answer] = await Promise.all([
      spawned(["render", pipe]),
      promises.writeFile(pipe, "identity: From a pipe.\n")
    ])
    assert.deepStrictEqual(answer, { code: 0, stdout: "From a pipe.", stderr: "" })
  })

  it("BC-069: writes megabytes to a pipe, also when the reader is slow", async () => {
    const file = write("large.json", JSON.stringify({ identity: large }))
    assert.strictEqual((await spawned(["render", file])).stdout, large)
    const child = start(["render", file])
    child.stdin.end()
    const end = ended(child)
    let size = 0
    let same = true
    await pause(1000)
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      same &&= chunk.toString() === large.slice(size, size + chunk.length)
      size += chunk.length
      if (size < 1_000_000) await pause(20)
    }
    assert.deepStrictEqual([await end, size, same], [[0, null], large.length, true])
  }, 30_000)

  it("ends quietly with 0 when the reader closes early", async () => {
    const child = start(["render", write("early.json", JSON.stringify({ identity: large }))])
    child.stdin.end()
    const errors: Array<Buffer> = []
    child.stderr.on("data", (chunk: Buffer) => errors.push(chunk))
    const end = ended(child)
    child.stdout.once("data", () => child.stdout.destroy())
    assert.deepStrictEqual([await end, Buffer.concat(errors).toString()], [[0, null], ""])
  }, 20_000)

  it("a plugin that cannot be imported is named with the line at fault", async () => {
    const broken = write("broken.ts", "export const a = 1\nexport default f(\n")
    const throws = write(
      "throws.ts",
      'const fail = () => {\n  throw new Error("not today")\n}\nexport default fail()\n'
    )
    const unended = write("unended.mjs", "export default f(\n")
    const { code, stderr } = await spawned([
      "render",
      write("bad.yaml", "plugins: [broken.ts, throws.ts, unended.mjs]\n")
    ])
    assert.strictEqual(code, 1)
    for (const place of [`(${broken}:2)`, `not today (${throws}:2:9)`, `(${unended})`]) assert.include(stderr, place)
  }, 20_000)

  it("stdout holds the answer alone, whatever a plugin prints", async () => {
    const plugin = [
      `import { Plugin } from ${JSON.stringify(join(root, "src/index.ts"))}`,
      'console.log("on import")',
      'const text = () => (console.log("on assembly"), process.stdout.write("raw\\n"), "from a plugin")',
      'export default Plugin.section({ name: "p", order: 1, text })'
    ]
    write("noisy.mts", plugin.join("\n"))
    const file = write("noisy.json", JSON.stringify({ identity: "Hi", plugins: ["./noisy.mts"] }))
    assert.deepStrictEqual(await spawned(["render", file]), {
      code: 0,
      stdout: "Hi\n\nfrom a plugin",
      stderr: "on import\non assembly\nraw\n"
    })
  }, 20_000)

  it("lone surrogates of a plugin are noted; they have no bytes", async () => {
    const plugin = [
      `import { Plugin } from ${JSON.stringify(join(root, "src/index.ts"))}`,
      'export default Plugin.section({ name: "p", order: 1, text: "A\\ud800B" })'
    ]
    write("surrogate.mts", plugin.join("\n"))
    const file = write("surrogate.json", JSON.stringify({ plugins: ["./surrogate.mts"] }))
    const [text, json] = await Promise.all([spawned(["render", file]), spawned(["render", file, "--format", "json"])])
    assert.deepStrictEqual(text, {
      code: 0,
      stdout: "A\ufffdB",
      stderr: 'note: lone surrogates in "p" go out as U+FFFD, since UTF-8 cannot carry them\n'
    })
    assert.deepStrictEqual(JSON.parse(json.stderr), { loneSurrogates: ["p"] })
  }, 20_000)

  it("what a plugin fails with may be anything: it is said as text and as JSON, and is no bug of ours", async () => {
    const plugin = (body: string) =>
      [
        `import { Plugin } from ${JSON.stringify(join(root, "src/index.ts"))}`,
        `import * as Effect from ${JSON.stringify(join(root, "node_modules/effect/dist/Effect.js"))}`,
        `import * as Layer from ${JSON.stringify(join(root, "node_modules/effect/dist/Layer.js"))}`,
        body
      ].join("\n")
    write(
      "cause.mts",
      plugin(
        'const cause = Object.defineProperty(new Error("z"), "message", { get() { throw 1 } })\n' +
          'export default Plugin.section({ name: "p", order: 1, text: Effect.fail(cause) })'
      )
    )
    write("bare.mts", plugin("export default Layer.effectDiscard(Effect.fail(Object.create(null)))"))
    const cause = write("cause.json", JSON.stringify({ plugins: ["./cause.mts"] }))
    const bare = write("bare.json", JSON.stringify({ plugins: ["./bare.mts"] }))
    const [failed, mounted] = await Promise.all([
      spawned(["render", cause, "--format", "json"]),
      spawned(["render", bare])
    ])
    assert.deepStrictEqual([failed.code, failed.stdout], [1, ""])
    assert.strictEqual(JSON.parse(failed.stderr).error._tag, "ProviderFailure")
    assert.deepStrictEqual([mounted.code, mounted.stdout], [1, ""])
    assert.include(mounted.stderr, "bare.json:1:")
  }, 20_000)

  it("a plugin that ends the process does not make it look done", async () => {
    write("exits.mts", "process.exit(0)")
    const ended = await spawned(["render", write("exits.json", JSON.stringify({ plugins: ["./exits.mts"] }))])
    assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
    assert.include(ended.stderr, "ended before the command was done")
  }, 20_000)

  it("exit codes: 0 done, 1 a typed failure, 2 wrong usage", async () => {
    const [version, failure, usage, json] = await Promise.all([
      spawned(["--version"]),
      spawned(["render", "docs/examples/broken.yaml"]),
      spawned(["render"]),
      spawned(["render", "docs/examples/broken.yaml", "--format", "json"])
    ])
    assert.deepStrictEqual([version.code, version.stderr], [0, ""])
    assert.deepStrictEqual([failure.code, failure.stdout], [1, ""])
    assert.isTrue(failure.stderr.endsWith("\n\n10 problems\n"))
    assert.deepStrictEqual([usage.code, usage.stdout], [2, ""])
    assert.include(usage.stderr, "Missing required argument: FILE")
    assert.deepStrictEqual([json.code, json.stdout], [1, ""])
    assert.strictEqual(JSON.parse(json.stderr).error._tag, "InvalidComposition")
  }, 30_000)

  it("reads the environment of the process", async () => {
    const stdin = "variables: { a: { env: PREAMBLE_TEST } }\nsections: [{ name: s, order: 0, text: '<{{a}}>' }]"
    assert.strictEqual(
      (await spawned(["render", "-"], { stdin, env: { ...process.env, PREAMBLE_TEST: "v" } })).stdout,
      "<v>"
    )
  })

  it("a signal ends it with 130 and without output", async () => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      const child = start(["render", "-"])
      const output: Array<Buffer> = []
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => output.push(chunk))
      const end = ended(child)
      // More than a pipe holds: when all is handed over, the command is reading. Standard input stays open.
      await new Promise((resolve) => child.stdin.write(`# ${"x".repeat(1_000_000)}\n`, resolve))
      child.kill(signal)
      assert.deepStrictEqual([await end, Buffer.concat(output).toString()], [[130, null], ""])
    }
  }, 30_000)

  it("ends although a plugin left a timer behind", async () => {
    write("timer.mjs", "setInterval(() => {}, 1000)\nexport default 1\n")
    const file = write("timer.yaml", "plugins: [timer.mjs]\n")
    assert.strictEqual((await spawned(["render", file])).code, 1)
  }, 20_000)
})
