/** Characters that a reader does not see, and that a model reads all the same. */
import type { Json } from "effect/Schema"
import { describeOwner } from "../Owner.ts"
import { describeTool, type Rule, type Subject, valuesIn, variableOwner } from "./Subject.ts"
import * as Warning from "./Warning.ts"

// -----------------------------------------------------------------------------
// which they are
// -----------------------------------------------------------------------------

const suspect = /(?![\t\n])[\p{Default_Ignorable_Code_Point}\p{Cc}\u2028\u2029\ufff9-\ufffb]/gu

const rightToLeft = /[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Adlm}]/u
/** Scripts in which a joiner between two letters changes how they are written. */
const joining = /[\p{L}\p{M}]/u
const joinless = /[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Han}\p{sc=Hang}\p{sc=Hira}\p{sc=Kana}]/u
const pictographic = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]/u
/** What a variation selector may follow: emoji and other symbols, `1` to `9`, `#`, `*`, and characters of some scripts. */
const varying = /[\p{Emoji}\p{S}\p{sc=Han}\p{sc=Mong}\p{sc=Mymr}]/u
const hangul = /[\u1100-\u115e\u1161-\u11ff\u3131-\u3163\uac00-\ud7a3]/u

/** England, Scotland and Wales are a black flag and invisible letters. */
const flags = /\u{1f3f4}[\u{e0020}-\u{e007e}]+\u{e007f}/gu

const precededBy = (text: string, at: number, what: RegExp): boolean => {
  const low = text.charCodeAt(at - 1)
  const previous = text.slice(low >= 0xdc00 && low <= 0xdfff ? at - 2 : at - 1, at)
  return at > 0 && what.test(previous)
}

/** Whether the character belongs where it stands: emoji and many scripts are written with invisible ones. */
const belongs = (text: string, at: number, code: number, isRightToLeft: boolean): boolean => {
  if (code === 0x0d) return text[at + 1] === "\n"
  if (code === 0x200c || code === 0x200d) {
    if (code === 0x200d && precededBy(text, at, pictographic)) return true
    return precededBy(text, at, joining) && !precededBy(text, at, joinless)
  }
  if ((code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef)) return precededBy(text, at, varying)
  if (code >= 0x180b && code <= 0x180f && code !== 0x180e) return precededBy(text, at, /\p{sc=Mong}/u)
  if (code === 0x200e || code === 0x200f || code === 0x061c || (code >= 0x2066 && code <= 0x2069)) {
    return isRightToLeft
  }
  if (code === 0x115f || code === 0x1160) return precededBy(text, at, hangul)
  return false
}

const named = new Map<number, string>([
  [0x00, "null"],
  [0x0d, "carriage return"],
  [0x1b, "escape"],
  [0xad, "soft hyphen"],
  [0x200b, "zero-width space"],
  [0x200c, "zero-width non-joiner"],
  [0x200d, "zero-width joiner"],
  [0x200e, "left-to-right mark"],
  [0x200f, "right-to-left mark"],
  [0x2028, "line separator"],
  [0x2029, "paragraph separator"],
  [0x202a, "left-to-right embedding"],
  [0x202b, "right-to-left embedding"],
  [0x202c, "end of an embedding"],
  [0x202d, "left-to-right override"],
  [0x202e, "right-to-left override"],
  [0x2060, "word joiner"],
  [0xfeff, "byte order mark"]
])

const nameOf = (code: number): string => {
  const number = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`
  const name =
    named.get(code) ??
    (code < 0xa0
      ? "control character"
      : (code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef)
        ? "variation selector"
        : code >= 0xe0000
          ? "tag character"
          : "invisible")
  return `${number} (${name})`
}

interface Found {
  readonly offset: number
  readonly found: string
  readonly names: string
  readonly more: number
}

/** Names so many different characters, and counts the rest. */
const maxNames = 3

const invisibleIn = (text: string): Found | undefined => {
  const plain = text.replace(flags, (flag) => " ".repeat(flag.length))
  const isRightToLeft = rightToLeft.test(text)
  const found = [...plain.matchAll(suspect)]
    .map((match) => ({ offset: match.index, found: match[0], code: match[0].codePointAt(0) ?? 0 }))
    .filter(({ code, offset }) => !belongs(plain, offset, code, isRightToLeft))
  const [first] = found
  if (first === undefined) return undefined
  const names = [...new Set(found.map(({ code }) => nameOf(code)))]
  const rest = names.length > maxNames ? ` and ${names.length - maxNames} other kinds` : ""
  return { ...first, names: names.slice(0, maxNames).join(", ") + rest, more: found.length - 1 }
}

const halfIn = (text: string): Found | undefined => {
  const [first, ...rest] = text.matchAll(/\p{Cs}/gu)
  return first === undefined
    ? undefined
    : {
        offset: first.index,
        found: first[0],
        names: `U+${first[0].charCodeAt(0).toString(16).toUpperCase()}`,
        more: rest.length
      }
}

// -----------------------------------------------------------------------------
// where they are
// -----------------------------------------------------------------------------

/** Each string of a tool that a model reads, keys too, with its path. */
const stringsIn = (
  value: Json | undefined,
  path: ReadonlyArray<string | number>
): ReadonlyArray<{ readonly text: string; readonly path: ReadonlyArray<string | number> }> => {
  if (typeof value === "string") return [{ text: value, path }]
  if (typeof value !== "object" || value === null) return []
  if (Array.isArray(value)) return value.flatMap((item: Json, index) => stringsIn(item, [...path, index]))
  return Object.entries(value).flatMap(([key, item]) => [
    { text: key, path: [...path, key] },
    ...stringsIn(item, [...path, key])
  ])
}

const search =
  (
    code: "invisible-character" | "lone-surrogate",
    find: (text: string) => Found | undefined,
    say: (found: Found) => string
  ): Rule =>
  (subject: Subject) => [
    ...subject.texts.flatMap(({ owner, written }) => {
      const found = find(written)
      if (found === undefined) return []
      const place = Warning.placeIn(written, found.offset, found.found)
      const message = `${describeOwner(owner)} holds ${found.names}${Warning.where(place, found.more)}. ${say(found)}`
      return [Warning.make(code, owner, message, { place })]
    }),
    ...valuesIn(subject, subject.texts).flatMap(({ value, variable }) => {
      const found = find(value)
      if (found === undefined) return []
      const owner = variableOwner(variable)
      const place = Warning.placeIn(value, found.offset, found.found)
      const message = `the value of ${describeOwner(owner)} holds ${found.names}${Warning.where(place, found.more)}. ${say(found)}`
      return [Warning.make(code, owner, message, { place })]
    }),
    ...subject.tools.flatMap((tool) => {
      const { description, name, parameters } = tool.source.schema
      const strings = [
        { text: name, path: ["name"] },
        { text: description, path: ["description"] },
        ...stringsIn(parameters, ["parameters"])
      ]
      for (const { path, text } of strings) {
        const found = find(text)
        if (found === undefined) continue
        const message = `${describeTool(tool)} holds ${found.names} in its ${path[0]}. ${say(found)}`
        return [Warning.make(code, tool.owner, message, { tool: name, path })]
      }
      return []
    })
  ]

export const invisibleCharacters: Rule = search(
  "invisible-character",
  invisibleIn,
  ({ more }) =>
    `A model reads what no reader sees. Remove ${more === 0 ? "it" : "them"}, or silence the warning if that is meant.`
)

export const loneSurrogates: Rule = search(
  "lone-surrogate",
  halfIn,
  () =>
    "Half of a surrogate pair has no UTF-8 bytes, so what is sent is another text. Write the whole character, and cut texts between characters."
)
