/**
 * Looks an assembly over for what is allowed, and most likely not what its author wants.
 *
 * Pure: what is known goes in as data, warnings come out, the same ones in the same order.
 *
 * @since 0.1.0
 */
import type { Assembly } from "../Assembly.ts"
import { hidersOf } from "../internal/hiders.ts"
import { ownerFields } from "../Owner.ts"
import * as Template from "../Template.ts"
import type { Trace } from "../Trace.ts"
import { rules } from "./rules.ts"
import * as Subject from "./Subject.ts"
import type { Warning } from "./Warning.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * What is known beside the assembly. The more there is, the more is seen.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Names of tools that exist, shown or not: a text that mentions one which is not shown is told. */
  readonly knownTools?: Iterable<string> | undefined
  /**
   * Names of variables that texts beyond this assembly refer to, for instance those of other scopes: such a variable is
   * not unused. Without them, the variables of an assembly whose other texts a complete section displaces are not judged.
   */
  readonly references?: Iterable<string> | undefined
  /** The same scope, assembled once more: what is another one in it is volatile, whatever it looks like. */
  readonly later?: Assembly | undefined
}

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

const run = (subject: Subject.Subject): ReadonlyArray<Warning> => Object.values(rules).flatMap((rule) => rule(subject))

/**
 * The warnings of an assembly, by rule, then in the order of the assembly.
 *
 * @since 0.1.0
 * @category destructors
 */
export const assembly = (self: Assembly, options: Options = {}): ReadonlyArray<Warning> =>
  run(
    Subject.make(self, {
      references: options.references,
      leftOut: [],
      knownTools: options.knownTools ?? [],
      hidersOf: () => [],
      requirements: [],
      later: options.later
    })
  )

/**
 * The warnings of an assembly, of which is also known how it came about: texts that were left out count, and tools that
 * are hidden.
 *
 * @since 0.1.0
 * @category destructors
 */
export const trace = (self: Trace, options: Options = {}): ReadonlyArray<Warning> =>
  run(
    Subject.make(self.assembly, {
      references: options.references ?? [],
      leftOut: referencesOf(self),
      knownTools: [...(options.knownTools ?? []), ...toolsOf(self)],
      hidersOf: (tool) => hidersOf(self.entries, tool),
      requirements: self.entries.flatMap((entry) =>
        entry.kind === "section" && entry.fate._tag === "ToolsMissing"
          ? [
              {
                owner: ownerFields({ kind: "section", entry: entry.name, scope: entry.scope, plugin: entry.plugin }),
                requires: entry.fate.tools
              }
            ]
          : []
      ),
      later: options.later
    })
  )

/**
 * The names of the variables that the texts in a trace refer to, left out or not.
 *
 * @since 0.1.0
 * @category destructors
 */
export const referencesOf = (self: Trace): ReadonlyArray<string> =>
  self.entries.flatMap((entry) => (entry.text === undefined ? [] : Template.references(entry.text)))

/**
 * The names of the tools in a trace, shown or hidden.
 *
 * @since 0.1.0
 * @category destructors
 */
export const toolsOf = (self: Trace): ReadonlyArray<string> =>
  self.entries.flatMap((entry) => (entry.kind === "tool" ? [entry.name] : [...(entry.hidden ?? [])]))
