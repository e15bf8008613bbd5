/**
 * Services that a provider or listener needs are captured when it registers, so that
 * assembling needs nothing. What belongs to whoever assembles is not captured: the
 * prompt scope, the Effect scope, the parent span, the references of logging, tracing,
 * metrics, error reporting and the scheduler.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as References from "effect/References"
import * as Scheduler from "effect/Scheduler"
import * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import { type AssembleContext, Annotations } from "../AssembleContext.ts"
import { Current } from "../PromptScope.ts"

/**
 * The services of the fibre that registered something. Which ones they are is erased: the type of the registration has
 * required them, and the registry holds all kinds.
 */
export type Captured = Context.Context<never>

/** By its key: the module that it is of is unstable, and the core imports none such. */
const CurrentErrorReporters = Context.Reference<unknown>("effect/ErrorReporter/CurrentErrorReporters", {
  defaultValue: () => undefined
})

/** Leaves out what is the assembling fibre's own. The prompt scope and the annotations are given anew anyway. */
const withoutAmbient = Context.omit(
  Scope.Scope,
  CurrentErrorReporters,
  Layer.CurrentMemoMap,
  Metric.CurrentMetricAttributes,
  Metric.FiberRuntimeMetrics,
  Metric.MetricRegistry,
  References.CurrentLogAnnotations,
  References.CurrentLogLevel,
  References.CurrentLogSpans,
  References.CurrentLoggers,
  References.CurrentStackFrame,
  References.LogToStderr,
  References.MinimumLogLevel,
  References.TracerEnabled,
  References.TracerSpanAnnotations,
  References.TracerSpanLinks,
  References.TracerTimingEnabled,
  References.UnhandledLogLevel,
  Scheduler.MaxOpsBeforeYield,
  Scheduler.PreventSchedulerYield,
  Scheduler.Scheduler,
  Tracer.CurrentTraceLevel,
  Tracer.DisablePropagation,
  Tracer.MinimumTraceLevel,
  Tracer.ParentSpan,
  Tracer.Tracer
)

/** Captures the services of the registering fibre. */
export const capture: Effect.Effect<Captured> = Effect.contextWith((context: Captured) =>
  Effect.succeed(withoutAmbient(context))
)

/** Runs an effect with captured services over those of the assembling fibre, and the annotations of the assembly over both. */
export const provideCaptured = <A, E>(
  effect: Effect.Effect<A, E, unknown>,
  services: Captured,
  context: AssembleContext
): Effect.Effect<A, E> =>
  Effect.updateContext(
    // What the effect requires is in `services`: registering it required the same.
    effect as Effect.Effect<A, E>,
    (ambient: Context.Context<never>) =>
      Context.mergeAll(
        ambient,
        services,
        Context.make(Current, context.scope),
        Context.make(Annotations, context.annotations),
        context.annotations,
        Context.make(Replaced, ambient)
      )
  )

/** The context that captured services were provided over. */
const Replaced = Context.Reference<Context.Context<never> | undefined>("effect-preamble/internal/Replaced", {
  defaultValue: () => undefined
})

/**
 * Runs an effect, inside of one that these services were provided to, without them: what it found there before is there
 * again. What the surrounding effect has provided on its own account stays.
 */
export const withoutCaptured = <A, E>(effect: Effect.Effect<A, E>, services: Captured): Effect.Effect<A, E> =>
  Effect.updateContext(effect, (inner: Context.Context<never>) => {
    const before = Context.get(inner, Replaced)
    if (before === undefined) return inner
    const restored = new Map(inner.mapUnsafe)
    for (const [key, service] of [...services.mapUnsafe, [Replaced.key, before] as const]) {
      if (restored.get(key) !== service) continue
      if (before.mapUnsafe.has(key)) restored.set(key, before.mapUnsafe.get(key))
      else restored.delete(key)
    }
    return Context.makeUnsafe(restored)
  })
