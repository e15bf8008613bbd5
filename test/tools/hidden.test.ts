import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { type Assembly, PromptScope, SystemPrompt, ToolRegistry } from "../../src/index.ts"
import { registeredAs } from "../../src/internal/toolLink.ts"
import { check, patience, Tally } from "../support/check.ts"
import { runs } from "../support/runs.ts"
import * as view from "../support/view.ts"
import { assembledIn, call, encoded, failed, family, give, layer, test, tool } from "./support.ts"
import { answerTo, build, chainOf, names, ownerOf, world } from "./world.ts"

/** What a call gives, or how it fails. */
const outcome = (assembly: Assembly.Assembly, name: string) =>
  Effect.map(Effect.result(call(assembly, name)), (result) =>
    Result.isSuccess(result) ? result.success : result.failure._tag
  )

const unused = "abcdefghijklmnopqrstuvwxyz".split("")

/** Names that no world has, a letter or two away from those that it has. */
const strangers = names
  .flatMap((name) => unused.flatMap((letter) => [`${name}${letter}`, `${letter}${name.slice(1)}q`]))
  .filter((stranger) => !names.some((name) => name === stranger))

const Failed = Schema.Struct({
  _tag: Schema.String,
  tool: Schema.String,
  known: Schema.Array(Schema.String),
  nearest: Schema.optionalKey(Schema.String)
})

const failure = (assembly: Assembly.Assembly, name: string) =>
  Effect.map(failed(assembly, name), (error) => ({
    json: Schema.decodeUnknownSync(Failed)(encoded(error)),
    message: error.message
  }))

describe("a random registry", () => {
  it.effect(
    "accepts calls of exactly the registry tools that its assembly has, and runs those of the nearest scope",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        yield* check(
          world,
          (given) =>
            Effect.gen(function* () {
              const { assembly, scope } = yield* build(given)
              const registry = yield* ToolRegistry
              const own = assembly.tools.filter((one) => registeredAs(one) !== undefined)
              const accepted: Array<string> = []
              for (const name of names) {
                const came = yield* outcome(assembly, name)
                assert.strictEqual(came, answerTo(given, name), name)
                if (String(came).startsWith("runs")) accepted.push(name)
                tally.count(
                  String(came).split(" ")[0]!,
                  ...(registry.view(scope).hidden.some((one) => one.name === name) ? ["restricted"] : []),
                  ...(came === "ToolNotFound" && ownerOf(given, name) !== undefined ? ["removed"] : [])
                )
              }
              assert.deepStrictEqual(own.map(({ schema }) => schema.name).toSorted(), accepted.toSorted())
              // The view is the assembly before listeners and bare providers.
              const shown = names.filter((name) => ownerOf(given, name) !== undefined).toSorted()
              const { hidden, tools } = registry.view(scope)
              assert.deepStrictEqual(
                tools.map(({ schema }) => schema.name),
                shown
              )
              const known = new Set(
                given.tools
                  .filter((one) => chainOf(given, given.target).includes(one.scope))
                  .map(({ name }) => names[name]!)
              )
              assert.deepStrictEqual(
                hidden.map(({ name }) => name),
                [...known].filter((name) => !shown.includes(name)).toSorted()
              )
              for (const { by } of hidden) assert.isAbove(by.length, 0)
            }).pipe(Effect.scoped, Effect.provide(layer)),
          { runs: runs(150, 20_000), seed: 6 }
        )
        tally.assertShares("calls", {
          runs: 15,
          ToolNotFound: 30,
          ToolWithoutHandler: 1,
          restricted: 5,
          removed: 1
        })
      }),
    patience
  )

  it.effect(
    "[BC-034] fails for a hidden name as for an unused one of the same nearest, and as if what is hidden never was",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        yield* check(
          world,
          (given) =>
            Effect.gen(function* () {
              const { assembly } = yield* build(given)
              const secrets = names.filter(
                (name) =>
                  given.tools.some((one) => names[one.name] === name) && answerTo(given, name) === "ToolNotFound"
              )
              // A world in which nothing was ever hidden.
              const twin = yield* Effect.gen(function* () {
                yield* give(...new Set(view.tools(assembly)))
                return yield* assembledIn(PromptScope.global)
              }).pipe(Effect.provide(layer, { local: true }))
              for (const secret of secrets) {
                const { json, message } = yield* failure(assembly, secret)
                assert.deepStrictEqual(json.known, [...new Set(view.tools(assembly))].toSorted())
                const inTwin = yield* failure(twin, secret)
                assert.deepStrictEqual({ json, message }, inTwin)
                let stranger: string | undefined
                for (const one of strangers) {
                  const other = yield* failure(assembly, one)
                  if (other.json.nearest !== json.nearest) continue
                  stranger = one
                  assert.deepStrictEqual({ ...other.json, tool: secret }, json)
                  assert.strictEqual(other.message.replace(`"${one}"`, `"${secret}"`), message)
                  break
                }
                tally.count(
                  json.nearest === undefined ? "far" : "near",
                  ...(stranger === undefined ? [] : ["stranger"])
                )
              }
            }).pipe(Effect.scoped, Effect.provide(layer)),
          { runs: runs(80, 10_000), seed: 60 }
        )
        tally.assertShares("hidden names", { far: 10, near: 10, stranger: 95 })
      }),
    patience
  )
})

