/** Variables that nothing needs, and such as would be missed. */
import { describeOwner } from "../Owner.ts"
import { type Rule, variableOwner } from "./Subject.ts"
import * as Warning from "./Warning.ts"

/** Contexts that a scope suppresses are never asked for their text, and a plugin may have some. */
export const unusedVariables: Rule = ({ assembly, leftOut, partial, references, used }) =>
  assembly.variables
    .filter(({ name }) => !used.has(name) && !leftOut.has(name) && !references.has(name))
    .filter(({ origin }) => !partial && !(assembly.suppressed && origin.plugin !== undefined))
    .map((variable) => {
      const owner = variableOwner(variable)
      const message = `no text refers to ${describeOwner(owner)}. Refer to it as {{${variable.name}}}, or remove it.`
      return Warning.make("unused-variable", owner, message)
    })

/** What is shown and refers to it is an error already. */
export const variablesWithoutValue: Rule = ({ assembly, leftOut, used }) =>
  assembly.variables
    .filter(({ name, value }) => value === undefined && !used.has(name) && leftOut.has(name))
    .map((variable) => {
      const owner = variableOwner(variable)
      const message = `${describeOwner(owner)} has no value, and a text that is left out now refers to it: as soon as that text is shown, rendering fails. Give it a value.`
      return Warning.make("variable-without-value", owner, message)
    })
