/** The pure pipeline: `plan → compose → waterfall → seal` over overlays whose values are known. */
import * as Context from "effect/Context"
import * as Result from "effect/Result"
import type { AssembleContext } from "../AssembleContext.ts"
import type { Assembly } from "../Assembly.ts"
import type { Overlay } from "../Overlay.ts"
import * as Plan from "../Plan.ts"
import { type AssembleError, type InvalidAssembly, ListenerFailure } from "../PromptError.ts"
import type { ToolOrder } from "../ToolOrder.ts"
import { compose } from "./compose.ts"
import { global } from "./scope.ts"
import { seal } from "./seal.ts"
import * as values from "./values.ts"
import { accept } from "./wellFormed.ts"

/**
 * Assembles overlays whose values are known, farthest first: the whole pipeline as one pure function. Its listeners are
 * the pure ones of the overlays.
 *
 * @since 0.1.0
 * @category constructors
 */
export const assemble = (
  overlays: ReadonlyArray<Overlay>,
  options?: {
    /**
     * What listeners are told, and whose assembly it is. By default it is that of the last overlay's scope, and listeners
     * are told of the global scope, without annotations.
     */
    readonly context?: AssembleContext | undefined
    readonly toolOrder?: ToolOrder | undefined
    /** As in `SystemPromptOptions`. */
    readonly sortToolKeys?: boolean | undefined
  }
): Result.Result<Assembly, AssembleError> => {
  const context = options?.context ?? { scope: global, annotations: Context.empty() }
  return Result.gen(function* () {
    const plan = yield* Plan.make(options?.context?.scope.label ?? overlays.at(-1)?.scope ?? "global", overlays)
    const known = values.gathering(plan)
    for (const { slot, take } of known.steps) yield* take(slot)
    const base = yield* compose(plan, known.values, options?.toolOrder, options?.sortToolKeys === true)
    let assembly = base
    for (const listener of plan.listeners) assembly = yield* edit(listener, assembly, context)
    return yield* seal(base, assembly)
  })
}

const edit = (
  listener: Plan.Plan["listeners"][number],
  assembly: Assembly,
  context: AssembleContext
): Result.Result<Assembly, ListenerFailure | InvalidAssembly> => {
  const owner = Plan.owner(listener)
  return Result.flatMap(
    Result.try({
      try: () => listener.entry.run(assembly, context),
      catch: (cause) => new ListenerFailure({ ...owner, reason: "threw", cause })
    }),
    (after) => accept([assembly], after, owner)
  )
}
