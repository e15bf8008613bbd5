import { assert, describe, it } from "@effect/vitest"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import type * as Scope from "effect/Scope"
import { Overlays, Plugin, PromptScope, Rendered, Renderer, SystemPrompt, Waterfall } from "effect-preamble"
import {
  CompositionScopes,
  type InvalidComposition,
  layer,
  layerFile,
  layerNoDeps,
  load,
  type Options,
  Plugins
} from "effect-preamble/composition"
import { makePipe } from "../support/makePipe.ts"
import { untyped } from "../support/untyped.ts"
import { accept, placesOf } from "./support.ts"

const platform = Layer.mergeAll(NodeFileSystem.layer, NodePath.layer)

const renderIn = (scope: string | undefined) =>
  Effect.gen(function* () {
    const scopes = yield* CompositionScopes
    const prompt = yield* SystemPrompt
    const chosen = scope === undefined ? scopes.initial : yield* scopes.find(scope)
    return yield* PromptScope.provide(chosen)(prompt.render)
  })

const textOf = (text: string, scope?: string, options?: Options) =>
  renderIn(scope).pipe(
    Effect.map((rendered) => rendered.text),
    Effect.provide(layer(accept(text), options))
  )

/** A folder with these files, gone when the scope closes. */
const folderWith = Effect.fnUntraced(function* (files: Readonly<Record<string, string | Uint8Array>>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = yield* fs.makeTempDirectoryScoped()
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name)
    yield* fs.makeDirectory(path.dirname(file), { recursive: true })
    yield* typeof content === "string" ? fs.writeFileString(file, content) : fs.writeFile(file, content)
  }
  return path.join(folder, "agent.yaml")
})

const problemsOf = <A, R>(effect: Effect.Effect<A, InvalidComposition, R>, file: string) =>
  Effect.map(Effect.flip(effect), (error) => ({
    places: placesOf(error).map((one) => one.replaceAll(file, "FILE")),
    error
  }))

type Platform = FileSystem.FileSystem | Path.Path | Scope.Scope

const onDisk = (title: string, body: Effect.Effect<void, unknown, Platform>) =>
  it.effect(title, () => body.pipe(Effect.provide(platform)))

