/** Braces that were meant as references. */
import { describeOwner } from "../Owner.ts"
import * as Template from "../Template.ts"
import { describeTool, literalsOf, type Rule, type Subject, valuesIn, variableOwner } from "./Subject.ts"
import * as Warning from "./Warning.ts"

const fence = /^ {0,3}(`{3,}|~{3,})/

/** Where the line ends, behind its line break. */
const nextLine = (text: string, start: number): number => {
  const end = text.indexOf("\n", start)
  return end < 0 ? text.length : end + 1
}

/** The same text with the lines of code fences blanked out, so that offsets stay. Code has braces and dates of its own. */
export const withoutFences = (text: string): string => {
  if (!text.includes("```") && !text.includes("~~~")) return text
  let clean = ""
  let open: string | undefined
  for (let start = 0; start < text.length;) {
    const end = nextLine(text, start)
    const line = text.slice(start, end)
    const mark = fence.exec(line)?.[1]
    const closes = open !== undefined && mark?.startsWith(open) === true
    clean += open === undefined && mark === undefined ? line : line.replace(/[^\n]/g, " ")
    open = open === undefined ? mark : closes ? undefined : open
    start = end
  }
  return clean
}

/** `{ { x } }`, `{{x}`, `{x}}`, `{x}` and their full-width forms. A path (`/{x}/`) and `${x}` belong to other languages. */
const nearMiss =
  /(?<![\w$/\\#%{])(?:\{\s{0,4}){1,2}([A-Za-z]\w*)(?:\s{0,4}\}){1,2}(?![}/])|[｛{]{1,2}\s{0,4}([A-Za-z]\w*)\s{0,4}[｝}]{1,2}/gu

/** Only names of variables count: braces have many other uses. */
const nameIn = (subject: Subject, match: RegExpMatchArray): string | undefined => {
  const name = (match[1] ?? match[2] ?? "").toLowerCase()
  const isWide = /[｛｝]/u.test(match[0])
  return subject.variables.has(name) && (match[1] !== undefined || isWide) ? name : undefined
}

export const nearMissBraces: Rule = (subject) =>
  subject.texts.flatMap((text) => {
    // The literal parts of a `Template` are literal on purpose, and so is what is not interpolated.
    if (typeof text.source.text !== "string" || !text.source.interpolate) return []
    const clean = withoutFences(text.written)
    const found = literalsOf(text).flatMap((literal) =>
      [...clean.slice(literal.start, literal.end).matchAll(nearMiss)].flatMap((match) => {
        const name = nameIn(subject, match)
        return name === undefined ? [] : [{ offset: literal.start + match.index, found: match[0], name }]
      })
    )
    const [first] = found
    if (first === undefined) return []
    const place = Warning.placeIn(text.written, first.offset, first.found)
    const message = `${describeOwner(text.owner)} has ${Warning.quote(first.found)}${Warning.where(place, found.length - 1)}, which is no reference: the model sees it as it is. Write {{${first.name}}}.`
    return [Warning.make("near-miss-braces", text.owner, message, { place })]
  })

/** The first reference of a text to a known variable, where nobody looks for one. */
const referenceIn = (subject: Subject, text: string) =>
  Template.parse(text).find((segment) => segment._tag === "Reference" && subject.variables.has(segment.name))

export const literalReferences: Rule = (subject) => [
  ...subject.tools.flatMap((tool) => {
    const { description, name } = tool.source.schema
    const reference = referenceIn(subject, description)
    if (reference?._tag !== "Reference") return []
    const message = `the description of ${describeTool(tool)} has {{${reference.name}}}, and nothing in a tool is interpolated: the model sees it as it is. Write the value.`
    return [Warning.make("literal-reference", tool.owner, message, { tool: name, path: ["description"] })]
  }),
  ...valuesIn(subject, subject.texts).flatMap(({ value, variable }) => {
    const reference = referenceIn(subject, value)
    if (reference?._tag !== "Reference") return []
    const owner = variableOwner(variable)
    const place = Warning.placeIn(value, reference.start, value.slice(reference.start, reference.end))
    const message = `the value of ${describeOwner(owner)} has {{${reference.name}}}, and values are not interpolated: the model sees it as it is. Put the reference into the text.`
    return [Warning.make("literal-reference", owner, message, { place })]
  })
]
