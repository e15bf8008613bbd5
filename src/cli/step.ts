/**
 * `preamble step FILE --log LOG --message TEXT`: all of a step but asking the model.
 *
 * The composition is assembled and rendered, the log brought up to date with it, and the request derived. Each call is
 * one step of one run: it opens the log, or creates it, and leaves its turn open for the next call.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { nearest } from "../internal/nearest.ts"
import type { Rendered } from "../Rendered.ts"
import * as AgentStep from "../session/AgentStep.ts"
import * as OpenCalls from "../session/OpenCalls.ts"
import type * as Position from "../session/Position.ts"
import * as Session from "../session/Session.ts"
import * as SessionHeader from "../session/SessionHeader.ts"
import * as SessionLog from "../session/SessionLog.ts"
import * as SessionFile from "../session/store/SessionFile.ts"
import { StoreFailure } from "../session/store/StoreError.ts"
import { SystemPrompt } from "../SystemPrompt.ts"
import * as Failure from "./Failure.ts"
import * as MessageText from "./MessageText.ts"
import * as Output from "./Output.ts"
import { NothingFound } from "./NothingFound.ts"
import { rendering, reportUnused } from "./render.ts"
import * as StepReport from "./StepReport.ts"
import * as Style from "./Style.ts"
import * as Target from "./Target.ts"

// -----------------------------------------------------------------------------
// command
// -----------------------------------------------------------------------------

const named = (name: string, what: string) =>
  Flag.String(name).pipe(Flag.withMetavar("NAME"), Flag.withDescription(what), Flag.optional)

/**
 * @since 0.1.0
 * @category commands
 */
export const step = Command.make(
  "step",
  {
    file: Target.file,
    log: Flag.String("log").pipe(
      Flag.withMetavar("LOG"),
      Flag.withDescription("The log of the session; it is created if it is not there")
    ),
    message: Flag.String("message").pipe(
      Flag.withMetavar("TEXT"),
      Flag.withDescription("What the user says, which begins a turn; without it the open turn goes on"),
      Flag.optional
    ),
    scope: Target.scope,
    ...Target.settings,
    inHistory: Flag.Boolean("in-history").pipe(
      Flag.withoutNegation,
      Flag.withDescription("The model also reads system messages that are not the first"),
      Flag.withDefault(false)
    ),
    provider: named("provider", "Whose model it is; by default as in the request before, or none"),
    model: named("model", "Which model it is; by default as in the request before, or none"),
    full: MessageText.flag,
    format: Flag.Literals("format", Failure.Format.literals).pipe(
      Flag.withDescription("text: for people; json: the request and all that was logged"),
      Flag.withDefault("text")
    )
  },
  Effect.fn("preamble.step")(function* ({ format, full, inHistory, log, message, model, provider, scope, ...target }) {
    if (Option.contains(message, "")) return yield* Failure.misuse("step", "--message needs a text.")
    yield* refuseName(log)
    const given = { message, model, provider, inHistory }
    const taken = yield* Target.within({ ...target, scope: Option.getOrUndefined(scope) }, format, (world) =>
      take(world, log, given, format)
    )
    yield* Output.stdout(
      format === "json"
        ? `${JSON.stringify(StepReport.toJson(taken))}\n`
        : StepReport.toText(taken, {
            width: yield* Style.width,
            style: yield* Style.current,
            most: MessageText.most(full)
          })
    )
  })
).pipe(
  Command.withDescription("Take one step of a session: log what is new, and print the request that would be sent"),
  Command.withShortDescription("Take one step of a session, and print its request"),
  Command.withExamples([
    {
      command: 'preamble step agent.yaml --log session.jsonl --message "Hello"',
      description: "Begin a turn, and a session if there is none"
    },
    { command: "preamble step agent.yaml --log session.jsonl", description: "One more step of that turn" },
    {
      command: "preamble step agent.yaml --log session.jsonl --format json | jq .request",
      description: "The request, with tools and configuration"
    }
  ])
)

// -----------------------------------------------------------------------------
// one step
// -----------------------------------------------------------------------------

interface Given {
  readonly message: Option.Option<string>
  readonly provider: Option.Option<string>
  readonly model: Option.Option<string>
  readonly inHistory: boolean
}

const take = Effect.fnUntraced(function* (world: Target.World, file: string, given: Given, format: Failure.Format) {
  // What cannot be rendered is told whole, and creates no log.
  const { rendered } = yield* rendering(world.composition)
  yield* refuseUnknown(world, rendered)
  yield* reportUnused(world.overrides, rendered, format)
  const { created, repaired, session } = yield* open(file)
  const before = yield* Session.log(session)
  const acting = Option.isNone(given.message) ? session : yield* endingTurn(session, before.position)
  const said = Option.toArray(given.message).map((content) => ({ content }))
  const step = yield* AgentStep.run(acting, { route: routeOf(before, given), said }, Effect.succeed)
  const logged = SessionLog.events(yield* Session.log(session), { from: before.length })
  const taken: StepReport.Step = { file, session: session.header.id, step, logged, created, repaired }
  return taken
})

