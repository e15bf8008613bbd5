import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer } from "effect"
import { Assembly, type Listener, PromptError, Waterfall } from "effect-preamble"
import { Law, WaterfallLaws } from "effect-preamble/testing"
import { cases, plain, stageOf, watch } from "../../src/testing/internal/waterfallLaw.ts"
import { check, Tally } from "../support/check.ts"
import { untyped } from "../support/untyped.ts"
import { breaks, holds, misused, unjudged } from "./support/reports.ts"

type Run = Waterfall["Service"]["run"]

const waterfall = (run: Run): Layer.Layer<Waterfall> => Layer.succeed(Waterfall, { run })

/** Over the usual one. */
const over = (make: (usual: Run) => Run): Layer.Layer<Waterfall> =>
  Layer.effect(
    Waterfall,
    Effect.map(Waterfall, ({ run }) => ({ run: make(run) }))
  ).pipe(Layer.provide(Waterfall.layer))

const text = (...lines: ReadonlyArray<string>): string => lines.join("\n")

const chainOf = (
  listeners: ReadonlyArray<Listener.Admitted>,
  f: (listener: Listener.Admitted, given: Assembly.Assembly, rest: Listener.Next) => ReturnType<Listener.Next>
): Listener.Next => listeners.reduceRight<Listener.Next>((rest, one) => (given) => f(one, given, rest), Exit.succeed)

/** Each listener around the rest, with something done to each. */
const each = (f: Parameters<typeof chainOf>[1]): Layer.Layer<Waterfall> =>
  waterfall((listeners, base) => chainOf(listeners, f)(base))

/** One after the other, each around nothing. */
const flat: Run = Effect.fnUntraced(function* (listeners, base) {
  let current = base
  for (const listener of listeners) current = yield* listener.run(current, Exit.succeed)
  return current
})

describe("cases", () => {
  it.effect("have listeners of all kinds, often several of them, and two of one name", () =>
    Effect.gen(function* () {
      const tally = new Tally()
      yield* check(
        cases,
        ({ assembly, listeners }) =>
          Effect.gen(function* () {
            const stage = stageOf({ assembly, listeners })
            // As those that an assembly gives, which the usual waterfall remembers.
            assert.isTrue(Object.isFrozen(stage.listeners))
            const { outcome, ran, runs } = yield* watch(plain, stage)
            assert.deepStrictEqual(ran, listeners.slice(0, ran.length))
            const names = new Set(listeners.map(({ name }) => name))
            tally.count(
              ...ran.map(({ does }) => does),
              listeners.length > 2 ? "many" : "few",
              names.size < listeners.length ? "two of one name" : "names differ",
              ran.length < listeners.length ? "some are left out" : "all run",
              runs.some(({ rest }) => rest !== undefined && Exit.isFailure(rest))
                ? "the rest fails"
                : "the rest succeeds",
              Exit.isFailure(outcome) ? "fails" : "gives an assembly",
              assembly.sections.length > 0 ? "sections" : "no sections"
            )
          }),
        { runs: 300, seed: 1 }
      )
      tally.assertShares("waterfalls", {
        edits: 25,
        "edits later": 10,
        surrounds: 25,
        "surrounds later": 10,
        "leaves out the rest": 10,
        recovers: 20,
        fails: 20,
        "fails after the rest": 10,
        many: 50,
        "two of one name": 30,
        "some are left out": 20,
        "the rest fails": 10,
        "gives an assembly": 50,
        sections: 50
      })
    })
  )
})

