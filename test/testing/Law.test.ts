import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Clock, Effect, Exit, Random, Schema } from "effect"
import { Plugin, PromptScope } from "effect-preamble"
import { Law, PluginLaws } from "effect-preamble/testing"
import { inspect } from "node:util"

const numbers = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1000 })))

/** Of numbers; broken by those that `wrong` says something of. */
const law = (
  wrong: (n: number) => string | undefined,
  options?: { readonly name?: string; readonly most?: number }
): Law.Law =>
  Law.make({
    name: "numbers are small",
    rule: "No number is large.",
    advice: "Take a smaller one.",
    cases: numbers,
    holds: (n) => {
      const seen = wrong(n)
      return Effect.succeed(seen === undefined ? undefined : { expected: "a small number", seen })
    },
    ...options
  })

const small = law(() => undefined)
const large = law((n) => (n >= 20 ? `${n} is large` : undefined))

const failedOf = (reports: ReadonlyArray<Law.Report>): Law.Failed => {
  const failed = reports.find((report) => report._tag === "Failed")
  if (failed === undefined) throw new Error("all laws hold")
  return failed
}

describe("check", () => {
  it.effect("reports on laws that hold", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* Law.check(small), [{ _tag: "Passed", law: "numbers are small", runs: 100 }])
      const runs = yield* Law.check([small, law(() => undefined, { name: "other", most: 3 })], { runs: 7 })
      assert.deepStrictEqual(
        runs.map((report) => report._tag === "Passed" && report.runs),
        [7, 3]
      )
      assert.deepStrictEqual(yield* Law.check([]), [])
    })
  )

  it.effect("reports on one that is broken, as data, with the smallest case", () =>
    Effect.gen(function* () {
      const { replay, runs, shrinks, ...report } = failedOf(yield* Law.check(large))
      assert.deepStrictEqual(report, {
        _tag: "Failed",
        law: "numbers are small",
        rule: "No number is large.",
        counterexample: "20",
        expected: "a small number",
        seen: "20 is large",
        advice: "Take a smaller one."
      })
      assert.isAbove(shrinks, 0)
      assert.isAtLeast(runs, 1)
      assert.match(replay, /^numbers-are-small~[\w-]+$/u)
      const encoded = JSON.parse(JSON.stringify({ ...report, replay, runs, shrinks }))
      assert.deepStrictEqual(Schema.decodeUnknownSync(Law.Failed)(encoded), encoded)
    })
  )

  it.effect("takes the same cases each time, and others for another seed", () => {
    const casesOf = (options?: Law.Options) => {
      const seen: Array<number> = []
      const spy = law((n) => void seen.push(n))
      return Effect.as(Law.check(spy, options), seen)
    }
    return Effect.gen(function* () {
      const first = yield* casesOf()
      assert.isAbove(new Set(first).size, 10)
      assert.deepStrictEqual(yield* casesOf(), first)
      assert.notDeepEqual(yield* casesOf({ seed: 1 }), first)
      assert.deepStrictEqual(yield* casesOf({ seed: 1 }), yield* casesOf({ seed: "1" }))
    })
  })

  it.effect("takes a failure, a defect, an interruption and silence for a broken law", () => {
    const broken = (effect: Effect.Effect<undefined, unknown>) =>
      Effect.map(
        Law.check(Law.make({ name: "n", rule: "r", advice: "a", cases: Arbitrary.Constant(0), holds: () => effect }), {
          patience: 20
        }),
        (reports) => failedOf(reports).seen
      )
    return Effect.gen(function* () {
      assert.strictEqual(yield* broken(Effect.fail("no")), "it failed with string: no")
      assert.strictEqual(
        yield* broken(Effect.fail(new Law.LawMisused({ reason: "x" }))),
        "it failed with LawMisused: x"
      )
      assert.strictEqual(yield* broken(Effect.die(new TypeError("no"))), "it died with TypeError: no")
      assert.strictEqual(
        yield* broken(
          Effect.suspend(() => {
            throw new Error("no")
          })
        ),
        "it died with Error: no"
      )
      assert.strictEqual(yield* broken(Effect.interrupt), "it was interrupted")
      assert.strictEqual(yield* broken(Effect.never), "nothing within 20 ms")
    })
  })

  it.effect("gives advice of its own where a case does not end", () =>
    Effect.gen(function* () {
      const silent = Law.make({
        name: "n",
        rule: "r",
        advice: "a",
        cases: Arbitrary.Constant(0),
        holds: () => Effect.never
      })
      assert.strictEqual(
        failedOf(yield* Law.check(silent, { patience: 20 })).advice,
        "A provider or the build does not end: give it a timeout, or raise `patience`."
      )
    })
  )

  it.effect("gives each case the same time and luck, whatever the test around it has", () => {
    const seen = new Set<string>()
    const moment = Effect.gen(function* () {
      const scope = yield* PromptScope.Current
      const now = yield* Clock.currentTimeMillis
      seen.add(
        [scope.label, now, yield* Random.next, Date.now(), new Date().toISOString(), Date(), Math.random()].join()
      )
      return undefined
    })
    const one = Law.make({ name: "n", rule: "r", advice: "a", cases: numbers, holds: () => moment })
    return Effect.gen(function* () {
      yield* Law.check(one, { runs: 5 })
      const { scope } = yield* PromptScope.make("agent")
      yield* Law.check(one, { runs: 5, seed: 2 }).pipe(PromptScope.provide(scope))
      assert.strictEqual(seen.size, 1)
      assert.match([...seen].join(), /^global,1767225600000,0\.\d+,1767225600000,2026-01-01T00:00:00\.000Z/u)
      assert.notStrictEqual(Date.now(), 1767225600000)
      assert.isTrue(new Date() instanceof Date)
      assert.notStrictEqual(Math.random(), Math.random())
    })
  })

  it.live("restores the globals, however cases end and whichever of two laws ends first", () => {
    const { Date: date, Math: math } = globalThis
    const random = math.random
    const slow = (name: string, millis: number) =>
      Law.make({
        name,
        rule: "r",
        advice: "a",
        cases: Arbitrary.Constant(0),
        most: 1,
        holds: () => Effect.as(Effect.sleep(millis), undefined)
      })
    return Effect.gen(function* () {
      yield* Effect.all(
        [Law.check(slow("a", 5)), Law.check(slow("b", 15)), Law.check(slow("c", 500), { patience: 10 })],
        {
          concurrency: "unbounded"
        }
      )
      assert.strictEqual(globalThis.Date, date)
      assert.strictEqual(math.random, random)
    })
  })
})

