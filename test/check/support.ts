/** Runs the rules on overlays whose values are known. */
import * as Check from "effect-preamble/check"
import type { Assembly } from "../../src/index.ts"
import type * as Overlay from "../../src/Overlay.ts"
import { assemble, overlay } from "../support/known.ts"

type Options = Parameters<typeof Check.assembly>[1]

export const assemblyOf = (options: Overlay.Options): Assembly.Assembly => assemble([overlay(options)])

/** The warnings of one overlay. */
export const look = (options: Overlay.Options, known?: Options): ReadonlyArray<Check.Warning> =>
  Check.assembly(assemblyOf(options), known)

/** Those of one code. */
export const lookFor = (code: Check.Code, options: Overlay.Options, known?: Options): ReadonlyArray<Check.Warning> =>
  look(options, known).filter((warning) => warning.code === code)

/** The warnings of one code that a section of this text gets. Variables that are named here have the value `v`. */
export const inSection = (
  code: Check.Code,
  text: string,
  options: {
    readonly variables?: Readonly<Record<string, string>>
    readonly order?: number
    readonly hidden?: ReadonlyArray<string>
  } = {}
): ReadonlyArray<Check.Warning> =>
  lookFor(
    code,
    {
      sections: [{ name: "s", order: options.order ?? 0, text }],
      variables: Object.entries(options.variables ?? {}).map(([name, value]) => ({ name, value }))
    },
    { knownTools: options.hidden }
  )

/** What the first of them has found. */
export const found = (warnings: ReadonlyArray<Check.Warning>): string | undefined => warnings[0]?.place?.found

export const tool = (name: string, parameters: object = { type: "object" }, description = "d") => ({
  name,
  description,
  parameters
})
