/** Contexts that speak as somebody else. They often hold what users and other programs wrote. */
import { describeOwner } from "../Owner.ts"
import { clearedNotice, heading } from "../PromptContext.ts"
import { type Rule, type Subject, valuesIn, variableOwner } from "./Subject.ts"
import * as Warning from "./Warning.ts"

/** Tags and tokens by which models are told who speaks, also with blanks in them and in any case. */
const wrapper =
  /<\s{0,8}\/?\s{0,8}(?:system[-_ ]?(?:reminder|prompt|message|instructions?)?|assistant|developer|human|user[-_ ]?(?:message|query|prompt)?|function[-_](?:calls?|results?)|tool[-_](?:calls?|results?|use))(?:\s[^<>]{0,200}|\/)?>|<\|[a-z_]+(?:\|>)|\[\/?INST\]|<<\/?SYS>>/giu

const sentences = [heading, clearedNotice].map((text) => text.split(". ")[0]!)

/** Our own headings, and those of other systems that say the same: at the beginning of a line. */
const headings = new RegExp(
  `^[\\t >#*]*(?:${sentences.map((text) => text.replaceAll(".", "\\.")).join("|")}|(?:current )?runtime context\\b[^\\n]*\\b(?:supersedes?|replaces?|void)\\b)`,
  "gimu"
)

/** Invisible characters hide a tag from a filter and not from a model. Each has its place taken by nothing. */
const unseen = /[\p{Cf}\ufe00-\ufe0f]/gu

/** What is found in a text without its invisible characters: the first at its place in the text with them, and how many more. */
const search = (text: string, pattern: RegExp) => {
  const [first, ...more] = text.replace(unseen, "").matchAll(pattern)
  if (first === undefined) return undefined
  const last = first.index + first[0].length - 1
  let removed = 0
  let offset = first.index
  let end = last
  for (const { 0: one, index } of text.matchAll(unseen)) {
    if (index - removed > last) break
    removed += one.length
    end = last + removed
    if (index - removed + one.length <= first.index) offset = first.index + removed
  }
  return { offset, found: text.slice(offset, end + 1), more: more.length }
}

const rule =
  (code: "wrapper-tag" | "snapshot-heading", pattern: RegExp, what: string): Rule =>
  (subject: Subject) => {
    const texts = subject.contexts.map(({ owner, written }) => ({
      owner,
      subject: describeOwner(owner),
      text: written
    }))
    const values = valuesIn(subject, subject.contexts).map(({ value, variable }) => {
      const owner = variableOwner(variable)
      return { owner, subject: `the value of ${describeOwner(owner)}, in a context,`, text: value }
    })
    return [...texts, ...values].flatMap(({ owner, subject, text }) => {
      const first = search(text, pattern)
      if (first === undefined) return []
      const place = Warning.placeIn(text, first.offset, first.found)
      const message = `${subject} has ${Warning.quote(first.found)}${Warning.where(place, first.more)}, ${what}`
      return [Warning.make(code, owner, message, { place })]
    })
  }

export const wrapperTags: Rule = rule(
  "wrapper-tag",
  wrapper,
  "by which a model tells who speaks. Contexts often hold what others wrote: take it out where that text comes from, or name the tag otherwise."
)

export const snapshotHeadings: Rule = rule(
  "snapshot-heading",
  headings,
  "which is what the heading of a snapshot says: the model may take what follows for a new snapshot. Word it otherwise."
)
