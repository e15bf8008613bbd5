/** Text in the cached prefix that is another one on the next request, or on the next machine. */
import { findTools } from "../internal/findTool.ts"
import { describeOwner } from "../Owner.ts"
import * as Section from "../Section.ts"
import * as ToolSchema from "../ToolSchema.ts"
import { withoutFences } from "./braces.ts"
import { describeTool, type Rule, valuesIn, variableOwner } from "./Subject.ts"
import * as Warning from "./Warning.ts"

// -----------------------------------------------------------------------------
// what looks volatile
// -----------------------------------------------------------------------------

interface Look {
  readonly what: string
  readonly pattern: RegExp
  /** Whether the words before it must say that it is now: dates stand in many texts that never change. */
  readonly cued?: true
  /** Whether it differs between machines, and not from request to request. */
  readonly local?: true
  readonly accept?: (match: RegExpMatchArray) => boolean
}

const month =
  "(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:t(?:ember)?)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
const isoDate = "(?:19|20)\\d\\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])"
const clock = "(?:[01]?\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:[.,]\\d+)?)?"

const dates = [
  isoDate,
  `${month}\\.? \\d{1,2}(?:st|nd|rd|th)?,? (?:19|20)\\d\\d`,
  `\\d{1,2}(?:st|nd|rd|th)? ${month}\\.?,? (?:19|20)\\d\\d`,
  "\\d{1,2}[/.]\\d{1,2}[/.](?:19|20)\\d\\d",
  "(?:19|20)\\d\\d/\\d{1,2}/\\d{1,2}",
  "(?:19|20)\\d\\d年\\d{1,2}月\\d{1,2}日"
].join("|")

/** As in `/home/NAME`: nobody's. */
const nobody = /^(?:user(?:name)?|you(?:r-?name)?|me|my-?name|name|someone|somebody|example|shared|public|x+)$/i

const letters = /[a-f]/i
const digits = /\d/

/** Words of hexadecimal digits with both letters and digits, and with many different ones, as only chance makes them. */
const isRandom = ([text]: RegExpMatchArray): boolean =>
  letters.test(text) && digits.test(text) && new Set(text.toLowerCase().replaceAll("-", "")).size >= 7

/** The first look of a place counts, so the most telling ones come first. */
const looks: ReadonlyArray<Look> = [
  {
    what: "a time stamp",
    pattern: new RegExp(`(?<![\\w.-])${isoDate}[T ]${clock}(?:Z|[+-]\\d\\d:?\\d\\d)?`, "gu")
  },
  { what: "a date", pattern: new RegExp(`(?<![\\w./-])(?:${dates})(?![\\w/-])`, "giu"), cued: true },
  { what: "a time of day", pattern: new RegExp(`(?<![\\w:.])${clock}(?![\\w:])`, "gu"), cued: true },
  { what: "a time in seconds", pattern: /(?<![\w.-])1[6-9]\d{8}(?:\d{3})?(?![\w.-])/gu, cued: true },
  {
    what: "a UUID",
    pattern: /(?<![\w-])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![\w-])/giu,
    accept: isRandom
  },
  {
    what: "what looks like a random hash",
    // A digest names content that does not change.
    pattern:
      /(?<![\w/+=-])(?<!(?:sha\d+|md5|digest)[:=-]\s?)(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})(?![\w/+=-])/giu,
    accept: isRandom
  },
  {
    what: "a path into a home folder",
    pattern:
      /(?<![\w.~$}>)-])(?:\/home\/|\/Users\/|[A-Za-z]:[\\/]Users[\\/])([\w.-]{0,64}\w)(?![\w-])(?![^\s"'`]{0,200}[<{$])/gu,
    local: true,
    accept: (match) => !nobody.test(match[1] ?? "")
  }
]

/** Ends what stands before a date that is now. */
const now =
  /(?:\b(?:today|now|tonight|right now|this is|it is|it's)\b|\b(?:current|local|system|present|today's)\s+(?:\w+\s+)?(?:date|time|day|clock|timestamp)\b|\b(?:date|time|datetime|timestamp|clock|day)\s*(?:is\b|[:=])|今天|现在|当前|日期|时间)[^.!?\n]{0,24}$/iu

/** What such words are not about: when something was made, ends, or is an example. */
const fixed =
  /\b(?:cut-?off|knowledge|train(?:ed|ing)|version|since|released?|revision|founded|born|copyright|deadline|until|before|after|expires?|published)\b/iu
const example =
  /(?:\be\.\s?g\.|\bfor (?:example|instance)\b|\bexamples?\b|\bsuch as\b|\blike\b|\bformat(?:ted)?\b|例如)[^.!?\n]{0,24}$/iu

/** The names of variables that hold what time it is. */
const clockName = /(?:^|_)(?:now|today|date|time|datetime|timestamp|clock)(?:_|$)/

interface Found {
  readonly offset: number
  readonly found: string
  readonly what: string
}

/** Of two that overlap the one that begins first counts, or says more: a time stamp is a date and a time of day. */
const apart = (all: ReadonlyArray<Found>): ReadonlyArray<Found> => {
  let end = 0
  return all
    .toSorted((a, b) => a.offset - b.offset || b.found.length - a.found.length)
    .filter(({ found, offset }) => {
      if (offset < end) return false
      end = offset + found.length
      return true
    })
}

/** How much before a find is looked at. */
const margin = 80

