/** Random turns: models that answer anything or fail, tools that fail, die or hang, processes that end. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Deferred, Effect, Exit, Fiber, Layer, Option, Ref, Schema, Stream } from "effect"
import { AiError, LanguageModel, type Response } from "effect/ai"
import { MessagePrompt, SessionStep, SessionTurn } from "../../src/ai/index.ts"
import { type AgentStep, MemoryStore, Request, Session } from "../../src/session/index.ts"
import { check, patience, Tally } from "../support/check.ts"
import { runs } from "../support/runs.ts"
import { now, provided, rules, services, tool } from "./agent.ts"
import { call, finish, said, text } from "./scripted.ts"
import { begins, imbalance, logged, open, plain } from "./session.ts"

const Finish = Schema.Literals(["none", "none", "none", "none", "stop", "tool-calls", "length", "error", "pause"])
const Program = Schema.Struct({
  /** What each request is answered with. */
  answers: Schema.Array(
    Schema.Struct({
      fails: Schema.Literals(["no", "no", "no", "no", "busy", "broken"]),
      calls: Schema.Array(Schema.Literals(["read", "read", "read", "rm", "fails", "dies", "bare", "hang"])),
      finish: Finish
    })
  ),
  concurrency: Schema.Literals([1, 2, "unbounded"]),
  says: Schema.Literals([true, true, true, false]),
  restarts: Schema.Boolean
})
const programs = Arbitrary.array(Arbitrary.schema(Program), { minLength: 1, maxLength: 5 })

type Turn = typeof Program.Type
type Answer = Turn["answers"][number]

/** The turns of each process: some turns restart it. */
const inProcesses = (program: ReadonlyArray<Turn>): ReadonlyArray<ReadonlyArray<Turn>> => {
  const processes: Array<Array<Turn>> = [[]]
  for (const turn of program) {
    if (turn.restarts) processes.push([])
    processes.at(-1)!.push(turn)
  }
  return processes.filter((turns) => turns.length > 0)
}

const partsOf = ({ calls, finish: reason }: Answer, at: number): Array<Response.PartEncoded> => [
  text(`answer ${at}`),
  // Ids come again in each answer, as with some providers.
  ...calls.slice(0, 3).map((name, i) => call(`${i}`, name, { path: `${at}` })),
  ...(reason === "none" ? [] : [finish(reason)])
]

const failure = (isBusy: boolean) =>
  AiError.make({
    module: "test",
    method: "generateText",
    reason: isBusy ? new AiError.RateLimitError({}) : new AiError.InvalidRequestError({})
  })

/** A model, and a tool that hangs until somebody is told. */
const world = Effect.gen(function* () {
  const seen: Array<LanguageModel.ProviderOptions> = []
  const script = yield* Ref.make<ReadonlyArray<Answer>>([])
  const hanging = yield* Ref.make(yield* Deferred.make<void>())
  const generateText = Effect.fnUntraced(function* (options: LanguageModel.ProviderOptions) {
    seen.push(options)
    const answer = yield* Ref.modify(script, ([first, ...others]) => [first, others])
    if (answer === undefined) return [text("done")]
    return answer.fails === "no" ? partsOf(answer, seen.length) : yield* failure(answer.fails === "busy")
  })
  const streamText = () => Stream.die("not streamed")
  const model = Layer.effect(LanguageModel.LanguageModel, LanguageModel.make({ generateText, streamText }))
  const hang = Effect.flatMap(Ref.get(hanging), (told) =>
    Effect.andThen(Deferred.succeed(told, undefined), Effect.never)
  )
  const plugins = Layer.mergeAll(
    rules,
    now("noon"),
    provided("bare", "bare"),
    tool("read"),
    tool("fails", () => Effect.fail(new Error("no"))),
    tool("dies", () => Effect.die("no")),
    tool("hang", () => hang)
  )
  return { seen, script, hanging, layer: Layer.merge(plugins.pipe(Layer.provideMerge(services)), model) }
})

const answer =
  (concurrency: SessionStep.Options["concurrency"]) =>
  (step: AgentStep.AgentStep): ReturnType<typeof SessionStep.answer> =>
    Effect.catchTag(SessionStep.answer(step, { concurrency, onFailure: () => Effect.void }), "AiError", (error) =>
      error.isRetryable ? Effect.flatMap(step.retry(), answer(concurrency)) : Effect.fail(error)
    )

describe("any turns", () => {
  it.effect(
    "leave a balanced log, whose requests are the ones that were sent, each the beginning of the next",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        yield* check(
          programs,
          Effect.fnUntraced(
            function* (program) {
              const { hanging, layer, script, seen } = yield* world
              const labels: Array<string> = []
              const take = Effect.fnUntraced(function* (
                session: Session.Session,
                { answers, concurrency, says }: Turn
              ) {
                const told = yield* Deferred.make<void>()
                const before = yield* Session.log(session)
                yield* Ref.set(hanging, told)
                yield* Ref.set(script, answers)
                const options = { route: plain, maxSteps: 3, said: says ? [{ content: "go" }] : [] }
                const fiber = yield* Effect.forkChild(SessionTurn.run(session, options, answer(concurrency)))
                yield* Effect.raceFirst(
                  Fiber.await(fiber),
                  Effect.andThen(Deferred.await(told), Fiber.interrupt(fiber))
                )
                const exit = yield* Fiber.await(fiber)
                assert.deepStrictEqual(imbalance(yield* Session.log(session)), [])
                const last = (yield* logged(session)).at(-1)
                if (Exit.isSuccess(exit) && exit.value.reason === "nothing-to-answer") {
                  assert.deepStrictEqual([says, exit.value.steps, yield* Session.log(session)], [false, 0, before])
                  return labels.push("nothing-to-answer")
                }
                assert(last !== undefined)
                if (Exit.isSuccess(exit)) assert.strictEqual(last, `turn/end ${exit.value.reason}`)
                else assert.strictEqual(last, Exit.hasInterrupts(exit) ? "turn/end aborted" : "turn/end error")
                return labels.push(last.slice("turn/end ".length))
              })
              const processes = inProcesses(program)
              for (const turns of processes) {
                yield* Effect.flatMap(open(), (session) =>
                  Effect.forEach(turns, (turn) => take(session, turn), { discard: true })
                ).pipe(Effect.scoped, Effect.provide(layer))
              }
              const final = yield* Effect.scoped(Effect.flatMap(open(), Session.log))
              for (const [i, later] of seen.slice(1).entries())
                assert.isTrue(begins(seen[i]!, later), `request ${i + 2}`)
              // A request that was retried is in one place.
              const sent = new Set(seen.map(({ prompt }) => JSON.stringify(said(prompt))))
              for (const seq of Request.places(final)) {
                const { messages } = Option.getOrThrow(Request.rebuild(final, seq))
                const prompt = yield* Effect.fromResult(MessagePrompt.make(messages))
                assert.isTrue(sent.has(JSON.stringify(said(prompt))), `request at ${seq}`)
              }
              tally.count(...labels, ...(processes.length > 1 ? ["restarted"] : []))
            },
            Effect.provide(Layer.fresh(MemoryStore.layer))
          ),
          { runs: runs(40, 3000), seed: 11 }
        )
        tally.assertShares("turns", {
          completed: 40,
          aborted: 10,
          error: 10,
          "step-limit": 1,
          "max-tokens": 5,
          "model-error": 5,
          "nothing-to-answer": 5
        })
      }),
    patience
  )
})
