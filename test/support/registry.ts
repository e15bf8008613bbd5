/** The prompt service over a registry that a test can look into. */
import { Effect, Exit, Layer, Scope } from "effect"
import { Overlays, Renderer, SystemPrompt, type SystemPromptOptions, Waterfall } from "../../src/index.ts"
import type { InvalidRegistration, InvalidToolOrder } from "../../src/PromptError.ts"

/** `SystemPrompt` with the given built-ins, together with the `Overlays` it registers in. */
export const layerWith = (
  options: SystemPromptOptions
): Layer.Layer<SystemPrompt | Overlays, InvalidRegistration | InvalidToolOrder> =>
  SystemPrompt.layerNoDepsWith(options).pipe(
    Layer.provideMerge(Overlays.layer),
    Layer.provide([Waterfall.layer, Renderer.layer])
  )

/** `SystemPrompt` with the default built-ins, together with the `Overlays` it registers in. */
export const layer: Layer.Layer<SystemPrompt | Overlays> = Layer.orDie(layerWith({}))

/** How many entries the global overlay holds for the default built-ins: the two empty personas. */
export const builtIns = 2

/** Registers in an Effect scope of its own, and gives the effect that closes it: run twice, it closes twice. */
export const own = <E, R>(
  registration: Effect.Effect<void, E, R>
): Effect.Effect<Effect.Effect<void>, E, Exclude<R, Scope.Scope>> =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    yield* Scope.provide(registration, scope)
    return Scope.close(scope, Exit.void)
  })
