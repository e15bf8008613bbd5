/**
 * Ends what does not end.
 *
 * The timeout of a test runner cannot end a loop that never yields: its timer waits behind the loop. The engine can, so
 * that a hang is a failure with an input, and not a test run that stands still. No test measures time: the limit is far
 * above what any input needs, and far below what quadratic work on a large one takes.
 */
import { createContext, Script } from "node:vm"

/** Milliseconds. */
const limit = 120_000

const call = new Script("body()")

const context: { body: () => void } = { body: () => {} }

createContext(context)

/** What the function gives; throws if it has not ended in time. */
export const watched = <A>(body: () => A): A => {
  const results: Array<A> = []
  context.body = () => {
    results.push(body())
  }
  call.runInContext(context, { timeout: limit })
  for (const result of results) return result
  throw new Error("ended without a result")
}
