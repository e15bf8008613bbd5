/** What an assembly shows, as plain data that is easy to compare. */
import type { Assembly } from "../../src/index.ts"
import * as ToolSchema from "../../src/ToolSchema.ts"

/** The texts of the sections that have one, by name, in order. Leaves out the empty built-ins. */
export const sections = (self: Assembly.Assembly): ReadonlyArray<readonly [name: string, text: string]> =>
  self.sections.flatMap(({ name, text }) => (String(text) === "" ? [] : [[name, String(text)] as const]))

/** The contexts by name, in order. */
export const contexts = (self: Assembly.Assembly): ReadonlyArray<readonly [name: string, text: string]> =>
  self.contexts.map(({ name, text }) => [name, String(text)] as const)

/** The variables by name, in order. */
export const variables = (self: Assembly.Assembly): ReadonlyArray<readonly [name: string, value: string | undefined]> =>
  self.variables.map(({ name, value }) => [name, value] as const)

/** The names of the tools, in order. */
export const tools = (self: Assembly.Assembly): ReadonlyArray<string> => self.tools.map(({ schema }) => schema.name)

/** All that an assembly says, where each part comes from too, as one text: equal assemblies give equal bytes. */
export const bytes = (self: Assembly.Assembly): string =>
  JSON.stringify({
    ...self,
    sections: self.sections.map((one) => ({ ...one, text: String(one.text) })),
    contexts: self.contexts.map((one) => ({ ...one, text: String(one.text) })),
    tools: self.tools.map((one) => ({ schema: ToolSchema.emit(one.schema), origin: one.origin })),
    // JSON has no undefined: without this a variable without a value would look like none.
    variables: self.variables.map((one) => ({ ...one, value: one.value ?? null })),
    annotations: undefined
  })
