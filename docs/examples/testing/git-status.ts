import { Arbitrary, Clock, Context, Effect, Layer, Schema } from "effect"
import { Plugin } from "effect-preamble"
import { Law, PluginLaws } from "effect-preamble/testing"

class Git extends Context.Service<Git, { readonly branch: string; readonly changed: ReadonlyArray<string> }>()("Git") {}

/** What an agent should know of the repository that it works in. */
const gitStatus = Plugin.section({
  name: "git:status",
  order: 10000,
  plugin: "git",
  text: Effect.gen(function* () {
    const { branch, changed } = yield* Git
    const now = new Date(yield* Clock.currentTimeMillis).toISOString().slice(0, 16)
    return `Git, as of ${now}: on branch ${branch}, ${changed.length} files changed.`
  })
})

// What it says follows from a repository, so the laws get a function of one, and a generator of repositories.
const repositories = Arbitrary.schema(
  Schema.Struct({
    branch: Schema.Literals(["main", "fix/{{braces}}", "next"]),
    changed: Schema.Array(Schema.Literals(["a.ts", "b.ts"]))
  })
)
const laws = PluginLaws.all((git: Git["Service"]) => gitStatus.pipe(Layer.provide(Layer.succeed(Git, git))), {
  inputs: repositories
})

const broken = await Effect.runPromise(Effect.flip(Law.assert(laws)))
console.log(broken.message)
