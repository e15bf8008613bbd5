import { Result } from "effect"
import { Assembly, Overlay, Rendered } from "effect-preamble"

const rendered = Result.gen(function* () {
  const everyone = yield* Overlay.make("global", {
    sections: [{ name: "task", order: 0, text: "Help {{user}}." }],
    variables: [{ name: "user", value: "whoever asks" }]
  })
  const ada = yield* Overlay.make("ada", { variables: [{ name: "user", value: "Ada" }] })
  return yield* Rendered.render(yield* Assembly.assemble([everyone, ada]))
})

console.log(Result.match(rendered, { onSuccess: ({ text }) => text, onFailure: (error) => error.message }))
