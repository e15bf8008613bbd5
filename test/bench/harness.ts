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

interface Batch {
  /** Nanoseconds per run. */
  readonly each: number
  /** Another process ran in between. */
  readonly disturbed: boolean
}

/** The batches of each case, one for each round. */
export type Rounds = ReadonlyMap<string, ReadonlyArray<Batch>>

export interface Spread {
  readonly median: number
  readonly p10: number
  readonly p90: number
  /** It rests on batches that other processes have made longer: too few were left alone. */
  readonly disturbed?: true
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
const timeUndisturbed = async (one: Case, times: number): Promise<Batch> => {
  for (const start = now(); ;) {
    const before = interruptions()
    const each = await time(one, times)
    const disturbed = interruptions() !== before
    if (!disturbed || now() - start > patienceNs) return { each, disturbed }
  }
}

/** How often a case fits into a batch, found while it warms up. */
const calibrate = async (one: Case, batchMs: number): Promise<number> => {
  let times = 1
  for (;;) {
    const { each } = await timeUndisturbed(one, times)
    if (each * times >= batchMs * 1e6) return Math.max(1, Math.ceil((batchMs * 1e6) / each))
    times *= 2
  }
}

export const interleave = async (cases: ReadonlyArray<Case>, options: Options): Promise<Rounds> => {
  const measured = new Map<string, Array<Batch>>(cases.map((one) => [one.name, []]))
  const times = new Map<string, number>()
  const calibrateAll = async () => {
    for (const one of cases) times.set(one.name, await calibrate(one, options.batchMs))
  }
  await calibrateAll()
  for (const one of cases) {
    const end = now() + (options.warmMs ?? 300) * 1e6
    while (now() < end) await time(one, times.get(one.name)!)
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

const of = (rounds: Rounds, name: string): ReadonlyArray<Batch> => {
  const found = rounds.get(name)
  if (found === undefined) throw new Error(`no case ${JSON.stringify(name)} was measured`)
  return found
}

const enough = 9

/** What comes of the batches that some cases had in one round, over all rounds in which they were left alone. */
const across = (rounds: Rounds, names: ReadonlyArray<string>, f: (each: ReadonlyArray<number>) => number): Spread => {
  const [first, ...others] = names.map((name) => of(rounds, name))
  const all = first!.map((batch, round) => [batch, ...others.map((one) => one[round]!)])
  const alone = all.filter((batches) => !batches.some(({ disturbed }) => disturbed))
  const quiet = alone.length >= Math.min(enough, all.length)
  const found = spread((quiet ? alone : all).map((batches) => f(batches.map(({ each }) => each))))
  return quiet ? found : { ...found, disturbed: true }
}

/** Nanoseconds per run. */
export const timeOf = (rounds: Rounds, name: string): Spread => across(rounds, [name], ([each]) => each!)

/** How many times as long `slow` takes as `fast`, within each round. */
export const ratio = (rounds: Rounds, slow: string, fast: string): Spread =>
  across(rounds, [slow, fast], ([a, b]) => a! / b!)

/** Slope of log time over log n, for the last three sizes, within each round. */
export const exponent = (rounds: Rounds, sizes: ReadonlyArray<number>, name: (n: number) => string): Spread => {
  const last = sizes.slice(-3)
  const xs = last.map(Math.log)
  const mean = (of: ReadonlyArray<number>) => of.reduce((sum, one) => sum + one, 0) / of.length
  return across(rounds, last.map(name), (times) => {
    const ys = times.map(Math.log)
    const [mx, my] = [mean(xs), mean(ys)]
    const over = xs.reduce((sum, x, i) => sum + (x - mx) * (ys[i]! - my), 0)
    return over / xs.reduce((sum, x) => sum + (x - mx) ** 2, 0)
  })
}

/** Strings that grew by `+` are ropes until someone reads them; a number is what reading one gives at once. */
export const flat = (text: string): number => Number(text)

export const same = (what: string, ours: unknown, theirs: unknown): void => {
  const [a, b] = [JSON.stringify(ours), JSON.stringify(theirs)]
  if (a === b) return
  const at = [...(a ?? "")].findIndex((char, i) => char !== b?.[i])
  throw new Error(`${what} differs at ${at}:\n${a?.slice(at - 40, at + 80)}\n${b?.slice(at - 40, at + 80)}`)
}
