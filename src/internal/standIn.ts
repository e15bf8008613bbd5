/**
 * Scopes that are shown the tools of another one. The command puts its variables into a scope below the one that is asked
 * for; there that one's own tools would be inherited, and so restricted, which they are not in the scope itself.
 */
import type { PromptScope } from "../PromptScope.ts"

const originals = new WeakMap<PromptScope, PromptScope>()

/** From now on, `scope` is shown the tools of `original`. */
export const standIn = (scope: PromptScope, original: PromptScope): void => {
  originals.set(scope, original)
}

/** Whose tools a scope is shown: its own, save for a stand-in. */
export const seenAs = (scope: PromptScope): PromptScope => originals.get(scope) ?? scope
