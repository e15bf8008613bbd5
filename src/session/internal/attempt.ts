/** One attempt of a step: what it logs, from what the session knows, and the request that follows. */
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Assembly } from "../../Assembly.ts"
import type { Rendered } from "../../Rendered.ts"
import type { Route, Said } from "../AgentStep.ts"
import type * as Event from "../Event.ts"
import type { Message } from "../Message.ts"
import * as OpenCalls from "../OpenCalls.ts"
import * as Position from "../Position.ts"
import type * as Request from "../Request.ts"
import * as RequestContext from "../RequestContext.ts"
import * as RequestHeader from "../RequestHeader.ts"
import * as RuntimeContextProjection from "../RuntimeContextProjection.ts"
import type { State } from "../Session.ts"
import type { AppendError } from "../SessionError.ts"
import * as SessionLog from "../SessionLog.ts"
import * as Surface from "../Surface.ts"
import * as SystemPromptProjection from "../SystemPromptProjection.ts"
import * as ToolSchema from "../../ToolSchema.ts"
import * as ToolChange from "../ToolChange.ts"

export interface Input {
  readonly assembly: Assembly
  readonly rendered: Rendered
  readonly route: Route
  /** In milliseconds since 1970. */
  readonly time: number
  readonly startsSeries: boolean
  /** What was said; `undefined` in a further attempt of a step, which admits nothing and begins nothing. */
  readonly admit: ReadonlyArray<Said> | undefined
}

export interface Attempt {
  readonly state: State
  readonly request: Request.Request
}

/** The log grows draft by draft, since what comes next depends on what is there: an event's seq, the surface. */
class Growing {
  log: SessionLog.SessionLog
  readonly #time: number

  constructor(log: SessionLog.SessionLog, time: number) {
    this.log = log
    this.#time = time
  }

