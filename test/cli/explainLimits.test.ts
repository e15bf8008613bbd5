/** `preamble explain` tells no more than a reader looks through, and says how much it leaves out. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { preamble } from "./support.ts"

const explain = (composition: object, ...args: ReadonlyArray<string>) =>
  Effect.map(
    preamble(["explain", "-", ...args], { stdin: JSON.stringify(composition) }),
    ({ code, stderr, stdout }) => {
      assert.deepStrictEqual([code, stderr], [0, ""])
      return stdout.split("\n")
    }
  )

const section = (text: string) => ({ sections: [{ name: "a", order: 1, text }] })

describe("problems of texts", () => {
  for (const [problems, told] of [
    [50, 50],
    [51, 50]
  ] as const) {
    it.effect(`of ${problems}, ${told} are told and all are counted`, () =>
      Effect.gen(function* () {
        const lines = yield* explain(section(Array.from({ length: problems }, (_, i) => `{{v_${i}}}`).join(" ")))
        assert.include(lines, `DOES NOT RENDER: ${problems} problems`)
        assert.lengthOf(
          lines.filter((line) => line.includes("UnknownVariable: ")),
          told
        )
      })
    )
  }
})

describe("pieces of an occurrence", () => {
  for (const [pieces, told, last] of [
    [11, 10, undefined],
    [12, 10, "then 1 more piece"],
    [13, 10, "then 2 more pieces"]
  ] as const) {
    it.effect(`of ${pieces}, the first and ${told} others are told`, () =>
      Effect.gen(function* () {
        // Values and the texts between them take turns.
        const text = Array.from({ length: pieces }, (_, i) => (i % 2 === 0 ? "{{v}}" : "-")).join("")
        const found = text.replaceAll("{{v}}", "x")
        const lines = yield* explain({ ...section(`<${text}>`), variables: { v: "x" } }, "--find", found)
        const others = lines.filter((line) => line.startsWith("then "))
        assert.deepStrictEqual([others.filter((line) => line.includes("scope")).length, others[10]], [told, last])
      })
    )
  }
})
