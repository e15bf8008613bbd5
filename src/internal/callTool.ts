/** Runs the call of a model: looks the tool up in what the model was shown, decodes, asks the guards, runs the handler. */
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Annotations, type AssembleContext } from "../AssembleContext.ts"
import type { AssembledTool, Assembly } from "../Assembly.ts"
import type { Guard } from "../Guard.ts"
import { type Owner, ownerFields } from "../Owner.ts"
import type { PromptScope } from "../PromptScope.ts"
import type { RegisteredTool } from "../RegisteredTool.ts"
import type { ToolCall } from "../ToolCall.ts"
import {
  GuardFailure,
  InvalidToolArguments,
  type ToolError,
  ToolFailure,
  type ToolNotFound,
  ToolRefused,
  ToolWithoutHandler
} from "../ToolError.ts"
import { provideCaptured, type Captured } from "./capture.ts"
import { mapFailures } from "./failure.ts"
import { findTools, notFound } from "./findTool.ts"
import { isEffect } from "./give.ts"
import * as json from "./json.ts"
import { scopeOf } from "./lastRendered.ts"
import { describeType, isPromise, promiseAdvice } from "./rules.ts"
import { type Check, decoderOfShown, Handler } from "./toolHandler.ts"
import { registeredAs } from "./toolLink.ts"
import { type Decoder, problemOf, problemsOf } from "./toolParameters.ts"
import type { ToolTables } from "./toolTables.ts"

type Call = (view: Assembly, tool: string, args: unknown) => Effect.Effect<Schema.Json, ToolError>

export const callWith =
  (tables: ToolTables): Call =>
  (view, name, args) =>
    Effect.withFiber((fiber) => {
      const found = find(tables, view, name)
      if (Result.isFailure(found)) return Exit.fail(found.failure)
      const scope = Result.mapError(
        guardedScope(view),
        (reason) => new ToolWithoutHandler({ ...found.success.owner, reason })
      )
      if (Result.isFailure(scope)) return Exit.fail(scope.failure)
      return run(tables, found.success, args, { scope: scope.success, annotations: fiber.getRef(Annotations) })
    })

// -----------------------------------------------------------------------------
// looking up
// -----------------------------------------------------------------------------

/** A tool that was shown and can run. */
interface Found {
  readonly shown: AssembledTool
  readonly tool: RegisteredTool
  readonly handler: Handler
  readonly owner: Owner
}

const find = (
  tables: ToolTables,
  view: Assembly,
  name: string
): Result.Result<Found, ToolNotFound | ToolWithoutHandler> => {
  const named = findTools(view.tools, name)
  const [first] = named
  if (first === undefined)
    return Result.fail(
      notFound(
        view.tools.map((tool) => tool.schema.name),
        name
      )
    )
  // Bare providers append: of several tools of one name, the one that is registered can run.
  const shown = named.find((one) => registeredAs(one)?.name === name) ?? first
  const owner = ownerOf(shown)
  const tool = registeredAs(shown)
  const without = (reason: string) => Result.fail(new ToolWithoutHandler({ ...owner, reason }))
  if (tool?.name !== name) {
    return without(
      "it comes from a tool provider or a listener. Register it with a handler, or run its calls yourself."
    )
  }
  if (!tables.isLive(tool))
    return without(
      "its registration has ended since, or was made in another ToolRegistry. Assemble again, and offer what is there now."
    )
  return tool.handler instanceof Handler
    ? Result.succeed({ shown, tool, handler: tool.handler, owner })
    : without(
        "it was registered without a handler. Give it one (a composition's tools get theirs as `handlers`), or run its calls yourself."
      )
}

/**
 * The scope whose guards are asked: the one that was shown this assembly, or why they cannot be asked. Guards end with their
 * scope: whoever still holds its assembly would get past them. So would whoever calls with a copy of it somewhere else, and
 * of a copy nobody knows which scope it is for: labels repeat.
 */
const guardedScope = (view: Assembly): Result.Result<PromptScope, string> => {
  const scope = scopeOf(view)
  if (scope === undefined) {
    return Result.fail(
      "this assembly is a copy, or SystemPrompt has not made it, so nobody knows whose guards to ask. Call with the assembly itself; change it in a listener."
    )
  }
  return scope.closed
    ? Result.fail(
        `the scope ${JSON.stringify(scope.label)}, which it was shown to, has closed. Call tools while the owner of the scope is alive.`
      )
    : Result.succeed(scope)
}

/** The tool itself, by whoever it was given: an error of its call names what was called. */
const ownerOf = ({ origin, schema }: AssembledTool): Owner =>
  ownerFields({ kind: "tool", entry: schema.name, scope: origin.scope, plugin: origin.plugin })

// -----------------------------------------------------------------------------
// running
// -----------------------------------------------------------------------------