describe("layer", () => {
  const text = `
identity: I am.
persona: { prefix: "P {{model}}", suffix: "S {{cwd}}" }
variables: { model: m, cwd: { env: HERE }, none: null }
sections:
  - { name: a, order: 1, text: "A", requires: [t] }
  - { name: b, order: 2, text: "{{x}}", interpolate: false }
  - { name: c, order: 3, text: "C", requires: [absent] }
contexts: [{ name: k, order: 1, text: "K {{model}}" }]
tools: [{ name: t, description: d, parameters: {} }]
scopes:
  child: { parent: middle, variables: { model: n } }
  middle: { persona: { suffix: T }, sections: [{ name: m, order: 9, text: 'M {{model}}' }], suppressRuntimeContext: true }
  whole: { sections: [{ name: w, order: 0, text: W, complete: true }] }
scope: child
`
  it.effect("registers everything in the scope that the file says, whatever the order of scopes", () =>
    Effect.gen(function* () {
      const env = { env: { HERE: "/h" } }
      assert.strictEqual(yield* textOf(text, "global", env), "I am.\n\nP m\n\nA\n\n{{x}}\n\nS /h")
      assert.strictEqual(yield* textOf(text, undefined, env), "I am.\n\nA\n\n{{x}}\n\nM n\n\nT")
      assert.strictEqual(yield* textOf(text, "middle", env), "I am.\n\nA\n\n{{x}}\n\nM m\n\nT")
      assert.strictEqual(yield* textOf(text, "whole", env), "W")
    })
  )

  it.effect("an unset environment variable has no value, an empty one is empty", () =>
    Effect.gen(function* () {
      const one = "variables: { a: { env: A_B } }\nsections: [{ name: s, order: 0, text: '<{{a}}>' }]"
      assert.strictEqual((yield* Effect.flip(textOf(one, undefined, { env: {} })))._tag, "UndefinedVariable")
      assert.strictEqual(yield* textOf(one, undefined, { env: { A_B: "" } }), "<>")
      const nothing = "variables: { a: null }\nsections: [{ name: s, order: 0, text: '{{a}}' }]"
      assert.strictEqual((yield* Effect.flip(textOf(nothing)))._tag, "UndefinedVariable")
    })
  )

  it.effect("contexts are suppressed where the file says so", () =>
    Effect.gen(function* () {
      const env = { env: { HERE: "/h" } }
      const snapshot = (scope: string) =>
        renderIn(scope).pipe(
          Effect.map((rendered) => rendered.contexts.map((part) => part.text)),
          Effect.provide(layer(accept(text), env))
        )
      assert.deepStrictEqual(yield* snapshot("global"), ["K m"])
      assert.deepStrictEqual(yield* snapshot("child"), [])
      const off = yield* renderIn("global").pipe(Effect.provide(layer(accept(`runtimeContext: false\n${text}`), env)))
      assert.strictEqual(off.snapshot, "")
    })
  )

  it.effect("layerNoDeps: another renderer, another waterfall", () =>
    Effect.gen(function* () {
      const composition = accept("sections: [{ name: s, order: 0, text: Hi }]")
      const loud = Layer.succeed(
        Renderer,
        Renderer.of({
          render: (assembly) =>
            Effect.map(Effect.fromResult(Rendered.render(assembly)), (one) => ({
              ...one,
              text: one.text.toUpperCase()
            }))
        })
      )
      const empty = Layer.succeed(
        Waterfall,
        Waterfall.of({ run: (_, assembly) => Effect.succeed({ ...assembly, sections: [] }) })
      )
      const with_ = (renderer: Layer.Layer<Renderer>, waterfall: Layer.Layer<Waterfall>) =>
        renderIn(undefined).pipe(
          Effect.map((rendered) => rendered.text),
          Effect.provide(Layer.provide(layerNoDeps(composition), [Overlays.layer, renderer, waterfall]))
        )
      assert.strictEqual(yield* with_(Renderer.layer, Waterfall.layer), "Hi")
      assert.strictEqual(yield* with_(loud, Waterfall.layer), "HI")
      assert.strictEqual(yield* with_(Renderer.layer, empty), "")
    })
  )

  it.effect("errors of assembly and rendering keep their own tags", () =>
    Effect.gen(function* () {
      const two =
        "{ sections: [{ name: x, order: 0, text: X, complete: true }, { name: y, order: 0, text: Y, complete: true }] }"
      const tags = [
        [`scopes: { a: ${two} }\nscope: a`, "MultipleCompleteSections"],
        ['toolOrder: [nobody, "<unlisted-tools>"]', "UnknownTool"],
        ["sections: [{ name: s, order: 0, text: '{{nobody}}' }]", "UnknownVariable"],
        ["sections: [{ name: s, order: 0, text: 'a {{B}}' }]", "MalformedGroup"]
      ] as const
      for (const [one, tag] of tags) assert.strictEqual((yield* Effect.flip(textOf(one)))._tag, tag)
    })
  )

  it.effect("put together by hand: a tool order and a flag that break a rule are problems at their places", () =>
    Effect.gen(function* () {
      const composition = accept('runtimeContext: true\ntoolOrder: ["<unlisted-tools>"]\nsortToolKeys: false')
      for (const [changed, place] of [
        [{ toolOrder: ["a"] }, "2:12 toolOrder InvalidToolOrder"],
        [{ runtimeContext: untyped("no") }, "1:17 runtimeContext InvalidRegistration"],
        [{ sortToolKeys: untyped(1) }, "3:15 sortToolKeys InvalidRegistration"]
      ] as const) {
        const error = yield* Effect.flip(Layer.build(layer({ ...composition, ...changed })))
        assert.deepStrictEqual(placesOf(error), [place])
      }
    })
  )

  it.effect("an unknown scope names the nearest and all known ones", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(textOf(text, "chidl"))
      assert.strictEqual(error._tag, "UnknownScope")
      assert.include(error.message, 'Did you mean "child"? Known scopes: global, child, middle, whole.')
    })
  )

  it.effect("BC-019, BC-084: prompts are exact", () =>
    Effect.gen(function* () {
      const escapes =
        'sections:\n  - name: rp\n    order: 0\n    interpolate: false\n    text: |-\n      Say {{getvar::mood}} verbatim.\n  - name: esc\n    order: 1\n    interpolate: false\n    text: |-\n      \\u007b\\u007bx\\u007d\\u007d\n  - name: dq\n    order: 2\n    text: "\\u007b\\u007bmodel\\u007d\\u007d"\nvariables:\n  model: m1\n'
      assert.strictEqual(
        yield* textOf(escapes),
        "Say {{getvar::mood}} verbatim.\n\n\\u007b\\u007bx\\u007d\\u007d\n\nm1"
      )
      const scalars =
        "sections:\n  - name: f\n    order: 0\n    text: >-\n      one\n      two\n\n      three\n  - name: l\n    order: 1\n    text: |\n      a\n      b\n  - name: k\n    order: 2\n    text: |+\n      c\n\n"
      assert.strictEqual(yield* textOf(scalars), "one two\nthree\n\na\nb\n\n\nc\n\n")
      assert.strictEqual(
        yield* textOf("variables: { p: &p hello }\nsections:\n  - {name: s, order: 0, text: *p}\n"),
        "hello"
      )
    })
  )
})

