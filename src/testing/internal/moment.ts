/**
 * When, and with which luck, something runs. Laws decide both: what they find must not depend on the day of the run, and
 * code that reads the clock must not pass because the law was fast.
 *
 * Code reads them in two ways: through Effect's services, which are provided, and from the globals `Date` and
 * `Math.random`, which are replaced while the effect runs. Time stands still within one moment; timers are real.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

export interface Moment {
  /** Milliseconds since the beginning of 2026, in UTC. */
  readonly later: number
  /** Another number is another luck. */
  readonly luck: number
}

/** The one at which everything runs, unless a law says otherwise. */
export const start: Moment = { later: 0, luck: 0 }

const epoch = Date.UTC(2026, 0, 1)

/** Runs an effect at a moment. */
export const at =
  ({ later, luck }: Moment) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const now = epoch + later
      const random = seeded(luck)
      const globals = { now, random }
      return Effect.acquireUseRelease(
        Effect.sync(() => enter(globals)),
        () => effect,
        () => Effect.sync(() => leave(globals))
      ).pipe(
        Effect.provideService(Clock.Clock, clockAt(now)),
        Effect.provideService(Random.Random, {
          nextDoubleUnsafe: random,
          nextIntUnsafe: () => Math.floor((random() * 2 - 1) * Number.MAX_SAFE_INTEGER)
        })
      )
    })

/** Sleeping takes as long as ever, so that nothing which polls turns into a loop without end. */
const clockAt = (now: number): Clock.Clock => {
  const live = Clock.Clock.defaultValue()
  const nanos = BigInt(now) * 1_000_000n
  return {
    currentTimeMillisUnsafe: () => now,
    currentTimeMillis: Effect.succeed(now),
    currentTimeNanosUnsafe: () => nanos,
    currentTimeNanos: Effect.succeed(nanos),
    monotonicTimeNanosUnsafe: () => live.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: live.monotonicTimeNanos,
    sleep: (duration) => live.sleep(duration)
  }
}

/** The clock of the machine, also where a test has provided another one. */
export const liveClock: Clock.Clock = Clock.Clock.defaultValue()

/** Mulberry32: the same seed gives the same numbers on every machine. */
const seeded = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

// -----------------------------------------------------------------------------
// globals
// -----------------------------------------------------------------------------

interface Globals {
  readonly now: number
  readonly random: () => number
}

/** The moments that effects are in, the latest last: two laws may run at the same time. */
const entered: Array<Globals> = []
let restore: () => void = () => {}

const enter = (globals: Globals): void => {
  entered.push(globals)
  if (entered.length === 1) restore = replace()
}

const leave = (globals: Globals): void => {
  entered.splice(entered.lastIndexOf(globals), 1)
  if (entered.length === 0) restore()
}

const replace = (): (() => void) => {
  const { Date: RealDate, Math: math } = globalThis
  const realRandom = math.random
  const now = () => entered.at(-1)?.now ?? RealDate.now()
  globalThis.Date = new Proxy(RealDate, {
    apply: () => new RealDate(now()).toString(),
    construct: (target, args: ReadonlyArray<unknown>, newTarget: Function): object =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    get: (target, key, receiver): unknown => (key === "now" ? now : Reflect.get(target, key, receiver))
  })
  math.random = () => (entered.at(-1)?.random ?? realRandom)()
  return () => {
    globalThis.Date = RealDate
    math.random = realRandom
  }
}
