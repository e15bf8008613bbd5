/**
 * Measures cases against each other. All cases of one comparison run in every round, in an order
 * that rotates, so that a slow phase of the machine falls on all of them; what counts is the ratio
 * of two cases within one round, never their times.
 */

/** Something to time. `run` does it that many times. */
export interface Case {
  readonly name: string
  readonly run: (times: number) => void | Promise<void>
}

export interface Options {
  readonly rounds: number
  /** How long one case runs in one round, at least. */
  readonly batchMs: number
  /** How long each case runs before anything counts: code is compiled anew until it has run for a while. Default 300. */
  readonly warmMs?: number
}

/** Nanoseconds per run of each case, one figure for each round. */
export type Rounds = ReadonlyMap<string, ReadonlyArray<number>>

export interface Spread {
  readonly median: number
  readonly p10: number
  readonly p90: number
}

const now = (): number => Number(process.hrtime.bigint())

const time = async (one: Case, times: number): Promise<number> => {
  const start = now()
  const done = one.run(times)
  if (done !== undefined) await done
  return (now() - start) / times
}

/** How often the system has taken the processor away from this process. */
const interruptions = (): number => process.resourceUsage().involuntaryContextSwitches

/** For how long a batch that was interrupted is tried again. */
const patienceNs = 20e6

/** As `time`, for a batch during which no other process ran instead; or, on a busy machine, for the last that was tried. */
const timeUndisturbed = async (one: Case, times: number): Promise<number> => {
  for (const start = now(); ;) {
    const before = interruptions()
    const each = await time(one, times)
    if (interruptions() === before || now() - start > patienceNs) return each
  }
}

/** How often a case fits into a batch, found while it warms up. */
const calibrate = async (one: Case, batchMs: number): Promise<number> => {
  let times = 1
  for (;;) {
    const each = await timeUndisturbed(one, times)
    if (each * times >= batchMs * 1e6) return Math.max(1, Math.ceil((batchMs * 1e6) / each))
    times *= 2
  }
}

export const interleave = async (cases: ReadonlyArray<Case>, options: Options): Promise<Rounds> => {
  const measured = new Map<string, Array<number>>(cases.map((one) => [one.name, []]))
  const times = new Map<string, number>()
  const calibrateAll = async () => {
    for (const one of cases) times.set(one.name, await calibrate(one, options.batchMs))
  }
  await calibrateAll()
  for (let round = 0; round < (options.warmMs ?? 300) / options.batchMs; round++) {
    for (const one of cases) await time(one, times.get(one.name)!)
  }
  // Again: what has become faster meanwhile would run too short a batch.
  await calibrateAll()
  for (let round = 0; round < options.rounds; round++) {
    for (let i = 0; i < cases.length; i++) {
      const one = cases[(i + round) % cases.length]!
      measured.get(one.name)!.push(await timeUndisturbed(one, times.get(one.name)!))
    }
  }
  return measured
}

const quantile = (sorted: ReadonlyArray<number>, q: number): number => {
  const at = (sorted.length - 1) * q
  const low = sorted[Math.floor(at)]!
  return low + (sorted[Math.ceil(at)]! - low) * (at - Math.floor(at))
}

export const spread = (values: ReadonlyArray<number>): Spread => {
  const sorted = values.toSorted((a, b) => a - b)
  return { median: quantile(sorted, 0.5), p10: quantile(sorted, 0.1), p90: quantile(sorted, 0.9) }
}

export const median = (values: ReadonlyArray<number>): number => spread(values).median

export const fast = (values: ReadonlyArray<number>): number => spread(values).p10

export const of = (rounds: Rounds, name: string): ReadonlyArray<number> => {
  const found = rounds.get(name)
  if (found === undefined) throw new Error(`no case ${JSON.stringify(name)} was measured`)
  return found
}

/** How many times as long `slow` takes as `fast`, within each round. */
export const ratio = (rounds: Rounds, slow: string, fast: string): Spread => {
  const against = of(rounds, fast)
  return spread(of(rounds, slow).map((each, round) => each / against[round]!))
}

/** Slope of log time over log n, for the last three sizes, within each round. */
export const exponent = (rounds: Rounds, sizes: ReadonlyArray<number>, name: (n: number) => string): Spread => {
  const last = sizes.slice(-3)
  const xs = last.map(Math.log)
  const mean = (of: ReadonlyArray<number>) => of.reduce((sum, one) => sum + one, 0) / of.length
  const slope = (ys: ReadonlyArray<number>) => {
    const [mx, my] = [mean(xs), mean(ys)]
    const over = xs.reduce((sum, x, i) => sum + (x - mx) * (ys[i]! - my), 0)
    return over / xs.reduce((sum, x) => sum + (x - mx) ** 2, 0)
  }
  const times = last.map((n) => of(rounds, name(n)))
  return spread(times[0]!.map((_, round) => slope(times.map((each) => Math.log(each[round]!)))))
}

/** Strings that grew by `+` are ropes until someone reads them; a number is what reading one gives at once. */
export const flat = (text: string): number => Number(text)

export const same = (what: string, ours: unknown, theirs: unknown): void => {
  const [a, b] = [JSON.stringify(ours), JSON.stringify(theirs)]
  if (a === b) return
  const at = [...(a ?? "")].findIndex((char, i) => char !== b?.[i])
  throw new Error(`${what} differs at ${at}:\n${a?.slice(at - 40, at + 80)}\n${b?.slice(at - 40, at + 80)}`)
}
