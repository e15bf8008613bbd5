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
      const globals = { now: epoch + later, random: seeded(luck) }
      return Effect.acquireUseRelease(
        Effect.sync(() => enter(globals)),
        () => effect,
        () => Effect.sync(() => leave(globals))
      )
    }).pipe(Effect.provideService(Clock.Clock, clock), Effect.provideService(Random.Random, random))

/** The clock of the machine, also where a test has provided another one. */
export const liveClock: Clock.Clock = Clock.Clock.defaultValue()

const now = (): number => entered.at(-1)?.now ?? liveClock.currentTimeMillisUnsafe()

const nanos = (): bigint => BigInt(now()) * 1_000_000n

/**
 * Of the moment in which it is read, not of the one in which it was provided: who registers a provider captures both
 * services. Sleeping takes as long as ever, so that nothing which polls turns into a loop without end.
 */
const clock: Clock.Clock = {
  currentTimeMillisUnsafe: now,
  currentTimeMillis: Effect.sync(now),
  currentTimeNanosUnsafe: nanos,
  currentTimeNanos: Effect.sync(nanos),
  monotonicTimeNanosUnsafe: () => liveClock.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: liveClock.monotonicTimeNanos,
  sleep: (duration) => liveClock.sleep(duration)
}

const next = (): number => (entered.at(-1)?.random ?? Math.random)()

const random: typeof Random.Random.Service = {
  nextDoubleUnsafe: next,
  nextIntUnsafe: () => Math.floor((next() * 2 - 1) * Number.MAX_SAFE_INTEGER)
}

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

/** The moments that effects are in, each inside of the one before. */
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
  const millis = () => entered.at(-1)?.now ?? RealDate.now()
  globalThis.Date = new Proxy(RealDate, {
    apply: () => new RealDate(millis()).toString(),
    construct: (target, args: ReadonlyArray<unknown>, newTarget: Function): object =>
      Reflect.construct(target, args.length === 0 ? [millis()] : args, newTarget),
    get: (target, key, receiver): unknown => (key === "now" ? millis : Reflect.get(target, key, receiver))
  })
  math.random = () => (entered.at(-1)?.random ?? realRandom)()
  return () => {
    globalThis.Date = RealDate
    math.random = realRandom
  }
}
