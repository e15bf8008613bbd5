/** The end of the waterfall. */
import * as Result from "effect/Result"
import type { Assembly } from "../Assembly.ts"
import type { InvalidAssembly, Owner } from "../PromptError.ts"
import { accept, agrees, isWellFormed, markWellFormed } from "./wellFormed.ts"

/**
 * The end of the waterfall. Puts the complete section of `base`, the assembly that went in, back as it was; drops
 * contexts that are suppressed, and sections whose required tools are not there; refuses what is no well-formed assembly.
 * Sealing what is sealed changes nothing.
 *
 * @since 0.1.0
 * @category constructors
 */
export const seal = (base: Assembly, result: Assembly): Result.Result<Assembly, InvalidAssembly> => {
  if (result === base) return Result.succeed(restore(base, result))
  // The waterfall has accepted each listener's result; only another implementation of it may give something else.
  const waterfall: Owner = { kind: "listener", entry: "waterfall", scope: base.scope }
  return Result.map(
    isWellFormed(result) && agrees(base, result) ? Result.succeed(result) : accept([base], result, waterfall),
    (accepted) => restore(base, accepted)
  )
}

/** Whether nothing is to be put back or dropped. A copy is read: frozen arrays are slow to read, and this runs each time. */
const isFree = (base: Assembly, result: Assembly): boolean => {
  if (base.complete !== undefined || (base.suppressed && result.contexts.length > 0)) return false
  return [...result.sections].every((section) => section.requires.length === 0)
}

const restore = (base: Assembly, result: Assembly): Assembly => {
  if (isFree(base, result)) return result
  const visible = new Set(result.tools.map((tool) => tool.schema.name))
  const sections =
    base.complete === undefined
      ? result.sections.filter((section) => section.requires.every((tool) => visible.has(tool)))
      : base.sections.filter((section) => section.name === base.complete)
  const contexts = base.suppressed ? [] : result.contexts
  return sections.length === result.sections.length &&
    sections.every((section, i) => section === result.sections[i]) &&
    contexts.length === result.contexts.length
    ? result
    : markWellFormed({
        ...result,
        sections: Object.freeze(sections),
        contexts: Object.freeze(contexts)
      })
}
