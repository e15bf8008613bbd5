/**
 * Renders assemblies. Stateless but for a memo; another layer renders in another way.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { Assembly } from "./Assembly.ts"
import type { RenderError } from "./PromptError.ts"
import { Current, type PromptScope } from "./PromptScope.ts"
import * as Rendered from "./Rendered.ts"

// -----------------------------------------------------------------------------
// services
// -----------------------------------------------------------------------------

/**
 * @since 0.1.0
 * @category services
 */
export class Renderer extends Context.Service<
  Renderer,
  {
    /** Renders the prompt and the contexts of an assembly, or fails with the leftmost problem of its text. */
    readonly render: (assembly: Assembly) => Effect.Effect<Rendered.Rendered, RenderError>
  }
>()("effect-preamble/Renderer") {
  /**
   * Renders by `Rendered.render`. For each ambient prompt scope it remembers the last rendering, and gives the same
   * object again while nothing that matters changed, so that consumers compare by `===`.
   *
   * @since 0.1.0
   */
  static readonly layer: Layer.Layer<Renderer> = Layer.sync(this, () => {
    const last = new Map<PromptScope, Rendered.Rendered>()
    return Renderer.of({
      render: (assembly) =>
        Effect.flatMap(Current, (scope) => {
          const rendered = Rendered.render(assembly, last.get(scope))
          if (Result.isSuccess(rendered)) remember(last, scope, rendered.success)
          return Effect.fromResult(rendered)
        })
    })
  })
}

/** Prompts are long: only so many are kept, those of the scopes that rendered last. */
const capacity = 256

const remember = (last: Map<PromptScope, Rendered.Rendered>, scope: PromptScope, rendered: Rendered.Rendered): void => {
  last.delete(scope)
  last.set(scope, rendered)
  for (const oldest of last.keys()) {
    if (last.size <= capacity) break
    last.delete(oldest)
  }
}
