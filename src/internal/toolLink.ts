/**
 * From a tool of an assembly to what was registered: what a model was shown is what runs, whatever has been registered
 * since. A listener's edit of a tool stays an edit of that tool. An assembly is plain data, so the link is kept beside it.
 */
import type { AssembledTool } from "../Assembly.ts"
import type { RegisteredTool } from "../RegisteredTool.ts"

const links = new WeakMap<object, RegisteredTool>()

export const link = (shown: AssembledTool, registered: RegisteredTool): AssembledTool => {
  links.set(shown, registered)
  return shown
}

/** What a tool of an assembly was registered as; nothing for the tools of bare providers and of listeners. */
export const registeredAs = (shown: AssembledTool): RegisteredTool | undefined => links.get(shown)

/** Notes that a listener made one part of another. */
export const inherit = <T extends object>(made: T, from: object): T => {
  const registered = links.get(from)
  if (registered !== undefined) links.set(made, registered)
  return made
}

/** Whether two parts are linked to the same, or both to nothing. */
export const isLinkedAs = (a: object, b: object): boolean => links.get(a) === links.get(b)
