import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect } from "effect"
import { estimate, Gpt, Tokenizer } from "../../src/tokens/index.ts"
import * as cells from "../support/cells.ts"
import { sample } from "./sample.ts"

const exactly = (text: string) =>
  Tokenizer.use((tokenizer) => Effect.succeed(tokenizer.count(text))).pipe(Effect.provide(Gpt.layer))

const percent = (estimated: number, exact: number): string => {
  const error = (estimated / exact - 1) * 100
  return `${error < 0 ? "−" : "+"}${Math.abs(error).toFixed(1)}%`
}

/** How far off an estimate of these texts may be, and what the page promises. */
const bound = 0.05

describe("the error of the estimate against o200k_base", () => {
  for (const [kind, text] of sample) {
    it.effect(`${kind}: within 5 %, on at least 1500 bytes`, () =>
      Effect.gen(function* () {
        assert.isAbove(Buffer.byteLength(text), 1500)
        const { exact, tokens } = yield* exactly(text)
        assert.isTrue(exact)
        assert.isAtMost(Math.abs(estimate(text) / tokens - 1), bound, `${estimate(text)} for ${tokens}`)
      })
    )
  }

  it.effect("docs/tokens.md has these figures", () =>
    Effect.gen(function* () {
      const page = readFileSync(new URL("../../docs/tokens.md", import.meta.url), "utf8")
      for (const [kind, text] of sample) {
        const { tokens } = yield* exactly(text)
        const row = [kind, Buffer.byteLength(text), tokens, estimate(text), percent(estimate(text), tokens)]
        assert.include(page, `\n| ${row.join(" | ")} |\n`)
      }
    })
  )

  it("a fourth of the characters, the usual rule, would break the bound on most kinds", () => {
    const off = sample.filter(([, text]) => Math.abs(text.length / 4 / estimate(text) - 1) > bound)
    assert.isAtLeast(off.length, 4)
  })

  const languages: { readonly [language: string]: string } = {
    Japanese:
      "あなたは慎重なアシスタントです。ファイルを編集する前に、必ず内容を読んでください。テストが失敗した場合は、原因を説明してから修正を提案してください。",
    Korean:
      "당신은 신중한 도우미입니다. 파일을 수정하기 전에 반드시 내용을 읽어 보세요. 테스트가 실패하면 원인을 설명하고 나서 수정을 제안하세요.",
    Russian:
      "Вы осторожный помощник. Прежде чем изменить файл, прочитайте его содержимое. Если тест не проходит, сначала объясните причину.",
    German:
      "Du bist ein sorgfältiger Helfer. Lies jede Datei, bevor du sie änderst. Schlägt ein Test fehl, erkläre zuerst die Ursache.",
    French:
      "Vous êtes un assistant prudent. Lisez chaque fichier avant de le modifier. Si un test échoue, expliquez d'abord la cause.",
    Spanish:
      "Eres un asistente cuidadoso. Lee cada archivo antes de modificarlo. Si una prueba falla, explica primero la causa.",
    Arabic: "أنت مساعد حذر. اقرأ كل ملف قبل تعديله. إذا فشل اختبار فاشرح السبب أولا ثم اقترح إصلاحا.",
    Greek:
      "Είσαι ένας προσεκτικός βοηθός. Διάβασε κάθε αρχείο πριν το αλλάξεις. Αν αποτύχει μια δοκιμή, εξήγησε πρώτα την αιτία."
  }
  for (const [language, text] of Object.entries(languages)) {
    it.effect(`${language}: within a fourth, on a paragraph`, () =>
      Effect.gen(function* () {
        const { tokens } = yield* exactly(text)
        assert.isAtMost(Math.abs(estimate(text) / tokens - 1), 0.25, `${estimate(text)} for ${tokens}`)
      })
    )
  }
})

describe("estimate", () => {
  it("of nothing is nothing, of something is something", () => {
    assert.strictEqual(estimate(""), 0)
    for (const one of ["a", " ", "\n", "1", "中", "🚀", "{", "\u0301", "\ud800", "\u0000"]) {
      assert.isAtLeast(estimate(one), 1, JSON.stringify(one))
    }
  })

  it("is about one for a common word, with the blank before it; and grows with words", () => {
    assert.strictEqual(estimate("the"), 1)
    assert.strictEqual(estimate(" prompt"), 1)
    assert.strictEqual(estimate("You are a careful assistant."), 6)
    assert.strictEqual(estimate("12345"), 2)
    assert.strictEqual(estimate(" ".repeat(40)), 1)
  })

  it.prop(
    "is a whole number, the same each time, and of a whole about what its lines come to",
    [Arbitrary.array(cells.text(30), { maxLength: 8 })],
    ([lines]) => {
      const whole = lines.map((line) => `${line}\n`).join("")
      const parts = lines.reduce((sum, line) => sum + estimate(`${line}\n`), 0)
      assert.isTrue(Number.isInteger(estimate(whole)) && estimate(whole) >= 0)
      assert.strictEqual(estimate(whole), estimate(whole))
      // Rounding, and a sign or break that belongs to the piece before it.
      assert.isAtMost(Math.abs(estimate(whole) - parts), 2 * lines.length)
    }
  )

  describe("[BC-071] takes time linear in the text, whatever it is", () => {
    const size = 2_000_000
    const hostile: { readonly [name: string]: string } = {
      capitals: "A",
      letters: "a",
      blanks: " ",
      "blanks before a word": `${" ".repeat(1000)}x`,
      breaks: "\n",
      "breaks and blanks": "\n ",
      braces: "{{ ",
      Han: "中",
      marks: "\u0301",
      "half pairs": "\ud800",
      quotes: "'",
      emoji: "👨‍👩‍👧‍👦"
    }
    for (const [name, unit] of Object.entries(hostile)) {
      it(`2,000,000 units of ${name}`, () => {
        const text = unit.repeat(size / unit.length)
        const before = performance.now()
        assert.isAbove(estimate(text), 0)
        // About 0.1 s; the square would be hours.
        assert.isBelow(performance.now() - before, 5000)
      })
    }
  })
})
