/**
 * Runs random lives of a session: steps of every kind, what goes wrong with them, compactions and restarts. Each is run
 * with everything that has to hold of a step, checked against plain words that know nothing of how it is done.
 */
import { assert } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Option, Result, Scope } from "effect"
import * as AgentStep from "../../../src/session/AgentStep.ts"
import * as Compaction from "../../../src/session/Compaction.ts"
import * as Event from "../../../src/session/Event.ts"
import * as Request from "../../../src/session/Request.ts"
import * as RuntimeContextProjection from "../../../src/session/RuntimeContextProjection.ts"
import * as Session from "../../../src/session/Session.ts"
import * as SessionLog from "../../../src/session/SessionLog.ts"
import * as Surface from "../../../src/session/Surface.ts"
import type { Tally } from "../../support/check.ts"
import { answer, bare, brief, deaf, header, inHistory, type World } from "./agent.ts"
import { type Action, change, pick, routes } from "./lives.ts"
import { assertPaired, current, empty, json, nesting, prefixOf, reread } from "./words.ts"

/** One route for a while. */
const optionsOf = (life: Life, { a, b, c }: Action): AgentStep.Options => {
  if (a % 5 === 0) life.route = pick(routes, b)
  return {
    route: life.route,
    said: Array.from({ length: b % 3 }, (_, i) => ({ content: `said ${a} ${i}` })),
    startsSeries: c % 11 === 0
  }
}

// -----------------------------------------------------------------------------
// running
// -----------------------------------------------------------------------------

/** A session of which everything that it ever answered is remembered. */
export class Life {
  session: Session.Session
  route: AgentStep.Route = inHistory
  readonly world: World
  readonly tally: Tally
  readonly #requests: Array<Request.Request> = []
  #scope: Scope.Closeable
  /** Whether something was said since the last request that the log cannot tell from it. */
  #steered = false
  #everSteered = false
  /** Of each step, that of its last request. */
  readonly #places = new Map<string, number>()

  constructor(session: Session.Session, scope: Scope.Closeable, world: World, tally: Tally) {
    this.session = session
    this.#scope = scope
    this.world = world
    this.tally = tally
  }

  static readonly begin = Effect.fnUntraced(function* (world: World, tally: Tally) {
    const scope = yield* Scope.make()
    return new Life(yield* Session.create(header()).pipe(Scope.provide(scope)), scope, world, tally)
  })

  get log() {
    return Session.log(this.session)
  }

