import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Tokens from "../../src/cli/Tokens.ts"
import { estimate, Gpt, Tokenizer } from "../../src/tokens/index.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

describe("Tokenizer.layer", () => {
  it.effect("estimates, and says so", () =>
    Effect.gen(function* () {
      const { count, name } = yield* Tokenizer
      assert.strictEqual(name, "estimate")
      assert.deepStrictEqual(count("You are a careful assistant."), { tokens: 6, exact: false })
      assert.deepStrictEqual(count(""), { tokens: 0, exact: false })
    }).pipe(Effect.provide(Tokenizer.layer))
  )
})

describe("Gpt.layer", () => {
  it.effect("counts o200k_base exactly, and says so", () =>
    Effect.gen(function* () {
      const { count, name } = yield* Tokenizer
      assert.strictEqual(name, "o200k_base")
      // What the public encoder of this encoding gives.
      assert.deepStrictEqual(count("Hello, world!"), { tokens: 4, exact: true })
      assert.deepStrictEqual(count(""), { tokens: 0, exact: true })
      assert.deepStrictEqual(count("antidisestablishmentarianism"), { tokens: 6, exact: true })
      assert.notStrictEqual(count("antidisestablishmentarianism").tokens, estimate("antidisestablishmentarianism"))
    }).pipe(Effect.provide(Gpt.layer))
  )

  it.effect("takes markers of the encoding for the text that they are in a prompt", () =>
    Effect.gen(function* () {
      const { count } = yield* Tokenizer
      const marker = count("Never write <|endoftext|> yourself.")
      assert.isTrue(marker.exact)
      assert.isAbove(marker.tokens, 8)
      assert.isAbove(count("<|im_start|>").tokens, 1)
    }).pipe(Effect.provide(Gpt.layer))
  )

  it.effect("[BC-071] does not hang on a run without a boundary, and calls that count an estimate", () =>
    Effect.gen(function* () {
      const { count } = yield* Tokenizer
      for (const unit of ["中", "a", " ", "=", "\n"]) {
        assert.isTrue(count(unit.repeat(1000)).exact, JSON.stringify(unit))
        const before = performance.now()
        const { exact, tokens } = count(unit.repeat(30_000))
        assert.isBelow(performance.now() - before, 5000, JSON.stringify(unit))
        assert.isFalse(exact, JSON.stringify(unit))
        assert.isAbove(tokens, 100)
      }
      // Much text is no such run.
      assert.isTrue(count("All of it has boundaries. 每一句都有标点。\n".repeat(500)).exact)
    }).pipe(Effect.provide(Gpt.layer))
  )
})

// -----------------------------------------------------------------------------
// without the package
// -----------------------------------------------------------------------------

/** A process in which `gpt-tokenizer` is not installed, and which says each time that it is asked for. */
const withoutPackage = `
import { registerHooks } from "node:module"
registerHooks({
  resolve: (specifier, context, next) => {
    if (!specifier.startsWith("gpt-tokenizer")) return next(specifier, context)
    process.stderr.write("asked for " + specifier)
    return next("not-installed-" + specifier, context)
  }
})
`

const runWithout = (program: string): Promise<{ readonly stdout: string; readonly stderr: string }> =>
  new Promise((resolve, reject) => {
    const args = ["--import", `data:text/javascript,${encodeURIComponent(withoutPackage)}`, "--input-type=module"]
    execFile(process.execPath, [...args, "-e", program], { cwd: root }, (error, stdout, stderr) =>
      error === null ? resolve({ stdout, stderr }) : reject(error)
    )
  })

describe("without gpt-tokenizer", () => {
  it("the module loads, and the estimate works, and nobody asks for the package", async () => {
    const { stderr, stdout } = await runWithout(`
      import { Effect } from "effect"
      import { Gpt, Tokenizer } from "./src/tokens/index.ts"
      const count = Tokenizer.use(({ count }) => Effect.succeed(count("You are a careful assistant.")))
      console.log(typeof Gpt.layer, JSON.stringify(Effect.runSync(Effect.provide(count, Tokenizer.layer))))
    `)
    assert.deepStrictEqual([stdout, stderr], ['object {"tokens":6,"exact":false}\n', ""])
  }, 20_000)

  it("the exact layer fails with MissingPeer, which says what to install", async () => {
    const { stderr, stdout } = await runWithout(`
      import { Effect } from "effect"
      import { Gpt, Tokenizer } from "./src/tokens/index.ts"
      const failed = Effect.flip(Effect.provide(Tokenizer, Gpt.layer))
      Effect.runPromise(failed).then((error) => console.log(JSON.stringify({ ...error, message: error.message })))
    `)
    assert.include(stderr, "asked for gpt-tokenizer/")
    const { message, ...fields } = JSON.parse(stdout)
    assert.deepStrictEqual(fields, {
      _tag: "MissingPeer",
      package: "gpt-tokenizer@4",
      purpose: "Counting tokens exactly",
      reason: "it is not installed."
    })
    for (const part of ["npm install gpt-tokenizer@4", "not installed", "estimate"]) assert.include(message, part)
  }, 20_000)

  it("the error survives encoding", () => {
    const error = new Gpt.MissingPeer({ package: "p@1", purpose: "Doing it", reason: "it is broken." })
    const encoded = Schema.encodeUnknownSync(Schema.toCodecJson(Gpt.MissingPeer))(error)
    assert.deepStrictEqual(Schema.decodeUnknownSync(Schema.toCodecJson(Gpt.MissingPeer))(encoded), error)
  })
})

// -----------------------------------------------------------------------------
// the command line
// -----------------------------------------------------------------------------

describe("Tokens", () => {
  it.effect("--tokenizer chooses who counts", () =>
    Effect.gen(function* () {
      const nameOf = (choice: Tokens.Choice) =>
        Tokenizer.use(({ name }) => Effect.succeed(name)).pipe(Effect.provide(Tokens.layer(choice)))
      assert.strictEqual(yield* nameOf("estimate"), "estimate")
      assert.strictEqual(yield* nameOf("o200k"), "o200k_base")
    })
  )

  it("a count that is not exact begins with ~", () => {
    assert.strictEqual(Tokens.show({ tokens: 1234, exact: true }), "1,234")
    assert.strictEqual(Tokens.show({ tokens: 1234, exact: false }), "~1,234")
    assert.strictEqual(Tokens.show({ tokens: 0, exact: false }), "~0")
    assert.strictEqual(Tokens.show({ tokens: 1234567, exact: true }), "1,234,567")
  })
})