describe("a good waterfall", () => {
  const good: Readonly<Record<string, Layer.Layer<Waterfall>>> = {
    "is plain": each((one, given, rest) => one.run(given, rest)),
    "writes down what goes in and comes out": over((run) => {
      const log: Array<string> = []
      return (listeners, base) =>
        Effect.tap(run(listeners, base), (result) =>
          Effect.sync(() => log.push(`${base.sections.length} ${listeners.length} ${result.sections.length}`))
        )
    }),
    "runs each in a span": each((one, given, rest) => Effect.withSpan(one.run(given, rest), one.owner.entry)),
    "gives copies": over(
      (run) => (listeners, base) =>
        Effect.map(run(listeners, base), (result) => ({
          ...result,
          sections: result.sections.map((one) => ({ ...one }))
        }))
    )
  }
  for (const [title, layer] of Object.entries(good)) it.effect(title, () => holds(WaterfallLaws.all(layer)))

  it.effect("is the usual one", () => Law.assert(WaterfallLaws.all(Waterfall.layer), { runs: 30 }))
  it.effect("tries again what failed", () => {
    const layer = over(
      (run) => (listeners, base) =>
        Effect.retry(
          Effect.suspend(() => run(listeners, base)),
          { times: 1 }
        )
    )
    return Effect.andThen(Law.assert(WaterfallLaws.runsOnce(layer), { runs: 30 }), holds(WaterfallLaws.all(layer)))
  })
  it.effect("is built anew in each case, although a test has built it", () => {
    let count = 0
    const layer = Layer.effect(
      Waterfall,
      Effect.map(Waterfall, (usual) => {
        count++
        return usual
      })
    ).pipe(Layer.provide(Waterfall.layer))
    return Law.assert([WaterfallLaws.runsAll(layer), WaterfallLaws.sameResult(layer)], { runs: 3 }).pipe(
      Effect.andThen(Effect.sync(() => assert.strictEqual(count, 1 + 3 + 3 * 3))),
      Effect.provide(layer)
    )
  })
  it.effect("leaves listeners out, if it may", () =>
    holds(
      WaterfallLaws.all(
        over(
          (run) => (listeners, base) =>
            run(
              listeners.filter(({ owner }) => owner.scope === "global"),
              base
            )
        ),
        { mayLeaveOut: true }
      )
    )
  )
})

describe("runsAll", () => {
  const name = "waterfall: runs all"
  it.effect("finds one that leaves out the outermost", () =>
    breaks(WaterfallLaws.all(over((run) => (listeners, base) => run(listeners.slice(1), base))), name, {
      counterexample: '{ assembly: {}, listeners: [{ name: "a", scope: "global", does: "edits" }] }',
      expected: 'a run of listener "a" of scope "global"',
      seen: "it did not run"
    })
  )
  it.effect("finds one that leaves out the innermost of many", () =>
    breaks(WaterfallLaws.all(over((run) => (listeners, base) => run(listeners.slice(0, 2), base))), name, {
      counterexample: text(
        "{",
        "  assembly: {},",
        "  listeners: [",
        '    { name: "b", scope: "global", does: "edits" },',
        '    { name: "a", scope: "agent", does: "edits" },',
        '    { name: "a", scope: "global", does: "edits" }',
        "  ]",
        "}"
      ),
      expected: 'a run of listener "a" of scope "global"',
      seen: "it did not run"
    })
  )
  it.effect("finds one that takes two listeners of one name for one", () =>
    breaks(
      [
        WaterfallLaws.runsAll(
          over(
            (run) => (listeners, base) =>
              run([...new Map(listeners.map((one) => [one.owner.entry, one])).values()], base)
          )
        )
      ],
      name,
      {
        counterexample: text(
          "{",
          "  assembly: {},",
          '  listeners: [{ name: "a", scope: "agent", does: "edits" }, { name: "a", scope: "global", does: "edits" }]',
          "}"
        ),
        expected: 'a run of listener "a" of scope "agent"',
        seen: "it did not run"
      }
    )
  )
})

describe("runsOnce", () => {
  const name = "waterfall: runs each once"
  it.effect("finds one that runs each twice", () =>
    breaks(
      WaterfallLaws.all(each((one, given, rest) => Effect.andThen(one.run(given, rest), one.run(given, rest)))),
      name,
      {
        counterexample: '{ assembly: {}, listeners: [{ name: "a", scope: "global", does: "edits" }] }',
        expected: 'one run of listener "a" of scope "global"',
        seen: "2 runs"
      }
    )
  )
  it.effect("finds one that runs the innermost once before all others, to see whether it works", () =>
    breaks(
      [
        WaterfallLaws.runsOnce(
          over((run) => (listeners, base) => {
            const last = listeners.at(-1)
            return last === undefined
              ? Effect.succeed(base)
              : Effect.andThen(last.run(base, Exit.succeed), run(listeners, base))
          })
        )
      ],
      name,
      {
        counterexample: '{ assembly: {}, listeners: [{ name: "a", scope: "global", does: "edits" }] }',
        expected: 'one run of listener "a" of scope "global"',
        seen: "2 runs"
      }
    )
  )
})

