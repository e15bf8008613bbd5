import { assert, describe, it } from "@effect/vitest"
import { Effect, Stdio } from "effect"
import { ProcessEnv } from "../../src/cli/ProcessEnv.ts"
import * as Style from "../../src/cli/Style.ts"

interface World {
  readonly terminal: boolean
  readonly env?: { readonly [name: string]: string }
  readonly columns?: number
}

const inWorld =
  ({ columns, env = {}, terminal }: World) =>
  <A>(effect: Effect.Effect<A, never, Stdio.Stdio>): Effect.Effect<A> =>
    effect.pipe(
      Effect.provide(Stdio.layerTest({ stdoutIsTerminal: Effect.succeed(terminal) })),
      Effect.provideService(ProcessEnv, env),
      Effect.provideService(Style.Columns, () => columns)
    )

describe("colours", () => {
  const cases: ReadonlyArray<readonly [says: string, world: World, coloured: boolean]> = [
    ["on a terminal", { terminal: true }, true],
    ["not in a pipe or a file", { terminal: false }, false],
    ["not with NO_COLOR, whatever it says", { terminal: true, env: { NO_COLOR: "0" } }, false],
    ["an empty NO_COLOR counts as none", { terminal: true, env: { NO_COLOR: "" } }, true],
    ["in a pipe with FORCE_COLOR", { terminal: false, env: { FORCE_COLOR: "1" } }, true],
    ["FORCE_COLOR=0 forces nothing", { terminal: false, env: { FORCE_COLOR: "0" } }, false],
    ["an empty FORCE_COLOR forces nothing", { terminal: false, env: { FORCE_COLOR: "" } }, false],
    ["NO_COLOR wins over FORCE_COLOR", { terminal: true, env: { NO_COLOR: "1", FORCE_COLOR: "1" } }, false],
    ["not on a dumb terminal", { terminal: true, env: { TERM: "dumb" } }, false],
    ["on any other", { terminal: true, env: { TERM: "xterm-256color" } }, true]
  ]
  for (const [says, world, coloured] of cases) {
    it.effect(says, () =>
      Effect.gen(function* () {
        const style = yield* inWorld(world)(Style.current)
        assert.strictEqual(style.red("x"), coloured ? "\u001b[31mx\u001b[39m" : "x")
      })
    )
  }

  it("end where they began, so that they can stand within each other; nothing is painted nothing", () => {
    const { bold, red } = Style.coloured
    assert.strictEqual(bold(`a${red("b")}c`), "\u001b[1ma\u001b[31mb\u001b[39mc\u001b[22m")
    for (const paint of Object.values(Style.coloured)) {
      assert.strictEqual(paint(""), "")
      assert.match(JSON.stringify(paint("x")), /^"\\u001b\[\d+mx\\u001b\[\d+m"$/u)
    }
    for (const paint of Object.values(Style.plain)) assert.strictEqual(paint("x"), "x")
    assert.strictEqual(new Set(Object.values(Style.coloured).map((paint) => paint("x"))).size, 6)
  })
})

describe("width", () => {
  const cases: ReadonlyArray<readonly [says: string, world: World, width: number]> = [
    ["is that of the terminal", { terminal: true, columns: 132 }, 132],
    ["is 80 without a terminal, also where one is known", { terminal: false, columns: 132 }, 80],
    ["is 80 on a terminal that does not say", { terminal: true }, 80],
    ["is 80 on a terminal that says 0, as some do at first", { terminal: true, columns: 0 }, 80],
    ["may be small", { terminal: true, columns: 1 }, 1]
  ]
  for (const [says, world, width] of cases) {
    it.effect(says, () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* inWorld(world)(Style.width), width)
      })
    )
  }

  it.effect("is asked anew each time, since a window changes its size", () => {
    let columns = 100
    return Effect.gen(function* () {
      assert.strictEqual(yield* Style.width, 100)
      columns = 60
      assert.strictEqual(yield* Style.width, 60)
    }).pipe(
      Effect.provide(Stdio.layerTest({ stdoutIsTerminal: Effect.succeed(true) })),
      Effect.provideService(Style.Columns, () => columns)
    )
  })
})
