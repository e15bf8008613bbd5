/** Steps of programs, for tests that write them by hand. */
import type * as Program from "../../src/testing/Program.ts"

export type Step = Program.Step

export const section = (name: string, text: string, scope = 0): Step => ({
  _tag: "Register",
  scope,
  contribution: { _tag: "Section", options: { name, order: 1, text } }
})

export const open = (label: string, parent = 0): Step => ({ _tag: "Open", label, parent })

export const render = (scope = 0): Step => ({ _tag: "Render", scope })