  /** Where the next message belongs, and its id: unique in its session, and the same whenever it is made from the same log. */
  get at() {
    const { header, length, position } = this.log
    return { turn: position.turn, step: position.step, time: this.#time, id: `${header.id}:${length}` }
  }

  add(...drafts: ReadonlyArray<Event.Draft>): Result.Result<void, AppendError> {
    return Result.map(SessionLog.commit(this.log, drafts), (log) => {
      this.log = log
    })
  }
}

export const attempt = (state: State, input: Input): Result.Result<Attempt, AppendError> =>
  Result.gen(function* () {
    const growing = new Growing(state.log, input.time)
    if (input.admit !== undefined) yield* begin(growing)
    const header = headerOf(state.log, input)
    yield* logPrompt(growing, input, startsSeries(state, header, input))
    yield* admit(growing, input.admit ?? [])
    yield* logSnapshot(growing, input.rendered)
    yield* logHeader(growing, header, state, input.startsSeries)
    yield* logRoute(growing, input.route)
    const { log } = growing
    // From the log, where a header is a copy that nobody can change any more.
    const { seq, header: logged, surface } = Option.getOrThrow(Option.fromUndefinedOr(SessionLog.requested(log)))
    const request: Request.Request = { seq, header: logged, messages: messagesOf(surface, state) }
    return {
      state: { log, hasRequested: true, generation: log.surface.generation, previous: Option.some(request) },
      request
    }
  })

/** While nothing is replaced, the messages of before are the first of those of now: only what is new has to be looked at. */
const messagesOf = (surface: Surface.Surface, { generation, previous }: State): ReadonlyArray<Message> =>
  Option.isSome(previous) && surface.generation === generation
    ? [...previous.value.messages, ...Surface.messages(surface, previous.value.seq)]
    : Surface.messages(surface)

/** The header that was logged last, if this one says the same: its keys may stand in another order, which is other bytes. */
const headerOf = (log: SessionLog.SessionLog, { assembly, route }: Input): RequestHeader.RequestHeader => {
  const logged = log.requestHeader?.data.header
  const schemas = assembly.tools.map(({ schema }) => schema)
  const header = RequestHeader.make({
    config: route.config,
    adapterDefaults: route.adapterDefaults,
    tools: loggedAs(logged?.tools, schemas) ?? schemas
  })
  if (logged === undefined || !RequestHeader.equals(logged, header)) return header
  if (logged.tools !== undefined && schemas.every(ToolSchema.isToolSchema)) equal.set(logged.tools, schemas)
  return logged
}

/** By tools of a log: the schemas that were last found to be the same, so that they are not compared in every step. */
const equal = new WeakMap<ReadonlyArray<RequestHeader.Tool>, ReadonlyArray<ToolSchema.ToolSchema>>()

/** The tools that were logged, if they were found to be those of these very schemas, which never change. */
const loggedAs = (
  logged: ReadonlyArray<RequestHeader.Tool> | undefined,
  schemas: ReadonlyArray<ToolSchema.ToolSchema>
): ReadonlyArray<RequestHeader.Tool> | undefined => {
  const found = logged && equal.get(logged)
  return found?.length === schemas.length && found.every((schema, i) => schema === schemas[i]) ? logged : undefined
}

/** Whether nothing of the request before has to stay in the cache, or nothing of it can. */
const startsSeries = (state: State, header: RequestHeader.RequestHeader, { route, startsSeries }: Input): boolean => {
  const logged = state.log.requestHeader?.data.header
  return (
    startsSeries ||
    state.log.surface.generation !== state.generation ||
    (route.toolUpdate === undefined && logged !== undefined && !RequestHeader.sameTools(logged, header))
  )
}

/**
 * Begins a step, and a turn if none is open. What was left open, by an earlier process or by a step that still runs, is
 * closed first: the calls that have no result, and the step.
 */
const begin = (growing: Growing): Result.Result<void, AppendError> => {
  const { position } = growing.log
  const { time } = growing.at
  const left = [...OpenCalls.settle(growing.log, time), ...Position.endStep(position, time)]
  if (position.isTurnOpen) {
    const { step, turn } = position
    return growing.add(...left, { type: "step/start", time, data: { turn, step: step + 1 } })
  }
  const turn = position.turn + 1
  return growing.add(
    ...left,
    { type: "turn/start", time, data: { turn } },
    { type: "step/start", time, data: { turn, step: 1 } }
  )
}

const logPrompt = (
  growing: Growing,
  { rendered, route }: Input,
  startsSeries: boolean
): Result.Result<void, AppendError> =>
  Result.gen(function* () {
    const facts = { inHistory: route.systemPromptUpdate === "in-history", startsSeries }
    for (const commit of SystemPromptProjection.project(growing.log.systemPrompt, rendered.text, facts)) {
      yield* growing.add(SystemPromptProjection.toDraft(commit, growing.at))
    }
  })

const admit = (growing: Growing, said: ReadonlyArray<Said>): Result.Result<void, AppendError> =>
  Result.gen(function* () {
    for (const { content, source = { kind: "user" } } of said) {
      const { id, time } = growing.at
      const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content
      yield* growing.add({
        type: "user/message",
        time,
        data: { role: "user", content: blocks, source, id },
        surfaceOp: "append"
      })
    }
  })

/** In a further attempt too: a compaction may have taken away what the model was told. */
const logSnapshot = (growing: Growing, rendered: Rendered): Result.Result<void, AppendError> => {
  const now = RuntimeContextProjection.fromRendered(rendered)
  const snapshot = RuntimeContextProjection.project(growing.log.runtimeContext, now)
  return snapshot === undefined ? Result.void : growing.add(RuntimeContextProjection.toDraft(snapshot, growing.at))
}

/** A replaced prompt begins a series, too. Tools that came or went are told to the model after the header that defines them. */
const logHeader = (
  growing: Growing,
  header: RequestHeader.RequestHeader,
  state: State,
  declared: boolean
): Result.Result<void, AppendError> => {
  const previous = growing.log.requestHeader?.data.header
  const entry = RequestHeader.entry(header, {
    previous,
    isFirst: !state.hasRequested,
    startsSeries: declared || growing.log.surface.generation !== state.generation
  })
  if (entry === undefined) return Result.void
  const headerSeq = growing.log.length
  return Result.gen(function* () {
    yield* growing.add({ type: "request/header", time: growing.at.time, data: entry })
    if (previous === undefined) return
    const told = ToolChange.toDraft(ToolChange.between(previous, header), { ...growing.at, headerSeq })
    if (told !== undefined) yield* growing.add(told)
  })
}

const logRoute = (growing: Growing, route: Route): Result.Result<void, AppendError> => {
  const { config, contextWindow, systemPromptUpdate } = route
  const context: RequestContext.RequestContext = {
    provider: config.provider,
    model: config.model,
    ...(contextWindow === undefined ? undefined : { contextWindow }),
    ...(systemPromptUpdate === undefined ? undefined : { systemPromptUpdate })
  }
  const logged = growing.log.requestContext
  return logged !== undefined && RequestContext.equals(logged.data, context)
    ? Result.void
    : growing.add({ type: "request/context", time: growing.at.time, data: context })
}