describe("replay", () => {
  it.effect("repeats one case of one law, and says when it holds again", () =>
    Effect.gen(function* () {
      const failed = failedOf(yield* Law.check(large))
      let cases = 0
      const counted = law((n) => {
        cases++
        return n >= 20 ? `${n} is large` : undefined
      })
      const others = [law(() => "never run", { name: "other" }), counted]
      assert.deepStrictEqual(yield* Law.check(others, { replay: failed.replay }), [{ ...failed, runs: 1 }])
      // The generated case, and what it was made smaller to, step by step.
      assert.strictEqual(cases, failed.shrinks + 1)
      assert.deepStrictEqual(yield* Law.check(small, { replay: failed.replay }), [
        { _tag: "Passed", law: "numbers are small", runs: 1 }
      ])
    })
  )

  it.effect("finds another smallest case where the old one holds and a larger one does not", () =>
    Effect.gen(function* () {
      const { replay } = failedOf(yield* Law.check(large))
      const larger = law((n) => (n >= 30 ? `${n} is large` : undefined))
      assert.strictEqual(failedOf(yield* Law.check(larger, { replay })).counterexample, "30")
    })
  )

  const reasons: ReadonlyArray<readonly [what: string, replay: string, reason: RegExp]> = [
    [
      "of another law",
      "other-law~WzBd",
      /is of none of these laws: numbers are small\. Check the law that gave it\.$/u
    ],
    [
      "that is incomplete",
      "numbers-are-small~WzBd!",
      /is damaged\. Check without the replay token to get a new one\.$/u
    ],
    ["without its second half", "numbers-are-small", /is damaged/u],
    ["that is no list", "numbers-are-small~e30", /is damaged/u],
    ["with nonsense inside", "numbers-are-small~WzBd", /^Law "numbers are small" (cannot be checked|has no such case)/u]
  ]
  for (const [what, replay, reason] of reasons) {
    it.effect(`refuses a token ${what}`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(Law.check(large, { replay }))
        assert.strictEqual(error._tag, "LawMisused")
        assert.match(error.message, reason)
      })
    )
  }
})