/** `before` stands before the text: of a value, what the text around it says. */
const volatileIn = (
  text: string,
  options: { readonly before?: string; readonly isClock?: boolean; readonly local: boolean }
): ReadonlyArray<Found> =>
  apart(
    looks.flatMap((look) => {
      if (look.local === true && !options.local) return []
      return [...text.matchAll(look.pattern)].flatMap((match) => {
        const near = text.slice(Math.max(0, match.index - margin), match.index)
        const line = near.length < margin ? `${options.before ?? ""}${near}`.slice(-margin) : near
        const before = line.slice(line.lastIndexOf("\n") + 1)
        if (example.test(before) || look.accept?.(match) === false) return []
        const isNow = options.isClock === true || (now.test(before) && !fixed.test(before))
        return look.cued === true && !isNow ? [] : [{ offset: match.index, found: match[0], what: look.what }]
      })
    })
  )

// -----------------------------------------------------------------------------
// where it stands
// -----------------------------------------------------------------------------

const advice = (local: boolean): string =>
  local
    ? `It differs between machines, and so do the cached bytes after it. Put it into a section of order ${Section.orders.HARNESS_SOURCE} or more, or into a context.`
    : "Whenever it changes, everything after it is paid for again. Put it into a context, which is sent after the history."

const isLocal = ({ what }: Found): boolean => looks.some((look) => look.what === what && look.local === true)

/** Text that differs between machines belongs behind everything that does not. */
const mayBeLocal = (order: number): boolean => order >= Section.orders.HARNESS_SOURCE

const inTexts: Rule = ({ sections }) =>
  sections.flatMap((text) => {
    // References match no pattern, and stay in the text for what stands beside them.
    const found = volatileIn(withoutFences(text.written), { local: !mayBeLocal(text.source.order) })
    const [first, ...more] = found
    if (first === undefined) return []
    const place = Warning.placeIn(text.written, first.offset, first.found)
    const message = `${describeOwner(text.owner)} has ${first.what}, ${Warning.quote(first.found)},${Warning.where(place, more.length)}, in the cached prefix. ${advice(isLocal(first))}`
    return [Warning.make("volatile-text", text.owner, message, { place, what: first.what })]
  })

/** The section is the owner: it is in its bytes that the prefix breaks. */
const inValues: Rule = (subject) =>
  valuesIn(subject, subject.sections).flatMap(({ at, text, value, variable }) => {
    const before = text.written.slice(Math.max(0, at - margin), at)
    const [first] = volatileIn(value, {
      before,
      isClock: clockName.test(variable.name) && !fixed.test(before),
      local: !mayBeLocal(text.source.order)
    })
    if (first === undefined) return []
    const owner = variableOwner(variable)
    const place = Warning.placeIn(text.written, at, `{{${variable.name}}}`)
    const message = `${describeOwner(text.owner)} puts ${first.what}, ${Warning.quote(first.found)}, into the cached prefix: the value of ${describeOwner(owner)},${Warning.where(place)}. ${advice(isLocal(first))}`
    return [Warning.make("volatile-text", text.owner, message, { place, what: first.what, related: [owner] })]
  })

const inTools: Rule = ({ tools }) =>
  tools.flatMap((tool) => {
    const { description, name } = tool.source.schema
    const [first] = volatileIn(withoutFences(description), { local: true })
    if (first === undefined) return []
    const message = `the description of ${describeTool(tool)} has ${first.what}, ${Warning.quote(first.found)}, and tools are the beginning of the cached prefix. ${isLocal(first) ? "It differs between machines: leave it out." : "Whenever it changes, the whole prompt is paid for again. Leave it out."}`
    return [Warning.make("volatile-text", tool.owner, message, { what: first.what, tool: name, path: ["description"] })]
  })

// -----------------------------------------------------------------------------
// what is volatile
// -----------------------------------------------------------------------------

const changing =
  "and whenever it changes, everything after it is paid for again. Let it give the same each time, or put it into a context, which is sent after the history."

/** No guess: the same registrations gave something else when they were assembled once more. */
const betweenAssemblies: Rule = (subject) => {
  const { later, sections, tools } = subject
  if (later === undefined) return []
  const values = new Map(later.variables.map((variable) => [variable.name, variable.value]))
  const texts = new Map(later.sections.map((section) => [section.name, String(section.text)]))
  return [
    ...sections.flatMap(({ owner, source, written }) => {
      const other = texts.get(source.name)
      if (other === undefined || other === written) return []
      const message = `${describeOwner(owner)} had another text when it was assembled once more, ${changing}`
      return [Warning.make("volatile-text", owner, message)]
    }),
    ...valuesIn(subject, sections).flatMap(({ at, text, value, variable }) => {
      if (values.get(variable.name) === value) return []
      const owner = variableOwner(variable)
      const place = Warning.placeIn(text.written, at, `{{${variable.name}}}`)
      const message = `${describeOwner(text.owner)} puts a value into the cached prefix that was another one when it was assembled once more: that of ${describeOwner(owner)},${Warning.where(place)}, ${changing}`
      return [Warning.make("volatile-text", text.owner, message, { place, related: [owner] })]
    }),
    ...tools.flatMap((tool) => {
      const { name } = tool.source.schema
      const again = findTools(later.tools, name).map(({ schema }) => ToolSchema.emit(schema))
      if (again.length === 0 || again.includes(ToolSchema.emit(tool.source.schema))) return []
      const message = `${describeTool(tool)} was another one when it was assembled once more, ${changing}`
      return [Warning.make("volatile-text", tool.owner, message, { tool: name })]
    })
  ]
}

const keyOf = ({ entry, kind, related, scope, tool }: Warning.Warning): string =>
  JSON.stringify([kind, entry, scope, tool, related?.map((one) => one.entry)])

export const volatileTexts: Rule = (subject) => {
  const seen = [...inTexts(subject), ...inValues(subject), ...inTools(subject)]
  const told = new Set(seen.map(keyOf))
  return [...seen, ...betweenAssemblies(subject).filter((warning) => !told.has(keyOf(warning)))]
}
