import { Arbitrary, Clock, Context, Effect, Layer, Schema } from "effect"
import { Plugin } from "effect-preamble"
import { Law, PluginLaws } from "effect-preamble/testing"

class Git extends Context.Service<Git, { readonly branch: string; readonly changed: ReadonlyArray<string> }>()("Git") {}

/** Changes all the time, so it is a context; names of branches are no templates, so it is not interpolated. */
const gitStatus = Plugin.context({
  name: "git:status",
  order: 100,
  plugin: "git",
  interpolate: false,
  text: Effect.gen(function* () {
    const { branch, changed } = yield* Git
    const now = new Date(yield* Clock.currentTimeMillis).toISOString().slice(0, 16)
    return `Git, as of ${now}: on branch ${branch}, ${changed.length} files changed.`
  })
})

const repositories = Arbitrary.schema(
  Schema.Struct({
    branch: Schema.Literals(["main", "fix/{{braces}}", "next"]),
    changed: Schema.Array(Schema.Literals(["a.ts", "b.ts"]))
  })
)
const laws = PluginLaws.all((git: Git["Service"]) => gitStatus.pipe(Layer.provide(Layer.succeed(Git, git))), {
  inputs: repositories
})

for (const report of await Law.assertPromise(laws, { runs: 30 })) console.log(Law.format(report))
