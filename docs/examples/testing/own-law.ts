import { isDeepStrictEqual } from "node:util"
import { Effect } from "effect"
import { Law, Model, Program } from "effect-preamble/testing"

/** The service does what the model says. */
const followsTheModel = Law.make({
  name: "service: follows the model",
  rule: "Each step of a program does what the model says.",
  advice: "Correct the service, or the model if the rule has changed.",
  cases: Program.arbitrary,
  holds: (program) =>
    Effect.map(Program.run(program), (seen) => {
      const expected = Model.run(program)
      const at = seen.findIndex((one, i) => !isDeepStrictEqual(one, expected[i]))
      return at === -1 ? undefined : { expected: JSON.stringify(expected[at]), seen: JSON.stringify(seen[at]) }
    })
})

/** A wrong one: that nothing but closed scopes is ever refused. */
const refusesOnlyClosed = Law.make({
  name: "service: refuses only what is closed",
  rule: "A step fails only because a scope is closed.",
  advice: "Drop this law: it is wrong.",
  cases: Program.arbitrary,
  holds: (program) =>
    Effect.map(Program.run(program), (seen) => {
      const other = seen.find((one) => one._tag === "Failed" && one.failure.tag !== "ScopeClosed")
      return other && { expected: "ScopeClosed, or no failure", seen: JSON.stringify(other) }
    })
})

for (const report of await Effect.runPromise(Law.check([followsTheModel, refusesOnlyClosed], { runs: 30 }))) {
  console.log(Law.format(report))
}
