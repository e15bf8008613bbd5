/**
 * The version of this package. `package.json` is two folders up from here, in the sources as in what is published.
 *
 * @since 0.1.0
 */
import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const Manifest = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))

export const version: Effect.Effect<string> = Effect.sync(() =>
  readFileSync(new URL("../../package.json", import.meta.url), "utf8")
).pipe(
  Effect.flatMap(Schema.decodeEffect(Manifest)),
  Effect.map((manifest) => manifest.version),
  Effect.orDie
)