// -----------------------------------------------------------------------------
// disguises
// -----------------------------------------------------------------------------

/** Ways in which a model may write the name of a tool that it was not shown. */
const disguises: ReadonlyArray<readonly [what: string, disguise: (name: string) => string]> = [
  ["as it is", (name) => name],
  ["upper case", (name) => name.toUpperCase()],
  ["title case", (name) => name[0]!.toUpperCase() + name.slice(1)],
  ["a leading space", (name) => ` ${name}`],
  ["a trailing space", (name) => `${name} `],
  ["a trailing line feed", (name) => `${name}\n`],
  ["a tab within", (name) => name.replace("_", "\t")],
  ["a prefix of a server", (name) => `functions.${name}`],
  ["a prefix of a scope", (name) => `global/${name}`],
  ["a suffix", (name) => `${name}()`],
  ["a hyphen for the underscore", (name) => name.replace("_", "-")],
  ["camel case", (name) => name.replace(/_(\w)/, (_, letter: string) => letter.toUpperCase())],
  ["a Cyrillic letter", (name) => name.replace("e", "\u0435")],
  ["fullwidth letters", (name) => name.replace(/[a-z]/g, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0))],
  ["mathematical letters", (name) => name.replace("d", "\u{1d41d}")],
  ["a ligature", (name) => name.replace("fi", "\ufb01")],
  ["a combining accent", (name) => name.replace("e", "e\u0301")],
  ["a zero-width space", (name) => name.replace("e", "e\u200b")],
  ["a zero-width joiner at its end", (name) => `${name}\u200d`],
  ["a byte order mark", (name) => `\ufeff${name}`],
  ["a soft hyphen", (name) => name.replace("_", "\u00ad_")],
  ["a text direction", (name) => `\u202e${name}`],
  ["a variation selector", (name) => `${name}\ufe0f`],
  ["a trailing NUL", (name) => `${name}\0`],
  ["double quotes", (name) => `"${name}"`],
  ["single quotes", (name) => `'${name}'`],
  ["back quotes", (name) => `\`${name}\``],
  ["JSON escapes", (name) => name.replace("e", "\\u0065")],
  ["URL encoding", (name) => name.replace("_", "%5F")],
  ["HTML encoding", (name) => name.replace("_", "&#95;")],
  ["base64", (name) => btoa(name)],
  ["backwards", (name) => [...name].toReversed().join("")],
  ["an array of it", (name) => JSON.stringify([name])],
  ["a path", (name) => `../${name}`],
  ["a lone surrogate", (name) => `${name}\ud800`]
]

/** What every object has. */
const inherited = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "length", "0", "get", "has", ""]