  /** Closes the writer and opens the log anew, as after the end of a process. */
  restart() {
    return Effect.gen({ self: this }, function* () {
      const before = yield* this.log
      yield* Scope.close(this.#scope, Exit.void)
      this.#scope = yield* Scope.make()
      this.session = yield* Session.open(before.header.id).pipe(Scope.provide(this.#scope))
      assert.deepStrictEqual(SessionLog.events(yield* this.log), SessionLog.events(before))
    })
  }

  /** Whether a session that was restored from the text of the log knows and does the same. */
  twin(options: AgentStep.Options) {
    return Effect.gen({ self: this }, function* () {
      const log = reread(yield* this.log)
      const twin = yield* Session.make(deaf(log), log)
      const [live, restored] = [yield* this.session.state, yield* twin.state]
      assert.strictEqual(restored.generation, live.generation)
      if (!this.#steered) assert.strictEqual(json(restored.previous), json(live.previous))
      assert.deepStrictEqual(
        Option.map(restored.previous, ({ seq }) => seq),
        Option.fromUndefinedOr(Request.places(log).at(-1))
      )
      const step = yield* AgentStep.prepare(twin, options)
      const logged = SessionLog.events(yield* Session.log(twin), { from: log.length }).map(brief)
      return { step, logged: logged.filter((event) => !event.startsWith("request/header")) }
    })
  }

  /** Remembers a request, after everything was checked that has to hold of it now. */
  remember(step: AgentStep.AgentStep, log: SessionLog.SessionLog, route: AgentStep.Route): void {
    current(step, log, route)
    this.record(step)
  }

  record(step: AgentStep.AgentStep): void {
    assertPaired(step.request)
    const before = this.#requests.at(-1)
    const expected = before === undefined ? undefined : prefixOf(step.request, before)
    if (!this.#steered) assert.deepStrictEqual(Option.getOrUndefined(step.prefix), expected)
    if (expected !== undefined) this.tally.count("prefix", expected.isWhole ? "whole" : "broken")
    this.#steered = false
    this.#requests.push(step.request)
    this.#places.set(`${step.turn}.${step.step}`, step.request.seq)
  }

  steer(): void {
    this.#steered = true
    this.#everSteered = true
  }

  /** Every request follows from the log, also from its text. */
  check() {
    return Effect.gen({ self: this }, function* () {
      yield* Session.endTurn(this.session, "completed")
      const log = yield* this.log
      assert.deepStrictEqual(nesting(log), [])
      for (const self of [log, reread(log)]) {
        for (const request of this.#requests) {
          assert.strictEqual(json(Option.getOrThrow(Request.rebuild(self, request.seq))), json(request))
        }
      }
      if (!this.#everSteered) {
        assert.deepStrictEqual(Request.places(log), [...this.#places.values()])
        this.tally.count("places")
      }
      yield* Scope.close(this.#scope, Exit.void)
    })
  }
}

/** Without the result, as where the process is killed in the tool. */
const results = (step: AgentStep.AgentStep, n: number, killed: boolean): ReadonlyArray<Event.Draft> => {
  const at = { turn: step.turn, step: step.step }
  const said = answer(step)
  const call = { type: "tool-call", id: `call ${n}`, name: "bash", arguments: "{}" }
  const drafts: ReadonlyArray<Event.Draft> = [
    { type: "tool/call", data: { ...at, callId: call.id, name: "bash", arguments: "{}" } },
    { ...said, data: { ...said.data, message: { ...said.data.message, content: [call] } } },
    {
      type: "tool/result",
      data: {
        ...at,
        message: {
          role: "tool",
          id: `result ${n}`,
          toolCallId: call.id,
          source: { kind: "tool", callId: call.id },
          content: [{ type: "text", text: "done" }],
          ...(n % 3 === 0 ? { isError: true } : undefined)
        }
      },
      surfaceOp: "append"
    }
  ]
  return killed ? drafts.slice(0, -1) : drafts
}

/** Replaces some messages behind the head, or with it. */
const compact = (life: Life, { a, b, kind }: Action) =>
  Effect.gen(function* () {
    const before = yield* life.log
    const nodes = Surface.events(before.surface)
    const from = kind === "head" ? 0 : 1 + (a % Math.max(1, nodes.length - 1))
    const taken = nodes.slice(from, from + 1 + (b % 9))
    const [start, end] = [taken[0], taken.at(-1)]
    if (start === undefined || end === undefined) return
    const replace = (range: Compaction.Range) =>
      Session.commit(life.session, (log) =>
        Compaction.drafts(log, {
          id: `c${log.length}`,
          ...range,
          content: [{ type: "text", text: "sum" }],
          messageId: `sum ${log.length}`,
          time: 0
        })
      )
    const first = yield* Effect.result(replace({ startSeq: start.seq, endSeq: end.seq }))
    const split = Result.isFailure(first) && first.failure._tag === "SplitCalls" ? first.failure : undefined
    if (split !== undefined) life.tally.count(split.nearest === undefined ? "waiting" : "split")
    if (split !== undefined && split.nearest === undefined) return
    const done = split?.nearest === undefined ? first : yield* Effect.result(replace(split.nearest))
    if (kind === "head") {
      assert.deepInclude(Result.getOrThrow(Result.flip(done)), { _tag: "SurfaceViolation", rule: "head" })
      assert.strictEqual(yield* life.log, before)
      life.tally.count("refused")
      return
    }
    assert.isTrue(Result.isSuccess(done))
    life.tally.count(
      "compaction",
      ...(taken.some(({ type }) => type === "system/message") ? ["of a prompt"] : []),
      ...(taken.some(RuntimeContextProjection.isOwned) ? ["of a snapshot"] : [])
    )
  })

const labels = (logged: ReadonlyArray<string>): ReadonlyArray<string> => [
  "step",
  ...(logged.some((event) => event.startsWith("system/message for")) ? ["replaced"] : []),
  ...(logged.includes("system/message") ? ["appended"] : []),
  ...(logged.includes("developer/message") ? ["tools told"] : []),
  ...(logged[0] === "tool/result" ? ["settled"] : []),
  ...(logged.some((event) => /^request\/header (?:series|.* startsSeries)/.test(event)) ? ["series"] : [])
]

const step = (life: Life, action: Action) =>
  Effect.gen(function* () {
    const options = optionsOf(life, action)
    const before = yield* life.log
    const twin = action.a % 2 === 0 ? yield* life.twin(options) : undefined
    const made = yield* AgentStep.run(life.session, options, (step) =>
      Effect.gen(function* () {
        const log = yield* life.log
        life.remember(step, log, options.route)
        const logged = SessionLog.events(log, { from: before.length }).map(brief)
        if (twin !== undefined) {
          assert.strictEqual(json(twin.step.request.messages), json(step.request.messages))
          assert.strictEqual(json(twin.step.request.header), json(step.request.header))
          assert.deepStrictEqual(
            twin.logged,
            logged.filter((event) => !event.startsWith("request/header"))
          )
          life.tally.count("twin")
        }
        yield* step.commit(action.kind === "tools" ? results(step, action.a, action.b % 2 === 1) : [answer(step)])
        return step
      })
    )
    const log = yield* life.log
    life.tally.count(...labels(SessionLog.events(log, { from: before.length }).map(brief)))
    assert.deepStrictEqual([made.turn, made.step], [log.position.turn, log.position.step])
    if (action.b % 4 !== 0) return
    const again = yield* AgentStep.run(life.session, { route: options.route }, (step) =>
      Effect.as(step.commit([answer(step)]), step)
    )
    const after = yield* life.log
    life.record(again)
    assert.isTrue(Option.getOrThrow(again.prefix).isWhole)
    assert.deepStrictEqual(SessionLog.events(after, { from: log.length }).map(brief), bare)
    assert.strictEqual(again.rendered, made.rendered)
    life.tally.count("equal step")
  })

/** A further attempt, perhaps on another route, perhaps after a compaction. */
const retry = (life: Life, action: Action) =>
  Effect.gen(function* () {
    const options = optionsOf(life, action)
    const step = yield* AgentStep.prepare(life.session, options)
    life.remember(step, yield* life.log, options.route)
    if (action.c % 3 > 0) yield* compact(life, { ...action, kind: "compact" })
    const route = action.b % 2 === 0 ? pick(routes, action.c) : options.route
    const assembled = life.world.assembled
    const before = yield* life.log
    const again = yield* step.retry(route)
    const log = yield* life.log
    life.remember(again, log, route)
    assert.strictEqual(life.world.assembled, assembled)
    const said = SessionLog.events(log, { from: before.length }).filter(Event.is("user/message"))
    assert.isTrue(said.every(RuntimeContextProjection.isOwned))
    if (log === before) life.tally.count("retry", "the same again")
    else life.tally.count("retry", log.surface.generation > before.surface.generation ? "moved" : "went on")
    yield* again.commit([answer(again)])
    yield* again.end
  })

/** Somebody says something while the model answers. */
const steer = (life: Life, action: Action) =>
  Effect.gen(function* () {
    const options = optionsOf(life, action)
    yield* AgentStep.run(life.session, options, (step) =>
      Effect.gen(function* () {
        life.remember(step, yield* life.log, options.route)
        if (action.b % 2 === 0) yield* compact(life, { ...action, kind: "compact" })
        yield* Session.commit(life.session, (log) =>
          Result.succeed([
            {
              type: "user/message",
              data: { ...empty, role: "user", id: `steer ${log.length}`, content: [{ type: "text", text: "wait" }] },
              surfaceOp: "append"
            }
          ])
        )
        yield* step.commit([answer(step)])
        life.steer()
      })
    )
  })

const together = (life: Life, action: Action) =>
  Effect.gen(function* () {
    const options = optionsOf(life, action)
    const before = yield* life.log
    const steps = yield* Effect.all(
      Array.from({ length: 2 + (action.c % 2) }, () => AgentStep.prepare(life.session, options)),
      { concurrency: "unbounded" }
    )
    const log = yield* life.log
    const ordered = steps.toSorted((a, b) => a.request.seq - b.request.seq)
    let from = before.length
    for (const step of ordered) {
      const own = SessionLog.events(log, { from, to: step.request.seq }).map(brief)
      assert.lengthOf(
        own.filter((event) => event === "step/start"),
        1
      )
      assert.notInclude(own.slice(own.indexOf("step/start")), "step/end")
      from = step.request.seq
      life.record(step)
    }
    assert.strictEqual(from, log.length)
    for (const step of ordered.toReversed()) yield* step.end
    life.tally.count("together")
  })

const cutOff = (life: Life, action: Action) =>
  Effect.gen(function* () {
    const options = optionsOf(life, action)
    const reached = yield* Deferred.make<AgentStep.AgentStep>()
    const running = yield* Effect.forkChild(
      AgentStep.run(life.session, options, (step) =>
        Effect.andThen(
          Deferred.succeed(reached, step),
          action.kind === "failed" ? Effect.fail("no model") : Effect.never
        )
      )
    )
    const step = yield* Deferred.await(reached)
    yield* action.kind === "failed" ? Fiber.await(running) : Fiber.interrupt(running)
    life.record(step)
    assert.deepStrictEqual(nesting(yield* life.log), ["turn"])
    life.tally.count(action.kind)
  })

/** What does not render logs nothing. */
const unrendered = (life: Life, action: Action) =>
  Effect.gen(function* () {
    const { persona, policy } = life.world
    if (action.a % 2 === 0) life.world.persona = "{{missing}}"
    else life.world.policy = "{{missing}}"
    const before = yield* life.session.state
    const failed = yield* Effect.flip(AgentStep.prepare(life.session, optionsOf(life, action)))
    assert.strictEqual(failed._tag, "UnknownVariable")
    assert.strictEqual(yield* life.session.state, before)
    Object.assign(life.world, { persona, policy })
    life.tally.count("unrendered")
  })

const crash = (life: Life, action: Action) =>
  Effect.gen(function* () {
    const options = optionsOf(life, action)
    const step = yield* AgentStep.prepare(life.session, options)
    life.remember(step, yield* life.log, options.route)
    yield* life.restart()
    life.tally.count("crash")
  })

export const act = (life: Life, action: Action) =>
  Effect.gen(function* () {
    change(life.world, action)
    switch (action.kind) {
      case "step":
      case "tools":
        return yield* step(life, action)
      case "compact":
        return yield* compact(life, action)
      case "head":
        return yield* compact(life, action)
      case "retry":
        return yield* retry(life, action)
      case "steer":
        return yield* steer(life, action)
      case "interrupted":
      case "failed":
        return yield* cutOff(life, action)
      case "unrendered":
        return yield* unrendered(life, action)
      case "together":
        return yield* together(life, action)
      case "crash":
        return yield* crash(life, action)
      case "restart":
        yield* life.restart()
        return life.tally.count("restart")
      case "turn":
        return yield* Session.endTurn(life.session, "completed")
    }
  })
