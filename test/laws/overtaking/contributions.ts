/** Providers and listeners that change how they answer from step to step. */
import { Context, Deferred, Effect, Exit } from "effect"
import {
  type AssembleContext,
  Annotations,
  Assembly,
  PromptScope,
  type SystemPrompt,
  Template,
  ToolSchema
} from "../../../src/index.ts"
import { untyped } from "../../support/untyped.ts"

// -----------------------------------------------------------------------------
// what is given
// -----------------------------------------------------------------------------

/** A provider waits at the gate of its assembly, if it has one. */
export const Gate = Context.Reference<Deferred.Deferred<void> | undefined>("test/Gate", {
  defaultValue: () => undefined
})
/** Of an assembly that a provider makes. */
const Inner = Context.Reference<boolean>("test/Inner", { defaultValue: () => false })
export const Voice = Context.Reference<string>("test/Voice", { defaultValue: () => "" })

export type Made = Assembly.Assembly

export type Way =
  | "plain"
  | "exit"
  | "effect"
  | "yields"
  | "waits"
  | "throws"
  | "fails"
  | "dies"
  | "calls"
  | "calls another"

export interface Slot {
  way: Way
  readonly give: (context: AssembleContext) => unknown
  value: number
}

export const names = ["a", "aa", "b", "ab", "c", "d", "e", "f", "g", "h", "ba"] as const

export const texts: readonly [Template.Text, ...ReadonlyArray<Template.Text>] = [
  "",
  "one",
  "{{a}}",
  "{{a}}{{aa}}",
  "{{b}}{{a}}{{b}}",
  "{{aa}} {{ab}}",
  "x{{c}}y",
  "{{a}}{{aa}}{{b}}{{ab}}{{c}}{{d}}{{e}}{{f}}{{g}}{{h}}",
  Template.ref("a"),
  Template.text`{{a}} ${Template.ref("aa")}`,
  " "
]

const wrongTexts: readonly [string, ...ReadonlyArray<string>] = ["{{nope}}", "{{a} }}", "{{undefined}}"]

export const text = (value: number): Template.Text =>
  value % 64 === 63 ? wrongTexts[value % 3]! : texts[value % texts.length]!

export const values = ["", "x", "xy", "yz", "z", "\u{1f600}"]

/** Of these each tool of one name has the same schema. */
export const frozenParameters = Object.freeze({ type: "object", properties: Object.freeze({}) })

export const parameters = [
  { type: "object" },
  frozenParameters,
  { properties: { q: { type: "string" }, p: {} }, type: "object" },
  { type: "object", properties: { p: {}, q: { type: "string" } } }
]

export const made = ["t", "t", "u", "v"].map((name, i) =>
  ToolSchema.make({ name, description: `d${i % 3}`, parameters: parameters[i % 4]! })
)
const frozen = [[], [0], [0, 1], [1, 0], [2, 3], [3]].map((all) => Object.freeze(all.map((i) => made[i]!)))

export class World {
  readonly slots: Array<Slot> = []
  /** Given again and again, and changed in place. */
  readonly own = { name: "own", description: "0", parameters: { type: "object", note: { deep: 0 } } }
  readonly ownList: Array<unknown> = [this.own]
  calls = 0
}

export const toolsOf = (world: World, value: number, { annotations, scope }: AssembleContext): unknown => {
  const list = frozen[(value >> 3) % frozen.length]!
  switch (value % 8) {
    case 0:
      return list
    case 1:
      return [...list]
    case 2:
      return list.map((one) => ({ ...one, execute: () => 1 }))
    case 3:
      return world.ownList
    case 4:
      return { schemas: [...list], knownNames: (value >> 3) % 2 === 0 ? [] : ["w"] }
    case 5:
      return [{ ...structuredClone(world.own), description: `${scope.label}${Context.get(annotations, Voice)}` }]
    case 6:
      return list.map((one) => structuredClone({ ...one, deferLoading: (value >> 3) % 2 === 0 }))
    default:
      return { schemas: list }
  }
}

/** Every other text and value depends on the scope and the annotations. */
export const told = (value: number, { annotations, scope }: AssembleContext): number =>
  value % 2 === 0 ? value >> 1 : (value >> 1) + scope.label.length + Context.get(annotations, Voice).length

export const answer = (
  world: World,
  slot: Slot,
  prompt: SystemPrompt["Service"],
  context: AssembleContext,
  siblings: ReadonlyArray<PromptScope.PromptScope>,
  rendered: (scope: PromptScope.PromptScope) => void
): unknown => {
  const give = () => slot.give(context)
  const { annotations, scope } = context
  const nested = (of: PromptScope.PromptScope) => {
    if (Context.get(annotations, Inner)) return give()
    world.calls++
    rendered(of)
    const inner = Context.add(annotations, Inner, true).pipe(Context.add(Gate, undefined))
    Effect.runSync(
      Effect.exit(
        prompt.render.pipe(PromptScope.provide(of), Effect.provideService(Annotations, inner), Effect.timeout(0))
      )
    )
    return give()
  }
  switch (slot.way) {
    case "plain":
      return give()
    case "exit":
      return Exit.succeed(give())
    case "effect":
      return Effect.sync(give)
    case "yields":
      return Effect.map(Effect.yieldNow, give)
    case "waits": {
      const gate = Context.get(annotations, Gate)
      return gate === undefined ? give() : Effect.map(Deferred.await(gate), give)
    }
    case "throws":
      throw new Error("thrown")
    case "fails":
      return Effect.fail("failed")
    case "dies":
      return Effect.die("died")
    case "calls":
      return nested(scope)
    case "calls another":
      return nested(siblings[slot.value % siblings.length] ?? scope)
  }
}

// -----------------------------------------------------------------------------
// listeners
// -----------------------------------------------------------------------------

/** What is added has a name of its own. */
export const edited = (slot: Slot, self: Made, context: AssembleContext, added: string): Made => {
  const value = told(slot.value, context)
  const section = { order: value % 3, text: text(value >> 3) }
  switch (value % 12) {
    case 0:
      return { ...self, tools: self.tools.map((tool) => ({ ...tool })) }
    case 1:
      return Assembly.addSection(self, { ...section, name: added })
    case 2:
      return Assembly.addContext(self, { ...section, name: added })
    case 3:
      return Assembly.replaceSection(self, { ...section, name: "g1", requires: value % 2 === 0 ? ["t"] : [] })
    case 4:
      return Assembly.removeSection(self, "g2")
    case 5:
      if (value % 64 === 5) return Assembly.removeVariable(self, "aa")
      return Assembly.setVariable(self, "aa", value % 64 === 17 ? undefined : "set")
    case 6:
      return Assembly.mapTool(self, "t", (tool) => ({ ...tool, description: `${value % 2}` }))
    case 7:
      return Assembly.addTool(self, value % 2 === 0 ? made[0]! : { ...made[2]!, description: "added" })
    case 8:
      return { ...self, sections: self.sections.toReversed() }
    case 9:
      return value % 64 === 9 ? untyped("no assembly") : Assembly.addSection(self, { ...section, name: "shared" })
    case 10:
      if (value % 64 === 10) throw new Error("thrown")
      return { ...self }
    default:
      return self
  }
}