describe("cost", () => {
  it.effect("a long line of scopes costs each scope a few looks, whichever end of it the file says first", () =>
    Effect.gen(function* () {
      const size = 2_000
      const lines = Array.from({ length: size }, (_, i) => `  s${i}: { ${i + 1 < size ? `parent: s${i + 1}` : ""} }`)
      for (const written of [lines, lines.toReversed()]) {
        const composition = accept(`scopes:\n${written.join("\n")}`)
        let looks = 0
        const counting = composition.scopes.map((one) => ({
          ...one,
          get parent() {
            looks++
            return one.parent
          }
        }))
        const { scopes } = yield* CompositionScopes.pipe(Effect.provide(layer({ ...composition, scopes: counting })))
        assert.strictEqual(scopes.size, size + 1)
        assert.strictEqual(scopes.get("s0")?.parent, scopes.get("s1"))
        assert.isAtMost(looks, 4 * size)
      }
    })
  )
})

describe("load", () => {
  onDisk(
    "reads the composition and its files from its own folder, and all problems come at once",
    Effect.gen(function* () {
      const file = yield* folderWith({
        "agent.yaml":
          "sections:\n  - { name: a, order: 0, text: { file: sub/a.md } }\n  - { name: b, order: x, text: { file: none.md } }\n  - { name: c, order: 0, text: { file: bad.bin } }\n  - { name: d, order: 0, text: { file: sub } }\ntools: [{ file: ./t.json }]\n",
        "sub/a.md": "A",
        "bad.bin": new Uint8Array([0xff]),
        "t.json": "[{}]"
      })
      const { error, places } = yield* problemsOf(load(file), file)
      const folder = file.slice(0, -"agent.yaml".length)
      assert.deepStrictEqual(
        places.map((one) => one.replace("FILE:", "").replace(folder, "")),
        [
          "3:23 sections[1].order InvalidRegistration",
          "3:40 sections[1].text.file",
          "4:40 sections[2].text.file",
          "5:40 sections[3].text.file",
          "t.json:1:2 [0].description",
          "t.json:1:2 [0].name",
          "t.json:1:2 [0].parameters"
        ]
      )
      assert.include(error.message, "it is a folder")
    })
  )

  onDisk(
    "a composition that cannot be read is a problem too",
    Effect.gen(function* () {
      const file = yield* folderWith({ "agent.yaml": new Uint8Array([0x61, 0x3a, 0x20, 0xc3, 0x28]) })
      assert.include((yield* Effect.flip(load(file))).message, "not UTF-8")
      assert.include((yield* Effect.flip(load(`${file}x`))).message, "there is no such file")
      assert.include((yield* Effect.flip(load("/dev/zero"))).message, "it is not a file")
    })
  )

  onDisk(
    "what is no file is not opened, be it a composition, a text, a list of tools or a plugin",
    Effect.gen(function* () {
      const text =
        "sections: [{ name: s, order: 0, text: { file: folder } }]\ncontexts: [{ name: c, order: 0, text: { file: /dev/zero } }]\n"
      const file = yield* folderWith({ "agent.yaml": text, "plugins.yaml": "plugins: [pipe, /dev/zero, folder]" })
      const path = (name: string) => file.replace("agent.yaml", name)
      const fs = yield* FileSystem.FileSystem
      yield* fs.makeDirectory(path("folder"))
      makePipe(path("pipe"))
      const never =
        "it is not a file but a pipe or a device, which may never end. Save what it gives as a file, and name that."
      const { error, places } = yield* problemsOf(load(file), file)
      assert.deepStrictEqual(places, ["FILE:1:47 sections[0].text.file", "FILE:2:47 contexts[0].text.file"])
      assert.include(error.problems[0]!.message, "it is a folder. Name a file in it.")
      assert.include(error.problems[1]!.message, never)
      const refused = yield* Effect.flip(Layer.build(layerFile(path("plugins.yaml"))))
      assert.deepStrictEqual(
        refused.problems.map(({ column, message }) => [column, message]),
        [
          [11, `plugin "pipe": ${never}`],
          [17, `plugin "/dev/zero": ${never}`],
          [28, 'plugin "folder": it is a folder. Name a file in it.']
        ]
      )
    })
  )

  onDisk(
    "BC-087: a file and a link to it are both included, exactly",
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const file = yield* folderWith({
        "agent.yaml":
          "sections:\n  - { name: a, order: 0, text: { file: A.md } }\n  - { name: c, order: 1, text: { file: C.md } }\n",
        "A.md": "Rules"
      })
      yield* fs.symlink("A.md", file.replace("agent.yaml", "C.md"))
      const rendered = yield* renderIn(undefined).pipe(Effect.provide(layerFile(file)))
      assert.strictEqual(rendered.text, "Rules\n\nRules")
    })
  )
})

