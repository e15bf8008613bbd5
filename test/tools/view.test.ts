import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { RegisteredTool, Restriction, ToolOrder, ToolRegistry, ToolView } from "../../src/index.ts"
import type { Owner } from "../../src/PromptError.ts"
import { check, patience } from "../support/check.ts"
import { changeable } from "../support/frozen.ts"
import { runs } from "../support/runs.ts"
import { untyped } from "../support/untyped.ts"
import { layer, tool } from "./support.ts"
import { build, chainOf, names, restrictionsOf, type World, world } from "./world.ts"

const target: Restriction.Target = { scope: "agent", isGlobal: false, inherited: ["write", "read", "ls"] }

const made = (options: Restriction.Options) => Result.getOrThrow(Restriction.make(options, target))

describe("Restriction.make", () => {
  it("copies and freezes its lists", () => {
    const deny = ["read"]
    const self = made({ deny, plugin: "p" })
    deny.push("ls")
    assert.deepStrictEqual(self, { kind: "restriction", allow: undefined, deny: ["read"], plugin: "p" })
    assert.deepStrictEqual(changeable(self), [])
    assert.deepStrictEqual(made({ allow: [] }).allow, [])
  })

  it("refuses by field what is no list of names", () => {
    for (const [options, field, said] of [
      [{ allow: "read" }, "allow", "got a string"],
      [{ deny: [3] }, "deny", "got the number 3 in it"],
      [{ deny: ["read", undefined] }, "deny", "got undefined in it"],
      [{ allow: [""] }, "allow", "expected an array of tool names"],
      [{ deny: ["read"], plugin: 3 }, "plugin", "got the number 3"],
      [{}, "allow", "`allow: []` hides all inherited tools"],
      [{ plugin: "p" }, "allow", "neither an allow nor a deny list"],
      [{ allow: undefined, deny: undefined }, "allow", "neither an allow nor a deny list"]
    ] as const) {
      const error = Result.getOrThrow(Result.flip(Restriction.make(untyped(options), target)))
      const owner: Owner = { kind: "restriction", entry: "", scope: "agent" }
      assert.deepInclude(error, { ...owner, _tag: "InvalidRegistration", field })
      assert.include(error.message, said)
    }
    const global = Result.getOrThrow(Result.flip(Restriction.make({ deny: ["read"] }, { ...target, isGlobal: true })))
    assert.deepInclude(global, { _tag: "InvalidRegistration", field: "scope" })
    assert.include(global.message, "Plugin.mount(scope)")
  })

  it("refuses names that are not inherited: all of them, with all that are, and the nearest of the first", () => {
    const error = Result.getOrThrow(
      Result.flip(Restriction.make({ allow: ["raed", "ls"], deny: ["xyz", "raed"] }, target))
    )
    assert.deepInclude(error, {
      _tag: "UnknownTool",
      unknown: ["raed", "xyz"],
      known: ["ls", "read", "write"],
      nearest: "read"
    })
    const far = Result.getOrThrow(Result.flip(Restriction.make({ deny: ["xyzxyz"] }, target)))
    assert.notProperty(far, "nearest")
    for (const lists of [{ allow: [ToolOrder.restMarker] }, { deny: ["nosuch", ToolOrder.restMarker] }]) {
      const reserved = Result.getOrThrow(Result.flip(Restriction.make(lists, target)))
      assert.deepInclude(reserved, { _tag: "ReservedToolName", tool: ToolOrder.restMarker, scope: "agent" })
    }
  })
})

describe("Restriction.refusal, admits", () => {
  it("say which list keeps a tool out: a denied one is out, allowed or not", () => {
    for (const [options, expected] of [
      [{ allow: ["read"] }, { read: undefined, ls: "allow", later: "allow" }],
      [{ deny: ["read"] }, { read: "deny", ls: undefined, later: undefined }],
      [
        { allow: ["read", "ls"], deny: ["ls"] },
        { read: undefined, ls: "deny", write: "allow" }
      ],
      [{ allow: [] }, { read: "allow" }],
      [{ deny: [] }, { read: undefined, toString: undefined }],
      [
        { allow: [], deny: ["read"] },
        { read: "deny", constructor: "allow" }
      ]
    ] as const) {
      const self = made(options)
      for (const [name, list] of Object.entries(expected)) {
        assert.strictEqual(Restriction.refusal(self, name), list, name)
      }
    }
  })
})

// -----------------------------------------------------------------------------
// views
// -----------------------------------------------------------------------------

const registered = (name: string, scope: string, plugin?: string) =>
  Result.getOrThrow(RegisteredTool.make({ ...tool(name), plugin, handler: undefined }, scope))

const overlaysOf = (given: World): ReadonlyArray<ToolView.Overlay> =>
  chainOf(given, given.target)
    .toReversed()
    .map((scope) => {
      const label = scope === 0 ? "global" : `s${scope}`
      const own = new Set(given.tools.filter((one) => one.scope === scope).map(({ name }) => names[name]!))
      return {
        scope: label,
        tools: [...own].map((name) => registered(name, label)),
        restrictions: restrictionsOf(given).flatMap((one): ReadonlyArray<Restriction.Restriction> =>
          one.scope === scope ? [{ kind: "restriction", allow: one.allow, deny: one.deny, plugin: undefined }] : []
        )
      }
    })

describe("ToolView.make", () => {
  it("gives frozen lists by name, origins with all that they shadow, and all that keeps a tool out, farthest first", () => {
    const restriction = (options: Restriction.Options) => made(options)
    const view = ToolView.make([
      {
        scope: "global",
        tools: [registered("write", "global", "fs"), registered("read", "global"), registered("ls", "global")],
        restrictions: []
      },
      {
        scope: "parent",
        tools: [registered("read", "parent")],
        restrictions: [restriction({ deny: ["write"], plugin: "safe" })]
      },
      {
        scope: "child",
        tools: [registered("read", "child", "own")],
        restrictions: [restriction({ allow: ["read"] }), restriction({ deny: ["read", "write"] })]
      }
    ])
    assert.deepStrictEqual(view, {
      tools: [
        {
          schema: registered("read", "").schema,
          origin: { scope: "child", plugin: "own", shadows: [{ scope: "parent" }, { scope: "global" }] }
        }
      ],
      hidden: [
        { name: "ls", origin: { scope: "global", shadows: [] }, by: [{ list: "allow", scope: "child" }] },
        {
          name: "write",
          origin: { scope: "global", plugin: "fs", shadows: [] },
          by: [
            { list: "deny", scope: "parent", plugin: "safe" },
            { list: "allow", scope: "child" },
            { list: "deny", scope: "child" }
          ]
        }
      ]
    })
    assert.deepStrictEqual(changeable(view), [])
  })

  it("of no scope, or of scopes without tools, shows none", () => {
    assert.deepStrictEqual(ToolView.make([]), { tools: [], hidden: [] })
    assert.deepStrictEqual(ToolView.make([{ scope: "global", tools: [], restrictions: [] }]), { tools: [], hidden: [] })
  })

  it.effect(
    "is the view that the registry gives, for any registry",
    () =>
      check(
        world,
        (given) =>
          Effect.gen(function* () {
            const { scope } = yield* build(given)
            const registry = yield* ToolRegistry
            assert.deepStrictEqual(registry.view(scope), ToolView.make(overlaysOf(given)))
          }).pipe(Effect.scoped, Effect.provide(layer)),
        { runs: runs(60, 10_000), seed: 19 }
      ),
    patience
  )
})