describe("keepsOrder", () => {
  const name = "waterfall: outermost first"
  const byName = over(
    (run) => (listeners, base) =>
      run(
        listeners.toSorted((a, b) => (a.owner.entry < b.owner.entry ? -1 : 1)),
        base
      )
  )
  it.effect("finds one that runs them the other way round", () =>
    breaks(WaterfallLaws.all(over((run) => (listeners, base) => run(listeners.toReversed(), base))), name, {
      counterexample: text(
        "{",
        "  assembly: {},",
        '  listeners: [{ name: "a", scope: "global", does: "edits" }, { name: "a", scope: "agent", does: "edits" }]',
        "}"
      ),
      expected: 'listener "a" of scope "global" before listener "a" of scope "agent"',
      seen: "it began after it"
    })
  )
  it.effect("finds one that sorts them by name", () =>
    breaks(WaterfallLaws.all(byName), name, {
      counterexample: text(
        "{",
        "  assembly: {},",
        '  listeners: [{ name: "b", scope: "global", does: "edits" }, { name: "a", scope: "global", does: "edits" }]',
        "}"
      ),
      expected: 'listener "b" of scope "global" before listener "a" of scope "global"',
      seen: "it began after it"
    })
  )
  it.effect("is the only law that such a one breaks: where one that it put first fails, it has left out none", () =>
    Effect.map(Law.check(WaterfallLaws.all(byName), { runs: 30 }), (reports) =>
      assert.deepStrictEqual(
        reports.filter(({ _tag }) => _tag !== "Passed").map(({ law }) => law),
        [name]
      )
    )
  )
})

describe("heedsNext", () => {
  const name = "waterfall: next decides"
  const ranTheRest = {
    counterexample: text(
      "{",
      "  assembly: {},",
      "  listeners: [",
      '    { name: "a", scope: "global", does: "leaves out the rest" },',
      '    { name: "b", scope: "global", does: "edits" }',
      "  ]",
      "}"
    ),
    expected: 'no run of listener "b" of scope "global"',
    seen: 'it ran, although listener "a" of scope "global" did not run the rest'
  }
  it.effect("finds one that runs the rest although a listener left it out", () =>
    breaks(
      WaterfallLaws.all(
        each((one, given, rest) =>
          Effect.suspend(() => {
            let hasRun = false
            const next: Listener.Next = (handed) => {
              hasRun = true
              return rest(handed)
            }
            return Effect.flatMap(one.run(given, next), (result) => (hasRun ? Effect.succeed(result) : rest(result)))
          })
        )
      ),
      name,
      ranTheRest
    )
  )
  it.effect("finds one that runs them one after the other", () =>
    breaks([WaterfallLaws.heedsNext(waterfall(flat))], name, ranTheRest)
  )
  it.effect("finds one that goes on where a listener failed", () =>
    breaks(
      [WaterfallLaws.heedsNext(each((one, given, rest) => Effect.catch(one.run(given, rest), () => rest(given))))],
      name,
      {
        counterexample: text(
          "{",
          "  assembly: {},",
          '  listeners: [{ name: "a", scope: "global", does: "fails" }, { name: "a", scope: "agent", does: "edits" }]',
          "}"
        ),
        expected: 'no run of listener "a" of scope "agent"',
        seen: 'it ran, although listener "a" of scope "global" did not run the rest'
      }
    )
  )
})