const run = Effect.fnUntraced(function* (
  tables: ToolTables,
  found: Found,
  args: unknown,
  context: AssembleContext
): Effect.fn.Return<Schema.Json, ToolError> {
  const { handler, owner, tool } = found
  const { scope } = context
  // Frozen, so that no guard puts another call in its place.
  const call = Object.freeze<ToolCall>({
    tool: tool.name,
    arguments: yield* decode(found, args, context),
    scope,
    annotations: tool.annotations
  })
  for (const [at, guard] of tables.guards(scope)) yield* ask(guard, at, call, context)
  const result = yield* attempt(
    () => handler.run(call.arguments, call),
    handler.services,
    context,
    (reason, cause) => new ToolFailure({ ...owner, fault: faults[reason], reason, cause })
  )
  return yield* Effect.fromResult(toJson(result, owner))
})

/** The arguments stay in the history of whoever calls, so what is decoded is a copy that nothing can change. */
const decode = (found: Found, args: unknown, context: AssembleContext) => {
  if (args === undefined) return decodeDetached(found, args, context)
  const detached = json.inspect((walk) => json.detach(walk, args))
  return Result.isSuccess(detached)
    ? decodeDetached(found, detached.success, context)
    : Effect.fail(new InvalidToolArguments({ ...found.owner, problems: [problemOf(detached.failure)] }))
}

/** What was shown decides, and then what was registered: a listener may have narrowed the parameters. */
const decodeDetached = ({ handler, owner, shown, tool }: Found, args: unknown, context: AssembleContext) => {
  const own = decodeBy(handler.decoder, args, owner, handler.services, context)
  // Whatever the order of keys: it may have been sorted for the model.
  if (Equal.equals(shown.schema.parameters, tool.schema.parameters)) return own
  const decoder = decoderOfShown(shown.schema, owner)
  return Result.isFailure(decoder)
    ? Effect.fail(new ToolWithoutHandler({ ...owner, reason: decoder.failure.message }))
    : Effect.andThen(decodeBy(decoder.success, args, owner, handler.services, context), own)
}

const decodeBy = (
  { onExcessProperty, schema }: Decoder,
  args: unknown,
  owner: Owner,
  services: Captured,
  context: AssembleContext
): Effect.Effect<unknown, InvalidToolArguments | ToolFailure> =>
  attempt(
    () => Schema.decodeUnknownEffect(schema)(args, { errors: "all", onExcessProperty }),
    services,
    context,
    (reason, cause) =>
      Schema.isSchemaError(cause)
        ? new InvalidToolArguments({ ...owner, ...problemsOf(cause) })
        : new ToolFailure({ ...owner, fault: "arguments", reason: `${reason} while its arguments were decoded`, cause })
  )

const ask = (
  { check, name, plugin }: Guard<Check>,
  { label }: PromptScope,
  call: ToolCall,
  context: AssembleContext
): Effect.Effect<void, GuardFailure | ToolRefused> => {
  const owner = ownerFields({ kind: "guard", entry: name, scope: label, plugin })
  const fail = (reason: string, cause: unknown) => new GuardFailure({ ...owner, tool: call.tool, reason, cause })
  return Effect.flatMap(
    attempt(() => check.ask(call), check.services, context, fail, true),
    (reason): Effect.Effect<void, GuardFailure | ToolRefused> => {
      if (reason === undefined) return Effect.void
      return typeof reason === "string"
        ? Effect.fail(new ToolRefused({ ...owner, tool: call.tool, reason }))
        : Effect.fail(fail("must give a reason or undefined", new TypeError(`got ${describeType(reason)}`)))
    }
  )
}

/** What can go wrong with what an author gave, to go after its name. */
type Reason = "failed" | "died" | "must return an Effect"

const faults: Readonly<Record<Reason, ToolFailure["fault"]>> = {
  failed: "failed",
  died: "died",
  "must return an Effect": "result"
}

/** Runs what an author gave, with the services of its registration; what it acquires is released when it is done. */
const attempt = <E>(
  given: () => unknown,
  services: Captured,
  context: AssembleContext,
  fail: (reason: Reason, cause: unknown) => E,
  mayBePlain = false
): Effect.Effect<unknown, E> =>
  Effect.suspend(() => {
    let value: unknown
    try {
      value = given()
    } catch (cause) {
      return Effect.fail(fail("died", cause))
    }
    if (isEffect(value)) return mapFailures(Effect.scoped(provideCaptured(value, services, context)), fail)
    if (mayBePlain && !isPromise(value)) return Effect.succeed(value)
    const got = isPromise(value) ? `a Promise. ${promiseAdvice}` : describeType(value)
    return Effect.fail(fail("must return an Effect", new TypeError(`got ${got}`)))
  })

/** What a handler gives back is sent to a model, so it is plain JSON that nothing can change any more. */
const toJson = (value: unknown, owner: Owner): Result.Result<Schema.Json, ToolFailure> =>
  value === undefined
    ? Result.succeed(null)
    : Result.mapError(
        json.inspect((walk) => json.detach(walk, value)),
        ({ path, reason }) =>
          new ToolFailure({
            ...owner,
            fault: "result",
            reason: `gave a result that is no plain JSON at ${path}`,
            cause: new TypeError(reason)
          })
      )
