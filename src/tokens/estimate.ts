/**
 * About how many tokens a text is, without a vocabulary.
 *
 * Byte-pair encodings cut a text into pieces by a fixed pattern before they look anything up: words with the blank
 * before them, numbers, runs of signs, line breaks. That pattern is public and small; only the vocabulary is large. So
 * the text is cut in the same way, and each piece costs what pieces of its shape cost on average in `o200k_base`.
 */

/** Longer runs are cut, so that no part of the pattern looks further than this: time is linear in the text. */
const longest = 64

/**
 * The pattern of `o200k_base` with bounded runs. A word may begin with one sign or blank, breaks before a capital that
 * follows a small letter, and takes an English ending such as `'s` with it.
 */
const pieces = new RegExp(
  [
    String.raw`([^\r\n\p{L}\p{N}]?)([\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]{0,${longest}}[\p{Ll}\p{Lm}\p{Lo}\p{M}]{1,${longest}}(?:'(?:s|t|re|ve|m|ll|d))?)`,
    String.raw`([^\r\n\p{L}\p{N}]?)([\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]{1,${longest}})`,
    String.raw`\p{N}{1,3}`,
    String.raw` ?([^\s\p{L}\p{N}]{1,${longest}})[\r\n/]{0,${longest}}`,
    String.raw`\s{0,${longest}}[\r\n]{1,${longest}}`,
    String.raw`\s{1,${longest}}(?!\S)`,
    String.raw`\s{1,${longest}}`
  ].join("|"),
  "gu"
)

// -----------------------------------------------------------------------------
// costs
// -----------------------------------------------------------------------------

/** What a word of so many letters costs, from none on; and each letter after that. */
interface Costs {
  readonly short: ReadonlyArray<number>
  readonly more: number
}

/** After a blank, as most words in prose stand. */
const afterBlank: Costs = { short: [0, 1, 1, 1, 1, 1, 1.02, 1.02, 1.06, 1.1, 1.12, 1.2, 1.2, 1.3], more: 0.25 }

/** At the beginning of a line, or within an identifier. */
const alone: Costs = { short: [0, 1, 1, 1.02, 1.05, 1.05, 1.1, 1.15, 1.3, 1.45, 1.5, 1.6, 1.8, 2.1], more: 0.3 }

/** After a sign, which is part of the token only where that pair is usual: `.length`. */
const afterSign: Costs = { short: [0, 1.02, 1.05, 1.3, 1.35, 1.5, 1.6, 1.6, 1.8, 2, 2.2, 2.4, 2.7, 3], more: 0.3 }

/** Capitals alone, as in names of constants and in Base64. */
const capitals: Costs = { short: [0, 1, 1.05, 1.4, 1.7, 2, 2.1, 2.2, 2.8, 3.3], more: 0.45 }

/** Signs: `{`, `});`, `</`. */
const signs: Costs = { short: [0, 1, 1.01, 1.2, 1.6, 2], more: 0.4 }

const costOf = ({ more, short }: Costs, length: number): number =>
  short[length] ?? short.at(-1)! + more * (length - short.length + 1)

/** Tokens for each letter of other scripts. Of several in one word, the first here counts. */
const scripts: ReadonlyArray<readonly [letters: RegExp, each: number]> = [
  [/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u, 0.73],
  [/\p{sc=Cyrl}/u, 0.27],
  [/\p{sc=Latn}/u, 0.3],
  [/\p{sc=Deva}/u, 0.4]
]

/** Greek, Arabic, Hebrew, Thai. Rare scripts take more. */
const otherScript = 0.45

const english = /^[A-Za-z']+$/u
const upper = /^[A-Z]+$/u
const blank = /^\s/u
const ascii = /^[ -~]*$/u
const repeated = /^(.)\1+$/u
const pictograph = /\p{Extended_Pictographic}/gu

const ofWord = (sign: string, letters: string): number => {
  if (english.test(letters)) {
    if (upper.test(letters) && letters.length > 1) return costOf(capitals, letters.length)
    return costOf(sign === "" ? alone : blank.test(sign) ? afterBlank : afterSign, letters.length)
  }
  const [, each] = scripts.find(([letter]) => letter.test(letters)) ?? ["", otherScript]
  return Math.max(1, each * letters.length + (sign === "" || blank.test(sign) ? 0 : 0.9))
}

const ofSigns = (text: string): number => {
  // Rulers such as `-----` are tokens of their own.
  if (repeated.test(text)) return 1 + text.length / 24
  if (ascii.test(text)) return costOf(signs, text.length)
  return text.length + 0.8 * (text.match(pictograph)?.length ?? 0)
}

/** Up to three digits are one token, and so are breaks and blanks in a row. */
const ofOthers = 1

/**
 * Estimates how many tokens a text is. It takes time linear in the text, and the same text always gives the same.
 *
 * @since 0.1.0
 * @category destructors
 */
export const estimate = (text: string): number => {
  let sum = 0
  for (const match of text.matchAll(pieces)) {
    const [, sign1, word1, sign2, word2, run] = match
    if (word1 !== undefined) sum += ofWord(sign1!, word1)
    else if (word2 !== undefined) sum += ofWord(sign2!, word2)
    else sum += run === undefined ? ofOthers : ofSigns(run)
  }
  return Math.round(sum)
}