describe("passesResults", () => {
  const name = "waterfall: passes on results"
  const wrong: ReadonlyArray<
    readonly [title: string, layer: Layer.Layer<Waterfall>, broken: Parameters<typeof breaks>[2]]
  > = [
    [
      "loses what the rest gives",
      each((one, given, rest) => one.run(given, (handed) => Effect.as(rest(handed), handed))),
      {
        counterexample: text(
          "{",
          "  assembly: {},",
          '  listeners: [{ name: "a", scope: "global", does: "edits" }, { name: "b", scope: "global", does: "edits" }]',
          "}"
        ),
        expected: 'the waterfall gives what is marked "a, b"',
        seen: 'what is marked "a"'
      }
    ],
    [
      "gives each listener what the waterfall was given",
      waterfall((listeners, base) => chainOf(listeners, (one, _, rest) => one.run(base, rest))(base)),
      {
        counterexample: text(
          "{",
          "  assembly: {},",
          '  listeners: [{ name: "a", scope: "global", does: "edits" }, { name: "b", scope: "global", does: "edits" }]',
          "}"
        ),
        expected: 'listener "b" of scope "global" is given what is marked "a"',
        seen: "what nobody has marked"
      }
    ],
    [
      "loses what a listener makes of the result of the rest",
      each((one, given, rest) =>
        Effect.suspend(() => {
          let back: Assembly.Assembly | undefined
          return Effect.map(
            one.run(given, (handed) => Effect.tap(rest(handed), (result) => Effect.sync(() => (back = result)))),
            (result) => back ?? result
          )
        })
      ),
      {
        counterexample: '{ assembly: {}, listeners: [{ name: "a", scope: "global", does: "surrounds" }] }',
        expected: 'the waterfall gives what is marked "a, after a"',
        seen: 'what is marked "a"'
      }
    ],
    [
      "runs them one after the other",
      waterfall(flat),
      {
        counterexample: text(
          "{",
          "  assembly: {},",
          '  listeners: [{ name: "a", scope: "global", does: "surrounds" }, { name: "b", scope: "global", does: "edits" }]',
          "}"
        ),
        expected: 'listener "b" of scope "global" is given what is marked "a"',
        seen: 'what is marked "a, after a"'
      }
    ],
    [
      "drops sections in the end",
      over((run) => (listeners, base) => Effect.map(run(listeners, base), (result) => ({ ...result, sections: [] }))),
      {
        counterexample: '{ assembly: { sections: [{ name: "a", order: 0, text: "" }] }, listeners: [] }',
        expected: "the waterfall gives what only listeners have changed",
        seen: 'sections[0] was {"name":"a","order":0,"text":"","interpolate":true,"requires":[]}, and then nothing'
      }
    ],
    [
      "adds a section of its own",
      over(
        (run) => (listeners, base) =>
          Effect.map(run(listeners, base), Assembly.addSection({ name: "trace", order: 0, text: "by a waterfall" }))
      ),
      {
        counterexample: "{ assembly: {}, listeners: [] }",
        expected: "the waterfall gives what only listeners have changed",
        seen: 'sections[0] was nothing, and then {"name":"trace","order":0,"text":"by a waterfall","interpolate":true,"requires":[]}'
      }
    ],
    [
      "drops annotations",
      over(
        (run) => (listeners, base) =>
          Effect.map(run(listeners, base), (result) => ({ ...result, annotations: Context.empty() }))
      ),
      {
        counterexample: '{ assembly: {}, listeners: [{ name: "a", scope: "global", does: "edits" }] }',
        expected: 'the waterfall gives what is marked "a"',
        seen: "what nobody has marked"
      }
    ]
  ]
  for (const [title, layer, broken] of wrong) {
    it.effect(`finds one that ${title}`, () => breaks([WaterfallLaws.passesResults(layer)], name, broken))
  }
  it.effect("is the only law that such a one breaks", () => breaks(WaterfallLaws.all(wrong[0]![1]), name, wrong[0]![2]))
})

