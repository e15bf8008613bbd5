import { Console, Effect } from "effect"
import { Difference, SystemPrompt } from "effect-preamble"

const program = Effect.gen(function* () {
  const prompt = yield* SystemPrompt
  let time = "09:00"
  yield* prompt.section({ name: "id", order: 0, text: "You are X. It is {{time}}." })
  yield* prompt.section({ name: "rules", order: 1, text: "Answer in one paragraph." })
  yield* prompt.variable("time", () => time)

  const side = Effect.gen(function* () {
    const assembly = yield* prompt.assemble
    return { assembly, rendered: yield* prompt.renderAssembly(assembly) }
  })
  const before = yield* side
  time = "09:01"
  const { changes, prefix, prompt: first } = Difference.make(before, yield* side)

  yield* Console.log(changes.sections.map((change) => change.name).join(", "))
  if (first?.after?._tag === "Value") yield* Console.log(`byte ${first.byte} is of {{${first.after.variable.name}}}`)
  yield* Console.log(`${prefix.kept.bytes} bytes stay, ${prefix.written.bytes} are read anew`)
})

await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(SystemPrompt.layer)))
