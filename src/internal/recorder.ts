/** Writes down what the listeners of one assembly do, by standing around each of them. Any `Waterfall` may run them. */
import * as Exit from "effect/Exit"
import type { Assembly } from "../Assembly.ts"
import type { Admitted, Next } from "../Listener.ts"
import { flatMapNow } from "./exit.ts"
import type { Ingredients, Recording, Run } from "./ledger.ts"
import type { Move } from "./survival.ts"

type Open = { -readonly [K in keyof Run]: Run[K] }

export class Recorder {
  readonly #runs: Array<Run> = []
  readonly #moves: Array<Move> = []

  #ingredients: Ingredients | undefined

  /** The same listeners, whose runs are written down here. */
  listen(listeners: ReadonlyArray<Admitted>): ReadonlyArray<Admitted> {
    return listeners.map((listener, index) => ({
      ...listener,
      run: (given, next) => this.#run(listener, index, given, next)
    }))
  }

  #run(listener: Admitted, index: number, given: Assembly, next: Next) {
    const run: Open = { index, given, handed: undefined, back: undefined, returned: undefined }
    this.#runs.push(run)
    const rest: Next = (handed) => {
      run.handed = handed
      this.#moves.push({ index, from: [given], to: handed })
      return flatMapNow(next(handed), (back) => {
        run.back = back
        return Exit.succeed(back)
      })
    }
    return flatMapNow(listener.run(given, rest), (returned) => {
      run.returned = returned
      this.#moves.push({ index, from: run.back === undefined ? [given] : [given, run.back], to: returned })
      return Exit.succeed(returned)
    })
  }

  /** Called when the assembly is there. */
  finish(ingredients: Ingredients): void {
    this.#ingredients = ingredients
  }

  /** All that was written down. There is nothing to ask for before the end. */
  get recording(): Recording {
    if (this.#ingredients === undefined) throw new Error("nothing was assembled")
    return { ...this.#ingredients, runs: this.#runs, moves: this.#moves }
  }
}