/** What is logged stays, so a name that is most likely mistyped is no note here. */
const refuseUnknown = Effect.fnUntraced(function* ({ overrides, scope }: Target.World, { variables }: Rendered) {
  const used = variables.map(({ name }) => name)
  const unused = overrides.filter(({ name }) => !used.includes(name))
  if (unused.length === 0) return
  const { entries } = yield* (yield* SystemPrompt).trace
  const registered = entries.flatMap(({ kind, name, plugin }) =>
    kind === "variable" && !overrides.some((one) => one.name === name && one.from === plugin) ? [name] : []
  )
  const unknown = unused.find(({ name }) => !registered.includes(name))
  if (unknown === undefined) return
  const near = nearest(unknown.name, [...used, ...registered])
  return yield* new NothingFound({
    sought: "variable",
    value: unknown.name,
    scope,
    hints: [
      ...(near === undefined ? [] : [`Did you mean ${JSON.stringify(near)}?`]),
      `It was set with ${unknown.from}. Nothing was logged.`
    ]
  })
})

/** As the request before, as far as nothing else is said. */
const routeOf = ({ requestContext, requestHeader }: SessionLog.SessionLog, given: Given): AgentStep.Route => {
  const last = requestHeader?.data.header
  const config = last?.config ?? { provider: "none", model: "none" }
  const provider = Option.getOrElse(given.provider, () => config.provider)
  const model = Option.getOrElse(given.model, () => config.model)
  const systemPromptUpdate = given.inHistory ? "in-history" : undefined
  // What is known of one model says nothing of another.
  if (provider !== config.provider || model !== config.model) return { config: { provider, model }, systemPromptUpdate }
  const { adapterDefaults } = last ?? {}
  return { config, adapterDefaults, contextWindow: requestContext?.data.contextWindow, systemPromptUpdate }
}

// -----------------------------------------------------------------------------
// the session
// -----------------------------------------------------------------------------

/** The id under which a folder of logs has the session of a file. */
const idOf = (file: string): Effect.Effect<string, never, Path.Path> =>
  Effect.map(Path.Path, (paths) => {
    const name = paths.basename(file, ".jsonl")
    try {
      return decodeURIComponent(name)
    } catch {
      return name
    }
  })

const exists = (file: string) =>
  FileSystem.FileSystem.use((fs) => fs.exists(file)).pipe(
    Effect.mapError(({ reason }) => new StoreFailure({ log: file, operation: "open", cause: reason.cause ?? reason }))
  )

/** A new log gets a name by which a folder of logs has it. An old one may have any. */
const refuseName = Effect.fnUntraced(function* (file: string) {
  if (file.endsWith(".jsonl") || (yield* exists(file))) return
  return yield* Failure.misuse(
    "step",
    `There is no log ${file}, and a new one needs a name that ends in .jsonl, as a FileStore gives it: --log ${file}.jsonl`
  )
})

const open = Effect.fnUntraced(function* (file: string) {
  if (!(yield* exists(file))) {
    const id = yield* idOf(file)
    const header = yield* Effect.fromResult(SessionHeader.make({ id, createdAt: yield* Clock.currentTimeMillis }))
    const writer = yield* SessionFile.create(file, header)
    const session = yield* Session.make(writer, SessionLog.empty(header))
    return { session, created: true, repaired: undefined }
  }
  const writer = yield* SessionFile.open(file)
  const log = yield* Stream.runFoldEffect(
    SessionFile.read(file),
    () => SessionLog.empty(writer.header),
    (log, event) => Effect.fromResult(SessionLog.append(log, [event]))
  )
  return { session: yield* Session.make(writer, log), created: false, repaired: writer.repaired }
})

/**
 * The same session. The turn that is open now ends with whatever is logged next, in the same transaction: a step that
 * fails leaves it open.
 */
const endingTurn = Effect.fnUntraced(function* (session: Session.Session, { isTurnOpen, turn }: Position.Position) {
  if (!isTurnOpen) return session
  const time = yield* Clock.currentTimeMillis
  const modify: Session.Session["modify"] = (f) =>
    session.modify((state) =>
      state.log.position.turn === turn
        ? // Whoever began it is gone.
          Result.flatMap(SessionLog.commit(state.log, OpenCalls.endTurn(state.log, "interrupted", time)), (log) =>
            f({ ...state, log })
          )
        : f(state)
    )
  return { ...session, modify }
})
