/** Names that are the same to the eye. */
import { visible } from "../internal/excerpt.ts"
import { describeOwner, type Owner } from "../Owner.ts"
import { describeTool, type Rule } from "./Subject.ts"
import * as Warning from "./Warning.ts"

/** Under each Latin letter the Cyrillic and Greek ones that fonts draw like it, be it in the upper case. */
const alike = {
  a: "аα",
  b: "вβ",
  c: "сϲ",
  d: "ԁ",
  e: "еε",
  g: "ɡ",
  h: "нһη",
  i: "іιı",
  j: "јϳ",
  k: "кκ",
  l: "ӏ",
  m: "мμ",
  o: "оο",
  p: "рρ",
  q: "ԛ",
  s: "ѕ",
  t: "тτ",
  u: "υ",
  v: "ν",
  w: "ԝ",
  x: "хχ",
  y: "у"
}

const latin = new Map(Object.entries(alike).flatMap(([letter, others]) => [...others].map((one) => [one, letter])))

/** Equal for names that a reader takes for one. */
const skeleton = (name: string): string =>
  [...name.normalize("NFKC").toLowerCase().normalize("NFKC")]
    .map((letter) => latin.get(letter) ?? letter)
    .join("")
    .replace(/[\p{Cf}\p{Cc}\ufe00-\ufe0f]/gu, "")
    .trim()
    .replace(/\s+/gu, " ")

/** With the numbers of letters beyond ASCII, since two names that look alike would look alike in the message too. */
const spell = (name: string): string => {
  const numbers = [...name]
    .filter((letter) => !/^[ -~]$/u.test(letter))
    .map((letter) => `U+${letter.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`)
  return JSON.stringify(visible(name)) + (numbers.length === 0 ? "" : ` (with ${numbers.join(", ")})`)
}

interface Named {
  readonly name: string
  readonly owner: Owner
  /** The owner, or the tool, in prose. */
  readonly what: string
  /** The same name, if it is that of a tool. */
  readonly tool?: string
}

const remedy = ({ owner, tool }: Named): string =>
  tool === undefined
    ? `Neither ${owner.kind} shadows the other. Give both one name, or make the difference plain.`
    : "A model takes one for the other. Rename one of them."

const warn = (named: Named, other: Named): Warning.Warning => {
  const message = `the names of ${named.what} and ${other.what} look alike and are not the same (${spell(named.name)} and ${spell(other.name)}). ${remedy(named)}`
  return Warning.make("near-duplicate-name", named.owner, message, {
    ...toolIn(named),
    related: [{ ...other.owner, ...toolIn(other) }]
  })
}

const toolIn = ({ tool }: Named) => (tool === undefined ? undefined : { tool })

export const nearDuplicateNames: Rule = ({ contexts, sections, tools }) => {
  const ofTexts = (texts: typeof sections) =>
    texts.map(({ owner }): Named => ({ name: owner.entry, owner, what: describeOwner(owner) }))
  const ofTools = tools.map((tool): Named => {
    const { name } = tool.source.schema
    return { name, owner: tool.owner, what: describeTool(tool), tool: name }
  })
  return [ofTexts(sections), ofTexts(contexts), ofTools].flatMap((all) => {
    const first = new Map<string, Named>()
    return all.flatMap((named) => {
      const key = skeleton(named.name)
      const other = first.get(key)
      if (other === undefined) first.set(key, named)
      return other === undefined || other.name === named.name ? [] : [warn(named, other)]
    })
  })
}