describe("misuse", () => {
  const refused = (laws: Law.Law | ReadonlyArray<Law.Law>, options: Law.Options, reason: RegExp) =>
    Effect.map(Effect.flip(Law.check(laws, options)), (error) => {
      assert.strictEqual(error._tag, "LawMisused")
      assert.match(error.message, reason)
    })
  it.effect("is a number of runs that is none", () =>
    Effect.all([
      refused(small, { runs: 0 }, /^runs is 0, and must be a whole number greater than 0\.$/u),
      refused(small, { runs: 1.5 }, /^runs is 1\.5/u),
      refused(small, { patience: Number.NaN }, /^patience is NaN/u)
    ])
  )
  it.effect("is two laws of one name", () =>
    refused([small, large], {}, /^Two of the laws are named "numbers are small"/u)
  )
  it.effect("is a generator that gives nothing", () => {
    const none = Law.make({
      name: "n",
      rule: "r",
      advice: "a",
      cases: Arbitrary.filter(numbers, () => false),
      holds: () => Effect.succeed(undefined)
    })
    return refused(none, {}, /^Law "n" has too few cases: its generator refused \d+ of them\./u)
  })
  it.effect("is a generator that throws", () => {
    const throwing = Law.make({
      name: "n",
      rule: "r",
      advice: "a",
      cases: Arbitrary.map(numbers, (): number => {
        throw new Error("no case")
      }),
      holds: () => Effect.succeed(undefined)
    })
    return refused(throwing, {}, /^Law "n" cannot be checked: no case$/u)
  })
})

describe("assert", () => {
  it.effect("gives the reports where all hold", () =>
    Effect.map(Law.assert([small]), (reports) => assert.lengthOf(reports, 1))
  )
  it.effect("fails with all that is broken, and what to do, as text", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Law.assert([large, law(() => undefined, { name: "other" })]))
      if (error._tag !== "LawBroken") return assert.fail(error.message)
      const [failed] = error.broken
      assert.deepStrictEqual(error.broken, [failedOf(yield* Law.check(large))])
      assert.strictEqual(
        error.message,
        `Broken laws: 1 of 2.

numbers are small: broken in case ${failed?.runs}, made smaller ${failed?.shrinks} ${failed?.shrinks === 1 ? "time" : "times"}.
  Law: No number is large.
  Counterexample: 20
  Expected: a small number
  Seen: 20 is large
  What to do: Take a smaller one.
  Replay: { replay: "${failed?.replay}" }`
      )
    })
  )
  it.effect("is shown as its text also by runners that print the fields of an error", () =>
    Effect.map(Effect.flip(Law.assert(large)), (error) =>
      assert.strictEqual(inspect(error), `LawBroken: ${error.message}`)
    )
  )
  it.effect("refuses to pass without laws", () =>
    Effect.map(Effect.flip(Law.assert([])), (error) => {
      assert.strictEqual(error._tag, "LawMisused")
      assert.strictEqual(error.message, "There are no laws to check, so that the test could not fail.")
    })
  )
  it.effect("names what was not judged besides what is broken", () =>
    Effect.gen(function* () {
      const laws = PluginLaws.all(Plugin.section({ name: "", order: 1, text: "x" }))
      const error = yield* Effect.flip(Law.assert(laws, { runs: 8 }))
      if (error._tag !== "LawBroken") return assert.fail(error.message)
      assert.include(
        error.unjudged.map((report) => report.law),
        "plugin: registers once"
      )
      assert.match(error.message, /^plugin: registers once: not judged: the plugin did not build in any case/mu)
      assert.notMatch(error.message, /registers once: held/u)
    })
  )
  it("ends with its signal, and gives the time back", async () => {
    const controller = new AbortController()
    let ended = false
    const endless = Law.make({
      name: "n",
      rule: "r",
      advice: "a",
      cases: Arbitrary.Constant(0),
      holds: () =>
        Effect.suspend(() => {
          controller.abort()
          return Effect.never
        }).pipe(Effect.onInterrupt(() => Effect.sync(() => (ended = true))))
    })
    const { Date: date } = globalThis
    const outcome = await Law.assertPromise(endless, { signal: controller.signal }).then(
      () => "passed",
      () => "rejected"
    )
    assert.strictEqual(outcome, "rejected")
    assert.isTrue(ended)
    assert.strictEqual(globalThis.Date, date)
    // The next law gets its turn.
    assert.lengthOf(await Law.assertPromise(small), 1)
  })
  it("rejects a Promise", async () => {
    assert.lengthOf(await Law.assertPromise(small), 1)
    const exit = await Effect.runPromiseExit(
      Effect.tryPromise({ try: () => Law.assertPromise(large), catch: (e) => e })
    )
    const error = Exit.isFailure(exit) ? String(exit.cause) : "it resolved"
    assert.match(error, /Broken laws: 1 of 1\./u)
  })
})
