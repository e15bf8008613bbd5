import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Option, Tracer } from "effect"
import { PromptScope, Spans, SystemPrompt } from "../src/index.ts"

interface Seen {
  readonly name: string
  readonly parent: string | undefined
  readonly attributes: object
  readonly failure: string | undefined
}

/** What spans ended while the effect ran, in the order in which they ended. */
const seenIn = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const seen: Array<Seen> = []
    const names = new Map<string, string>()
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        names.set(span.spanId, span.name)
        const end = span.end.bind(span)
        span.end = (time, exit) => {
          end(time, exit)
          const failure = Exit.isFailure(exit) ? Option.getOrUndefined(Exit.findErrorOption(exit)) : undefined
          seen.push({
            name: span.name,
            parent: Option.getOrUndefined(
              Option.map(options.parent, (parent) => names.get(parent.spanId) ?? "outside")
            ),
            attributes: Object.fromEntries(span.attributes),
            failure:
              typeof failure === "object" && failure !== null && "_tag" in failure ? String(failure._tag) : undefined
          })
        }
        return span
      }
    })
    return Effect.as(Effect.exit(Effect.withTracer(effect, tracer)), seen)
  })

const secret = "You are Copper."

describe("Spans.layer", () => {
  const layers = Layer.provideMerge(Spans.layer, SystemPrompt.layer)

  it.effect("puts assembling and rendering in spans whose attributes hold numbers, and no text", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const { scope } = yield* PromptScope.make("agent")
      yield* prompt.section({ name: "identity", order: -1, text: secret })
      yield* prompt.context({ name: "c", order: 0, text: "{{day}}" })
      yield* prompt.variable("day", "Monday")
      yield* prompt.tools([{ name: "read", description: secret, parameters: {} }])
      const seen = yield* seenIn(Effect.andThen(prompt.render, prompt.render).pipe(PromptScope.provide(scope)))
      const assembled = {
        name: "SystemPrompt.assemble",
        parent: "SystemPrompt.render",
        attributes: {
          "preamble.scope": "agent",
          "preamble.sections": 3,
          "preamble.contexts": 1,
          "preamble.tools": 1,
          "preamble.variables": 1
        },
        failure: undefined
      }
      const rendered = yield* prompt.render.pipe(PromptScope.provide(scope))
      const renderedAs = (unchanged: boolean) => ({
        name: "SystemPrompt.render",
        parent: undefined,
        attributes: {
          "preamble.prompt.length": secret.length,
          "preamble.snapshot.length": rendered.snapshot.length,
          "preamble.unchanged": unchanged
        },
        failure: undefined
      })
      assert.deepStrictEqual(seen, [assembled, renderedAs(false), assembled, renderedAs(true)])
      assert.notInclude(JSON.stringify(seen), secret)
    }).pipe(Effect.provide(layers))
  )

  it.effect("names the section that is the whole prompt", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.section({ name: "all", order: 0, text: "x", complete: true })
      const [seen] = yield* seenIn(prompt.assemble)
      assert.propertyVal(seen?.attributes ?? {}, "preamble.complete", "all")
    }).pipe(Effect.provide(layers))
  )

  it.effect("ends the spans of a failure with its typed error", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.section({ name: "s", order: 0, text: "{{nope}}" })
      const seen = yield* seenIn(prompt.render)
      assert.deepStrictEqual(
        seen.map(({ failure, name }) => [name, failure]),
        [
          ["SystemPrompt.assemble", undefined],
          ["SystemPrompt.render", "UnknownVariable"]
        ]
      )
    }).pipe(Effect.provide(layers))
  )

  it.effect("has no spans without it", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      assert.deepStrictEqual(yield* seenIn(prompt.render), [])
    }).pipe(Effect.provide(SystemPrompt.layer))
  )
})
