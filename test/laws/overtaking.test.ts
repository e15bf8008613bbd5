/**
 * Assembling again and again gives what assembling anew gives, also where providers wait and are overtaken, call the
 * service themselves, or change how they answer; where listeners build lists by hand; and under another waterfall. What
 * must come out says `SystemPrompt.trace`, which makes everything anew, and `Rendered.render` without a rendering before.
 */
import { describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Overlays, Renderer, SystemPrompt, ToolRegistry } from "../../src/index.ts"
import { Tally } from "../support/check.ts"
import { seeded } from "../support/random.ts"
import { patience, runs } from "../support/runs.ts"
import { policies, options, anyPolicy, Machine } from "./overtaking/machine.ts"

const program = (seed: number) =>
  Effect.gen(function* () {
    const random = seeded(seed)
    const name = anyPolicy(random)
    const own = Layer.fresh(Layer.mergeAll(Overlays.layer, Renderer.layer, policies[name]))
    const layer = SystemPrompt.layerNoDepsWith(options(random)).pipe(Layer.provide(own))
    const services = yield* Layer.build(Layer.provideMerge(ToolRegistry.layer, layer))
    const machine = new Machine(seed, random, yield* Effect.scope, services)
    yield* machine.run()
    return [name, ...machine.labels]
  }).pipe(Effect.scoped)

/** In percent of all programs. */
const least: Readonly<Record<string, number>> = {
  usual: 25,
  wrapping: 10,
  reversing: 10,
  choosing: 10,
  waited: 50,
  interrupted: 30,
  "called the service": 30,
  rendered: 60,
  "the same": 30,
  another: 30,
  "registered tool": 25,
  "edited tool": 1,
  InvalidAssembly: 5,
  ListenerFailure: 2,
  ProviderFailure: 5
}

describe("assemblies that overtake each other", () => {
  it.effect(
    "give what assembling anew gives",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        for (let seed = 1; seed <= runs(200, 10_000); seed++) {
          tally.count(...(yield* program(seed)))
        }
        tally.assertShares("programs", least)
      }),
    patience
  )
})
