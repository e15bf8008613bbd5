/**
 * Rendering within the turn of a fibre that has assembled: another turn would cost as much as assembling does while
 * nothing changes.
 */
import type * as Exit from "effect/Exit"
import type { Assembly } from "../Assembly.ts"
import type { RenderError } from "../PromptError.ts"
import type { PromptScope } from "../PromptScope.ts"
import type { Rendered } from "../Rendered.ts"
import type { Renderer } from "../Renderer.ts"

type Render = Renderer["Service"]["render"]

/** Does at once for a scope what running `render` in it does. */
export type RenderNow = (assembly: Assembly, scope: PromptScope) => Exit.Exit<Rendered, RenderError>

const known = new WeakMap<Render, RenderNow>()

export const renderNow = (render: Render): RenderNow | undefined => known.get(render)

/** Known by the function itself: a renderer that has another one, such as one with a span around it, is asked for its own. */
export const withNow = (render: Render, now: RenderNow): Render => {
  known.set(render, now)
  return render
}
