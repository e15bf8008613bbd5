import { Result } from "effect"
import { Assembly, Overlay } from "effect-preamble"
import * as Check from "effect-preamble/check"

const assembly = Overlay.make("global", {
  sections: [
    { name: "id", order: 0, text: "You are X. Today is {{date}}." },
    { name: "search", order: 1, text: "Use glob if unsure." }
  ],
  variables: [{ name: "date", value: "2026-01-02" }],
  tools: [{ tools: [{ name: "read", description: "Read a file", parameters: { type: "object" } }] }]
}).pipe(Result.flatMap((overlay) => Assembly.assemble([overlay])))

for (const warning of Check.assembly(Result.getOrThrow(assembly), { knownTools: ["read", "glob"] })) {
  console.log(`${warning.code}: ${warning.message}`)
}
