/** Texts that take room and say nothing, or say it twice. */
import * as Result from "effect/Result"
import { describeOwner } from "../Owner.ts"
import * as Template from "../Template.ts"
import type { Rule, Subject, Text } from "./Subject.ts"
import * as Warning from "./Warning.ts"

const renderedOf = ({ variables }: Subject, { owner, source, written }: Text): string => {
  if (!source.interpolate) return written
  const values = new Map([...variables].map(([name, { value }]) => [name, value]))
  return Result.getOrElse(Template.render(source.text, values, owner), () => written)
}

export const blankTexts: Rule = (subject) =>
  subject.texts.flatMap((text) => {
    // Most texts begin with something, and need not be rendered to see that.
    if (/^\s*[^\s{]/u.test(text.written)) return []
    const rendered = renderedOf(subject, text)
    if (rendered === "" || rendered.trim() !== "") return []
    const message = `${describeOwner(text.owner)} is nothing but white space (${Warning.quote(rendered)}), and takes its place all the same. Make the text empty to leave it out.`
    return [Warning.make("blank-text", text.owner, message)]
  })

/** Where the line breaks at the end of a text begin. A regular expression would look for them at every line break. */
const endOf = (text: string): number => {
  let end = text.length
  while (text[end - 1] === "\n") end -= text[end - 2] === "\r" ? 2 : 1
  return end
}

export const trailingNewlines: Rule = ({ texts }) =>
  texts.flatMap(({ owner, written }) => {
    const end = endOf(written)
    if (end === written.length || written.trim() === "") return []
    const found = written.slice(end)
    const count = found.split("\n").length - 1
    const ends = count === 1 ? "a line break" : `${count} line breaks`
    const message = `${describeOwner(owner)} ends with ${ends}, so more than one blank line follows it. End the text with its last word: in YAML write |- or >- for the block.`
    return [Warning.make("trailing-newline", owner, message, { place: Warning.placeIn(written, end, found) })]
  })

/** The same words twice cost twice, and a change of one leaves the other behind. */
export const duplicateTexts: Rule = ({ contexts, sections }) =>
  [sections, contexts].flatMap((texts) => {
    const first = new Map<string, Text>()
    return texts.flatMap((text) => {
      const key = JSON.stringify([text.source.interpolate, text.written.trim()])
      const other = first.get(key)
      if (text.written.trim() === "") return []
      if (other === undefined) {
        first.set(key, text)
        return []
      }
      const message = `${describeOwner(text.owner)} says the same as ${describeOwner(other.owner)}. Remove one of them.`
      return [Warning.make("duplicate-text", text.owner, message, { related: [other.owner] })]
    })
  })
