import { Console, Effect, Layer, Tracer } from "effect"
import { Plugin, Spans, SystemPrompt } from "effect-preamble"

// A tracer that prints; yours comes from Effect's OTLP exporter or from OpenTelemetry.
const tracer = Tracer.make({
  span: (options) => {
    const span = new Tracer.NativeSpan(options)
    const end = span.end.bind(span)
    span.end = (time, exit) => {
      end(time, exit)
      console.log(span.name, JSON.stringify(Object.fromEntries(span.attributes)))
    }
    return span
  }
})

const program = Effect.gen(function* () {
  const prompt = yield* SystemPrompt
  yield* prompt.render
  yield* prompt.render
  yield* Console.log("done")
})

await Effect.runPromise(
  program.pipe(
    Effect.provide(
      Plugin.section({ name: "identity", order: 0, text: "You are Copper." }).pipe(
        Layer.provideMerge(Spans.layer),
        Layer.provide(SystemPrompt.layer)
      )
    ),
    Effect.withTracer(tracer)
  )
)