describe("passesFailures", () => {
  const name = "waterfall: passes on failures"
  it.effect("finds one that swallows them", () =>
    breaks(
      WaterfallLaws.all(
        over((run) => (listeners, base) => Effect.catch(run(listeners, base), () => Effect.succeed(base)))
      ),
      name,
      {
        counterexample: '{ assembly: {}, listeners: [{ name: "a", scope: "global", does: "fails" }] }',
        expected:
          'the waterfall: it failed with ListenerFailure: listener "a" of scope "global" failed: no. Correct the listener, or let it handle its failure.',
        seen: "it gave an assembly"
      }
    )
  )
  it.effect("finds one that hides them from the listeners around, and fails in the end", () =>
    breaks(
      [
        WaterfallLaws.passesFailures(
          waterfall((listeners, base) =>
            Effect.suspend(() => {
              let failure: PromptError.WaterfallError | undefined
              const hide = (handed: Assembly.Assembly) => (error: PromptError.WaterfallError) => {
                failure = error
                return Effect.succeed(handed)
              }
              const chain = chainOf(listeners, (one, given, rest) =>
                one.run(given, (handed) => Effect.catch(rest(handed), hide(handed)))
              )
              return Effect.flatMap(chain(base), (result) =>
                failure === undefined ? Effect.succeed(result) : Effect.fail(failure)
              )
            })
          )
        )
      ],
      name,
      {
        counterexample: text(
          "{",
          "  assembly: {},",
          "  listeners: [",
          '    { name: "a", scope: "global", does: "surrounds" },',
          '    { name: "a", scope: "agent", does: "fails after the rest" }',
          "  ]",
          "}"
        ),
        expected:
          'the rest of listener "a" of scope "global": it failed with ListenerFailure: listener "a" of scope "agent" failed: no. Correct the listener, or let it handle its failure.',
        seen: "it gave an assembly"
      }
    )
  )
  it.effect("finds one that dies of them", () =>
    breaks(WaterfallLaws.all(over((run) => (listeners, base) => Effect.orDie(run(listeners, base)))), name, {
      counterexample: '{ assembly: {}, listeners: [{ name: "a", scope: "global", does: "fails" }] }',
      expected:
        'the waterfall: it failed with ListenerFailure: listener "a" of scope "global" failed: no. Correct the listener, or let it handle its failure.',
      seen: 'it died with ListenerFailure: listener "a" of scope "global" failed: no. Correct the listener, or let it handle its failure.'
    })
  )
  it.effect("finds one that puts a failure of its own in their place", () =>
    breaks(
      WaterfallLaws.all(
        over(
          (run) => (listeners, base) =>
            Effect.mapError(
              run(listeners, base),
              (cause) =>
                new PromptError.ListenerFailure({
                  kind: "listener",
                  entry: "waterfall",
                  scope: base.scope,
                  reason: "failed",
                  cause
                })
            )
        )
      ),
      name,
      {
        counterexample: '{ assembly: {}, listeners: [{ name: "a", scope: "global", does: "fails" }] }',
        expected:
          'the waterfall: it failed with ListenerFailure: listener "a" of scope "global" failed: no. Correct the listener, or let it handle its failure.',
        seen: 'it failed with ListenerFailure: listener "waterfall" of scope "global" failed: listener "a" of scope "global" failed: no. Correct the listener, or let it handle its failure. Correct the listener, or let it handle its failure.'
      }
    )
  )
  it.effect("finds one that fails by itself", () =>
    breaks(
      WaterfallLaws.all(
        over(
          (run) => (listeners, base) =>
            listeners.length > 2 ? Effect.die(new Error("too many listeners")) : run(listeners, base)
        )
      ),
      name,
      {
        counterexample: text(
          "{",
          "  assembly: {},",
          "  listeners: [",
          '    { name: "a", scope: "agent", does: "edits" },',
          '    { name: "b", scope: "global", does: "edits" },',
          '    { name: "a", scope: "global", does: "edits" }',
          "  ]",
          "}"
        ),
        expected: "the waterfall: it gave an assembly",
        seen: "it died with Error: too many listeners"
      }
    )
  )
})

