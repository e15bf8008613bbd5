/** Tools that a text counts on and the model is not shown. */
import { byCodeUnits } from "../internal/codeUnits.ts"
import { describeHider, type Hider } from "../internal/hiders.ts"
import { nearest } from "../internal/nearest.ts"
import { describeOwner, ownerFields } from "../Owner.ts"
import { literalsOf, type Rule } from "./Subject.ts"
import * as Warning from "./Warning.ts"

/**
 * Many tools are called by a word of every-day language: `read`, `edit`, `task`. Such a name counts only in code, or
 * where the words around it leave no doubt; one that is no such word counts wherever it stands.
 */
const distinctive = /[_-]|\d|[a-z][A-Z]/

const escape = (name: string): string => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

const before = String.raw`(?<![\w/.$@-])`
const after = String.raw`(?![\w/-])`
const verbs = "use|using|call|calling|invoke|invoking|prefer|try"
/** What follows the name of a tool, and never the second half of a noun such as "task list". */
const follows = String.raw`(?=\s*(?:[.,;:!?)]|$)|\s+(?:if|for|to|when|only|instead|and|or|rather|with|on|in|by|first|unless|before|after|whenever|where|over|once)\b)`

const mentionOf = (name: string): RegExp => {
  const word = escape(name)
  const code = `\`${word}(?:\\([^\`\\n]*\\))?\``
  const plain = distinctive.test(name)
    ? `${before}${word}${after}`
    : [
        `${before}(?:${verbs})\\s+${word}${after}${follows}`,
        `${before}${word}\\s+tool\\b`,
        `\\b(?:tool|function)\\s+(?:called\\s+|named\\s+)?["']?${word}${after}`
      ].join("|")
  // The flag i is for the first word of a sentence; the name itself must be as it is.
  return new RegExp(`${code}|${plain}`, "giu")
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => byCodeUnits(a, b)

/** Nobody is known to hide the tool of another scope. */
const why = (hiders: ReadonlyArray<Hider>): string =>
  hiders.length === 0
    ? "is known and not shown"
    : `is not shown: ${[...new Set(hiders.map(describeHider))].join(", and ")}`

export const hiddenTools: Rule = ({ hidden, texts }) => {
  const names = [...hidden].filter(([name]) => name !== "<unlisted-tools>" && name.length > 1).sort(byName)
  if (names.length === 0) return []
  return texts.flatMap((text) =>
    names.flatMap(([name, hiders]) => {
      if (!text.written.includes(name)) return []
      const pattern = mentionOf(name)
      const found = literalsOf(text).flatMap((literal) =>
        [...literal.text.matchAll(pattern)]
          .filter((match) => match[0].includes(name))
          .map((match) => literal.start + match.index + match[0].lastIndexOf(name))
      )
      const [first] = found
      if (first === undefined) return []
      const place = Warning.placeIn(text.written, first, name)
      const message = `${describeOwner(text.owner)} mentions the tool ${JSON.stringify(name)}${Warning.where(place, found.length - 1)}, which ${why(hiders)}. Show the tool, drop the words, or put them into a section with \`requires: [${name}]\`.`
      const related = hiders.map((hider) => ownerFields(hider))
      return [Warning.make("hidden-tool", text.owner, message, { place, ...(related.length === 0 ? {} : { related }) })]
    })
  )
}

/** Tools may come from a host, so a name that nobody knows is told only where it looks like a slip. */
export const unknownRequiredTools: Rule = ({ assembly, hidden, requirements }) => {
  const known = new Set([...hidden.keys(), ...assembly.tools.map((tool) => tool.schema.name)])
  return requirements.flatMap(({ owner, requires }) =>
    requires.flatMap((tool) => {
      const near = known.has(tool) ? undefined : nearest(tool, known)
      if (near === undefined) return []
      const message = `${describeOwner(owner)} requires the tool ${JSON.stringify(tool)}, which nobody has, so it is left out. Did you mean ${JSON.stringify(near)}?`
      return [Warning.make("unknown-required-tool", owner, message)]
    })
  )
}
