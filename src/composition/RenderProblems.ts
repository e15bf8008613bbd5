/**
 * What keeps an assembly of a composition from rendering, with what only the composition knows: that a value was to come
 * from an environment variable.
 *
 * @since 0.1.0
 */
import type { Assembly } from "../Assembly.ts"
import { ownerFields, type RenderError, UndefinedVariable } from "../PromptError.ts"
import { problems } from "../Rendered.ts"
import type { Composition } from "./Composition.ts"
import type { Environment, Options } from "./CompositionScopes.ts"
import { variableOf } from "./Places.ts"

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/**
 * Everything that keeps an assembly of a composition from rendering, in order: `Rendered.problems`, where variables that
 * are without a value for want of an environment variable say which. `placesOf` finds where the file asks for it. `env` is
 * what `layer` was given, by default the environment of the process.
 *
 * @since 0.1.0
 * @category destructors
 */
export const problemsOf = (
  composition: Composition,
  assembly: Assembly,
  options: Pick<Options, "env"> = {}
): ReadonlyArray<RenderError> => {
  const env = options.env ?? process.env
  return problems(assembly).map((error) =>
    error._tag === "UndefinedVariable" ? withEnvironment(composition, assembly, env, error) : error
  )
}

const withEnvironment = (
  composition: Composition,
  { variables }: Assembly,
  env: Environment,
  error: UndefinedVariable
): UndefinedVariable => {
  const origin = variables.findLast(({ name }) => name === error.variable)?.origin
  // A listener may have taken away the value of one that is set.
  if (origin === undefined || origin.listener !== undefined) return error
  const { plugin, scope, shadows } = origin
  // Labels repeat below a scope of the file, not above it: what hides one of its own label is of a host.
  if (shadows.some((hidden) => hidden.scope === scope)) return error
  const owner = ownerFields({ kind: "variable", entry: error.variable, scope, plugin })
  const value = variableOf(composition, owner)?.value.value
  if (typeof value !== "object" || value === null || env[value.env] !== undefined) return error
  const { column, excerpt, line, offset, variable } = error
  const environment = { variable: value.env, scope }
  return new UndefinedVariable({ ...ownerFields(error), offset, line, column, excerpt, variable, environment })
}
