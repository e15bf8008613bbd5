/**
 * Renders assemblies. Stateless but for a memo; another layer renders in another way.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { Assembly } from "./Assembly.ts"
import { LastRendered, scopeOf } from "./internal/lastRendered.ts"
import { observe } from "./internal/observe.ts"
import { withNow } from "./internal/renderNow.ts"
import type { RenderError } from "./PromptError.ts"
import { Current, type PromptScope } from "./PromptScope.ts"
import type * as Rendered from "./Rendered.ts"

// -----------------------------------------------------------------------------
// services
// -----------------------------------------------------------------------------

/**
 * Makes the texts of an assembly.
 *
 * @since 0.1.0
 * @category services
 */
export class Renderer extends Context.Service<
  Renderer,
  {
    /**
     * Renders the prompt and the contexts of an assembly, or fails with the leftmost problem of its text. Each part says
     * where in the prompt, or in the snapshot, it stands: `Rendered.sourceAt` relies on it.
     */
    readonly render: (assembly: Assembly) => Effect.Effect<Rendered.Rendered, RenderError>
  }
>()("effect-preamble/Renderer") {
  /**
   * Renders by `Rendered.render`. It remembers the last rendering for the 32 prompt scopes that rendered last, of twice
   * as many at the most, and gives the same object again while nothing that matters changed, so that consumers compare by
   * `===`. An assembly that the service has not made counts as one for the ambient scope.
   *
   * @since 0.1.0
   */
  static readonly layer: Layer.Layer<Renderer> = Layer.effect(
    this,
    Effect.suspend(() => makeRenderer)
  )
}

const makeRenderer = Effect.gen(function* () {
  const last = new LastRendered()
  yield* observe({ closed: (scope) => last.forget(scope) })
  const now = (assembly: Assembly, scope: PromptScope) => {
    const rendered = last.render(scope, assembly)
    return Result.isSuccess(rendered) ? Exit.succeed(rendered.success) : Exit.fail(rendered.failure)
  }
  const render: Renderer["Service"]["render"] = (assembly) =>
    Effect.withFiber((fiber) => now(assembly, scopeOf(assembly) ?? fiber.getRef(Current)))
  return Renderer.of({ render: withNow(render, now) })
})