describe("sameResult", () => {
  const name = "waterfall: remembers nothing"
  const only = (run: () => Run) => [WaterfallLaws.sameResult(Layer.sync(Waterfall, () => ({ run: run() })))]
  /** Keeps results for what they were made of. */
  const keeping = (keys: (...given: Parameters<Run>) => readonly [object, object]): Run => {
    const held = new WeakMap<object, WeakMap<object, Assembly.Assembly>>()
    return (listeners, base) =>
      Effect.suspend(() => {
        const [first, second] = keys(listeners, base)
        const known = held.get(first) ?? new WeakMap<object, Assembly.Assembly>()
        held.set(first, known)
        const result = known.get(second)
        return result === undefined
          ? Effect.tap(plain.run(listeners, base), (result) => Effect.sync(() => known.set(second, result)))
          : Effect.succeed(result)
      })
  }
  const counterexample = text(
    "{",
    "  assembly: {},",
    '  listeners: [{ name: "a", scope: "global", does: "edits" }],',
    '  before: { assembly: {}, listeners: "the same" }',
    "}"
  )
  const again = {
    counterexample,
    expected: 'run again, the waterfall: runs of listener "a" of scope "global"',
    seen: "no runs"
  }
  const shared = {
    counterexample: text(
      "{",
      "  assembly: {},",
      "  listeners: [],",
      '  before: { assembly: "the same", listeners: [{ name: "a", scope: "global", does: "edits" }] }',
      "}"
    ),
    expected: "alone, the waterfall gives what nobody has marked",
    seen: 'what is marked "a"'
  }
  it.effect("finds one that keeps the result for the same listeners", () =>
    breaks(
      only(() => keeping((listeners) => [listeners, listeners])),
      name,
      again
    )
  )
  it.effect("finds one that keeps the result for the same assembly", () =>
    breaks(WaterfallLaws.all(over(() => keeping((_, base) => [base, base]))), name, shared)
  )
  it.effect("finds one that keeps the result for the same listeners and the same assembly", () =>
    breaks(WaterfallLaws.all(over(() => keeping((listeners, base) => [listeners, base]))), name, again)
  )
  it.effect("finds one that keeps it for the whole process", () => {
    const run = keeping((listeners, base) => [listeners, base])
    return breaks(
      only(() => run),
      name,
      again
    )
  })
  it.effect("finds one that keeps failures", () =>
    breaks(
      only(() => {
        const known = new WeakMap<object, ReturnType<Run>>()
        return (listeners, base) =>
          Effect.suspend(
            () =>
              known.get(base) ??
              Effect.onExit(plain.run(listeners, base), (exit) =>
                Effect.sync(() => void (Exit.isFailure(exit) && known.set(base, exit)))
              )
          )
      }),
      name,
      { ...again, counterexample: counterexample.replace("edits", "fails after the rest") }
    )
  )
  it.effect("finds one that runs the listeners again, and gives the old result", () =>
    breaks(
      only(() => {
        const known = new WeakMap<object, Assembly.Assembly>()
        return (listeners, base) =>
          Effect.map(plain.run(listeners, base), (result) => {
            const held = known.get(base) ?? result
            known.set(base, result)
            return held
          })
      }),
      name,
      {
        counterexample,
        expected: 'run again, the waterfall gives what is marked "a again"',
        seen: 'what is marked "a"'
      }
    )
  )
  it.effect("finds one that runs the listeners twice where it knows the assembly", () =>
    breaks(
      only(() => {
        const known = new WeakSet<object>()
        return (listeners, base) =>
          Effect.suspend(() => {
            const once = Effect.suspend(() => plain.run(listeners, base))
            if (known.has(base)) return Effect.andThen(once, once)
            known.add(base)
            return once
          })
      }),
      name,
      {
        ...again,
        seen: 'runs of listener "a" of scope "global", listener "a" of scope "global"'
      }
    )
  )
  it.effect("finds one that refuses what it knows", () =>
    breaks(
      only(() => {
        const known = new WeakSet<object>()
        return (listeners, base) =>
          Effect.suspend(() => {
            if (known.has(listeners)) return Effect.die(new Error("known"))
            if (known.has(base)) known.add(listeners)
            known.add(base)
            return plain.run(listeners, base)
          })
      }),
      name,
      {
        counterexample: '{ assembly: {}, listeners: [], before: { assembly: "the same", listeners: [] } }',
        expected: "run again, the waterfall: it gave an assembly",
        seen: "it died with Error: known"
      }
    )
  )
  it.effect("finds one that leaves out what has failed before", () =>
    breaks(
      only(() => {
        const broken = new Set<string>()
        return (listeners, base) =>
          Effect.suspend(() =>
            Effect.tapError(
              plain.run(
                listeners.filter((one) => !broken.has(one.owner.entry)),
                base
              ),
              (error) => Effect.sync(() => void (error._tag === "ListenerFailure" && broken.add(error.entry)))
            )
          )
      }),
      name,
      {
        counterexample: counterexample.replace('"the same"', '[{ name: "a", scope: "global", does: "fails" }]'),
        expected: 'alone, the waterfall gives what is marked "a"',
        seen: "what nobody has marked"
      }
    )
  )
  it.effect("finds one that keeps the assembly for the same listeners", () =>
    breaks(
      only(() => {
        const known = new WeakMap<object, Assembly.Assembly>()
        return (listeners, base) => {
          const held = known.get(listeners) ?? base
          known.set(listeners, held)
          return plain.run(listeners, held)
        }
      }),
      name,
      {
        counterexample: text(
          "{",
          "  assembly: {},",
          '  listeners: [{ name: "a", scope: "global", does: "leaves out the rest" }],',
          '  before: { assembly: { variables: [{ name: "a", value: "" }] }, listeners: "the same" }',
          "}"
        ),
        expected: "alone, the waterfall gives what only listeners have changed",
        seen: 'variables[0] was nothing, and then {"name":"a","value":""}'
      }
    )
  )
  it.effect("finds one that keeps the chain for the same assembly", () =>
    breaks(
      only(() => {
        const known = new WeakMap<object, Listener.Next>()
        return (listeners, base) => {
          const held = known.get(base) ?? ((given: Assembly.Assembly) => plain.run(listeners, given))
          known.set(base, held)
          return held(base)
        }
      }),
      name,
      shared
    )
  )
  it.effect("finds one that keeps the chain for as many listeners", () =>
    breaks(
      only(() => {
        const known = new Map<number, Listener.Next>()
        return (listeners, base) => {
          const held = known.get(listeners.length) ?? chainOf(listeners, (one, given, rest) => one.run(given, rest))
          known.set(listeners.length, held)
          return held(base)
        }
      }),
      name,
      {
        counterexample: text(
          "{",
          "  assembly: {},",
          "  listeners: [",
          '    { name: "a", scope: "agent", does: "edits" },',
          '    { name: "a", scope: "global", does: "edits" },',
          '    { name: "b", scope: "global", does: "edits" }',
          "  ],",
          "  before: {",
          "    assembly: {},",
          "    listeners: [",
          '      { name: "a", scope: "global", does: "edits" },',
          '      { name: "c", scope: "global", does: "edits" },',
          '      { name: "b", scope: "global", does: "edits" }',
          "    ]",
          "  }",
          "}"
        ),
        expected: 'alone, the waterfall gives what is marked "a (agent), a, b"',
        seen: 'what is marked "a, c, b"'
      }
    )
  )
  it.effect("finds one whose place in the list is that of the layer", () =>
    breaks(
      only(() => {
        let at = 0
        return (listeners, base) => {
          at = 0
          const next: Listener.Next = (given) => {
            const listener = listeners[at++]
            return listener === undefined ? Effect.succeed(given) : listener.run(given, next)
          }
          return next(base)
        }
      }),
      name,
      {
        counterexample: text(
          "{",
          "  assembly: {},",
          "  listeners: [",
          '    { name: "a", scope: "global", does: "edits later" },',
          '    { name: "a", scope: "agent", does: "edits" }',
          "  ],",
          '  meanwhile: { assembly: {}, listeners: "the same" }',
          "}"
        ),
        expected: 'alone, the waterfall gives what is marked "a, a (agent)"',
        seen: 'what is marked "a"'
      }
    )
  )
  it.effect("finds one that fails when two run at the same time", () =>
    breaks(
      only(() => {
        let isBusy = false
        return (listeners, base) =>
          Effect.suspend(() => {
            if (isBusy) return Effect.die(new Error("busy"))
            isBusy = true
            return Effect.ensuring(
              chainOf(listeners, (one, given, rest) => one.run(given, rest))(base),
              Effect.sync(() => (isBusy = false))
            )
          })
      }),
      name,
      {
        counterexample: text(
          "{",
          "  assembly: {},",
          "  listeners: [],",
          '  meanwhile: { assembly: {}, listeners: [{ name: "a", scope: "global", does: "fails" }] }',
          "}"
        ),
        expected: "alone, the waterfall: it gave an assembly",
        seen: "it died with Error: busy"
      }
    )
  )
})

describe("a waterfall that cannot be judged", () => {
  const dying = waterfall(() => Effect.die(new Error("boom")))
  it.effect("always fails", () =>
    Effect.andThen(
      Effect.forEach(
        WaterfallLaws.all(dying).filter((law) => law.name !== "waterfall: passes on failures"),
        (law) => unjudged([law], "the waterfall failed in all cases; see the law `passesFailures`")
      ),
      breaks(WaterfallLaws.all(dying), "waterfall: passes on failures", {
        counterexample: "{ assembly: {}, listeners: [] }",
        expected: "the waterfall: it gave an assembly",
        seen: "it died with Error: boom"
      })
    )
  )
  it.effect("is no Layer", () =>
    misused(WaterfallLaws.all(untyped(null)), "the waterfall must be a Layer, and is null")
  )
})