describe("plugins", () => {
  const good = `
import * as Plugin from "${new URL("../../src/Plugin.ts", import.meta.url).href}"
export default Plugin.section({ name: "from-plugin", order: 5, text: "P" })
`
  onDisk(
    "are mounted into their scopes, the same one into two",
    Effect.gen(function* () {
      const file = yield* folderWith({
        "agent.yaml":
          "plugins: [./p.ts]\nscopes: { a: { plugins: [./p.ts] }, b: {} }\nsections: [{ name: s, order: 1, text: S }]",
        "p.ts": good
      })
      const texts = Effect.all(
        ["global", "a", "b"].map((scope) => Effect.map(renderIn(scope), (rendered) => rendered.text))
      ).pipe(Effect.provide(layerFile(file)))
      assert.deepStrictEqual(yield* texts, ["S\n\nP", "S\n\nP", "S\n\nP"])
      const own = yield* folderWith({ "agent.yaml": "scopes: { a: { plugins: [p.ts] }, b: {} }", "p.ts": good })
      const scoped = Effect.all(
        ["global", "a", "b"].map((scope) => Effect.map(renderIn(scope), (rendered) => rendered.text))
      ).pipe(Effect.provide(layerFile(own)))
      assert.deepStrictEqual(yield* scoped, ["", "P", ""])
    })
  )

  onDisk(
    "that cannot be used are problems at their places, all at once",
    Effect.gen(function* () {
      const file = yield* folderWith({
        "agent.yaml": "plugins:\n  - none.ts\n  - throws.ts\n  - broken.ts\n  - empty.ts\n  - three.ts\n  - p.ts\n",
        "throws.ts": 'throw new Error("not today")',
        "broken.ts": "export default {{{",
        "empty.ts": "export const a = 1",
        "three.ts": "export default 3",
        "p.ts": good
      })
      const { error, places } = yield* problemsOf(
        Effect.flatMap(load(file), (one) => Plugins.load(one, { folder: file.replace("/agent.yaml", "") })),
        file
      )
      assert.deepStrictEqual(
        places.map((one) => one.replace("FILE:", "")),
        ["2:5 plugins[0]", "3:5 plugins[1]", "4:5 plugins[2]", "5:5 plugins[3]", "6:5 plugins[4]"]
      )
      for (const part of [
        "not today",
        "has no default export",
        "is no Layer",
        'plugin "none.ts": the module cannot be imported'
      ]) {
        assert.include(error.message, part)
      }
    })
  )

  onDisk(
    "are not imported while the composition has other problems",
    Effect.gen(function* () {
      const file = yield* folderWith({
        "agent.yaml": "plugins: [mark.ts]\nidentty: x\n",
        "mark.ts": "globalThis.preambleTestMark = true"
      })
      const { places } = yield* problemsOf(Effect.asVoid(Layer.build(layerFile(file))), file)
      assert.deepStrictEqual(places, ["FILE:2:1 identty"])
      assert.isUndefined(Reflect.get(globalThis, "preambleTestMark"))
    })
  )

  it.effect("that fail or die are problems at their places, with their tag", () =>
    Effect.gen(function* () {
      const composition = accept("identity: x\nplugins: [p.ts]\nscopes: { a: { plugins: [q.ts] } }")
      const failing = Layer.effectDiscard(Effect.fail({ _tag: "NoKey", message: "no key" }))
      const dying = Layer.effectDiscard(Effect.die(new Error("boom")))
      const wrapping = Layer.effectDiscard(
        Effect.fail(new Error("the skills folder is empty", { cause: new Error("ENOENT") }))
      )
      const ok = Layer.effectDiscard(Effect.void)
      const built = (plugins: Plugins.Plugins) =>
        Effect.flip(Effect.scoped(Effect.asVoid(Layer.build(layer(composition, { plugins })))))
      assert.deepStrictEqual(
        placesOf(
          yield* built(
            new Map([
              ["p.ts", failing],
              ["q.ts", ok]
            ])
          )
        ),
        ["2:11 plugins[0] NoKey"]
      )
      const second = yield* built(
        new Map([
          ["p.ts", ok],
          ["q.ts", dying]
        ])
      )
      assert.deepStrictEqual(placesOf(second), ["3:26 scopes.a.plugins[0]"])
      assert.include(second.message, 'plugin "q.ts": boom')
      const third = yield* built(
        new Map([
          ["p.ts", wrapping],
          ["q.ts", ok]
        ])
      )
      assert.include(third.message, 'plugin "p.ts": the skills folder is empty')
      assert.include((yield* built(new Map([["p.ts", ok]]))).message, "it was not given")
    })
  )

  it.effect("that are built on the same layer register it once in a scope, and in each scope", () =>
    Effect.gen(function* () {
      const base = Plugin.section({ name: "base", order: 1, text: "B" })
      const on = (name: string) => Layer.provideMerge(Plugin.section({ name, order: 2, text: name }), base)
      const composition = accept(
        "plugins: [a.ts, b.ts]\nscopes: { s: { plugins: [c.ts, d.ts] }, t: { parent: s, plugins: [c.ts] } }"
      )
      const plugins = new Map(["a", "b", "c", "d"].map((name) => [`${name}.ts`, on(name)]))
      const texts = ["global", "s", "t"].map((scope) => Effect.map(renderIn(scope), (rendered) => rendered.text))
      assert.deepStrictEqual(yield* Effect.all(texts).pipe(Effect.provide(layer(composition, { plugins }))), [
        "B\n\na\n\nb",
        "B\n\na\n\nb\n\nc\n\nd",
        "B\n\na\n\nb\n\nc\n\nd"
      ])
      // In one build, each composition has plugins of its own.
      const memoMap = yield* Layer.makeMemoMap
      for (const _ of ["first", "second"]) {
        const built = yield* Layer.buildWithMemoMap(layer(composition, { plugins }), memoMap, yield* Effect.scope)
        assert.strictEqual((yield* renderIn("global").pipe(Effect.provideContext(built))).text, "B\n\na\n\nb")
      }
    })
  )

  it.effect("that fail are all told, and nothing of them is left for the next one", () =>
    Effect.gen(function* () {
      const composition = accept("plugins:\n  - p.ts\n  - q.ts\n  - r.ts\n  - s.ts\n")
      const one = Plugin.section({ name: "one", order: 1, text: "1" })
      const other = Plugin.section({ name: "one", order: 1, text: "another layer" })
      const failing = (base: Plugin.Plugin) =>
        Layer.effectDiscard(Effect.fail({ _tag: "NoKey", message: "no key" })).pipe(Layer.provideMerge(base))
      const failed = yield* Effect.flip(
        Effect.scoped(
          Layer.build(
            layer(composition, {
              plugins: new Map<string, Plugins.PluginLayer>([
                ["p.ts", failing(other)],
                ["q.ts", one],
                ["r.ts", failing(one)],
                ["s.ts", other]
              ])
            })
          )
        )
      )
      // q may have the name, for p left nothing of it. It keeps what it shares with r, so s may not.
      assert.deepStrictEqual(placesOf(failed), [
        "2:5 plugins[0] NoKey",
        "4:5 plugins[2] NoKey",
        "5:5 plugins[3] DuplicateRegistration"
      ])
    })
  )

  it.effect("that register a name of the file again fail at their line", () =>
    Effect.gen(function* () {
      const composition = accept("sections: [{ name: s, order: 0, text: x }]\nplugins: [p.ts]")
      const again = Layer.effectDiscard(
        Effect.flatMap(SystemPrompt, (prompt) => prompt.section({ name: "s", order: 1, text: "y" }))
      )
      const error = yield* Effect.flip(
        Effect.scoped(Effect.asVoid(Layer.build(layer(composition, { plugins: new Map([["p.ts", again]]) }))))
      )
      assert.deepStrictEqual(placesOf(error), ["2:11 plugins[0] DuplicateRegistration"])
    })
  )

  it.effect("are refused on demand", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Plugins.refuse(accept("plugins: [p.ts]\nscopes: { a: { plugins: [q.ts] } }")))
      assert.deepStrictEqual(placesOf(error), ["1:11 plugins[0]", "2:26 scopes.a.plugins[0]"])
      assert.strictEqual((yield* Plugins.refuse(accept("identity: x"))).size, 0)
    })
  )
})