describe("a model that asks for a hidden tool", () => {
  test(
    "of a copy whose tools its host still takes away: the list of this moment counts",
    Effect.gen(function* () {
      yield* give("read", "rm")
      const assembly = yield* assembledIn(PromptScope.global)
      const tools = [...assembly.tools]
      const own = { ...assembly, tools }
      assert.strictEqual((yield* failed(own, "rm"))._tag, "ToolWithoutHandler")
      tools.pop()
      assert.strictEqual((yield* failed(own, "rm"))._tag, "ToolNotFound")
    })
  )

  test(
    "[BC-034] [BC-089] is told each time that there is no such tool, and no handler runs, however it writes the name",
    Effect.gen(function* () {
      const { child, other, parent } = yield* family
      const registry = yield* ToolRegistry
      let ran = 0
      const counting = (name: string) => ({ ...tool(name), handler: () => Effect.sync(() => ++ran) })
      yield* registry.register(counting("delete_file"))
      yield* PromptScope.provide(other)(registry.register(counting("others_file")))
      yield* PromptScope.provide(parent)(registry.restrict({ deny: ["delete_file"] }))
      yield* give("read")
      const assembly = yield* assembledIn(child)
      assert.deepStrictEqual(view.tools(assembly), ["read"])
      for (const name of ["delete_file", "others_file"]) {
        for (const [what, disguise] of disguises) {
          const asked = disguise(name)
          if (what !== "as it is" && asked === name) continue
          const error = yield* failed(assembly, asked)
          assert.deepStrictEqual(encoded(error), { _tag: "ToolNotFound", tool: asked, known: ["read"] }, what)
          assert.notInclude(error.message, "restrict")
          assert.isBelow(error.message.length, 300)
          assert.notMatch(error.message, /[\n\0\u200b-\u202e\ufeff]/)
        }
      }
      for (const name of inherited) assert.strictEqual((yield* failed(assembly, name))._tag, "ToolNotFound", name)
      assert.strictEqual(ran, 0)
      assert.strictEqual(yield* call(yield* assembledIn(PromptScope.global), "delete_file"), 1)
    })
  )

  test(
    "and one that it was shown has but one name",
    Effect.gen(function* () {
      yield* give("delete_file")
      const assembly = yield* assembledIn(PromptScope.global)
      let tried = 0
      for (const [what, disguise] of disguises) {
        const asked = disguise("delete_file")
        if (asked === "delete_file") continue
        tried++
        assert.strictEqual((yield* failed(assembly, asked))._tag, "ToolNotFound", what)
      }
      assert.isAbove(tried, 30)
      assert.strictEqual(yield* call(assembly, "delete_file"), "delete_file")
    })
  )

  test(
    "by a name of a megabyte is told so in few words",
    Effect.gen(function* () {
      yield* give("read")
      const assembly = yield* assembledIn(PromptScope.global)
      const error = yield* failed(assembly, "read".repeat(250_000))
      assert.strictEqual(error._tag, "ToolNotFound")
      assert.isBelow(error.message.length, 300)
      assert.notProperty(error, "nearest")
    })
  )

  test(
    "is told of a hundred tools at most, by name",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const all = Array.from({ length: 130 }, (_, i) => `t${String(i).padStart(3, "0")}`)
      yield* give(...all)
      // Of those that share a name, one is told.
      yield* prompt.tools(all.slice(0, 5).map((name) => ({ name, description: "", parameters: {} })))
      const error = yield* failed(yield* assembledIn(PromptScope.global), "t13")
      if (error._tag !== "ToolNotFound") return assert.fail(error.message)
      assert.deepStrictEqual(error.known, all.slice(0, 100))
      assert.strictEqual(error.more, 30)
      assert.include(error.message, "t099 and 30 more.")
      assert.include(error.message, 'Did you mean "t013"?')
      const few = yield* failed(
        yield* assembledIn(PromptScope.global).pipe(
          Effect.map((one) => ({ ...one, tools: one.tools.filter(({ schema }) => schema.name < "t100") }))
        ),
        "x"
      )
      assert.notProperty(few, "more")
    })
  )
})
