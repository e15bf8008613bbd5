/** Contributions of other plugins, of which nobody counts on any: they never fail, and their names are their own. */
import * as Arbitrary from "effect/Arbitrary"
import * as Assembly from "../../Assembly.ts"
import * as Plugin from "../../Plugin.ts"
import { plainText, toolName } from "../Arbitraries.ts"
import { choose, list, literal, tagged } from "./generate.ts"

/** One of them, as plain data. */
export type Other =
  | { readonly _tag: "Section" | "Context"; readonly name: string; readonly order: number; readonly text: string }
  | { readonly _tag: "Variable"; readonly name: string; readonly value: string }
  | { readonly _tag: "Tool"; readonly name: string; readonly description: string }
  | { readonly _tag: "Listener"; readonly name: string; readonly order: number }

const name = literal("other-1", "other-2", "zzz")

/** Close to each other: whoever reckons an order from how many there are is soon among them. */
const order = literal(0, 1, 2, 3, 4, 5, -1, 1000)

const other: Arbitrary.Arbitrary<Other> = choose<Other>(
  Arbitrary.all({ _tag: tagged("Section"), name, order, text: plainText }),
  Arbitrary.all({ _tag: tagged("Context"), name, order, text: plainText }),
  Arbitrary.all({ _tag: tagged("Variable"), name: literal("other_1", "other_2"), value: plainText }),
  Arbitrary.all({ _tag: tagged("Tool"), name: toolName, description: plainText }),
  Arbitrary.all({ _tag: tagged("Listener"), name, order })
)

/** Some of them, no two of one kind and name. */
export const several: Arbitrary.Arbitrary<ReadonlyArray<Other>> = Arbitrary.map(list(other, 4), (all) =>
  all.filter((one, i) => all.findIndex(({ _tag, name }) => _tag === one._tag && name === one.name) === i)
)

export const pluginOf = (self: Other): Plugin.Plugin => {
  switch (self._tag) {
    case "Section":
      return Plugin.section({ name: self.name, order: self.order, text: self.text, interpolate: false })
    case "Context":
      return Plugin.context({ name: self.name, order: self.order, text: self.text, interpolate: false })
    case "Variable":
      return Plugin.variable(self.name, self.value)
    case "Tool":
      return Plugin.tools([{ name: self.name, description: self.description, parameters: {} }], { name: "other" })
    case "Listener":
      return Plugin.listener({
        name: self.name,
        order: self.order,
        edit: Assembly.addSection({ name: `added by ${self.name}`, order: 0, text: "added", interpolate: false })
      })
  }
}
