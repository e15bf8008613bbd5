/**
 * The explanation of a whole prompt, for people.
 *
 * @since 0.1.0
 */
import type * as Trace from "../Trace.ts"
import type { Explanation, Row, Size } from "./Explanation.ts"
import { block, head, indented, type Options, owner, problemLines, table } from "./ExplanationLines.ts"
import { count, grouped, percent } from "./Numbers.ts"
import { describe, describeListener, describeMany, whyAbsent, whyHidden } from "./Reasons.ts"
import * as Table from "./Table.ts"
import * as Tokens from "./Tokens.ts"

/** How many problems are told. */
const mostProblems = 50

export const whole = (self: Explanation, options: Options): string => {
  const { contexts, hiddenTools, problems, sections, trace } = self
  const hidden = hiddenTools.flatMap(({ tool }) => indented(`${tool}: ${whyHidden(tool, self)}`, 0, options, "- "))
  const steps = trace.steps.flatMap((step, i) => stepLines(step, i, self, options))
  const broken = problems.slice(0, mostProblems).flatMap((problem) => problemLines(problem, options))
  return [
    head(self, options),
    summary(self, options),
    ...block("PROMPT", sections.length === 0 ? ["(empty)"] : partTable("section", sections, options), options),
    ...block("TOOLS", toolTable(self, options), options),
    ...block("CONTEXTS: after the history", partTable("context", contexts, options), options),
    ...block("VARIABLES", variableTable(self, options), options),
    ...block("NOT SEEN: what is registered and takes no part", absentLines(self, options), options),
    ...block("TOOLS OF toolOrder THAT ARE NOT SHOWN", hidden, options),
    ...block("LISTENERS: outermost first", steps, options),
    ...block("SEALED", sealedLines(trace, options), options),
    ...block(`DOES NOT RENDER: ${count(problems.length, "problem")}`, broken, options)
  ].join("\n\n")
}

// -----------------------------------------------------------------------------
// what the model sees
// -----------------------------------------------------------------------------

const summary = ({ contexts, sections, sizes, tokenizer, tools }: Explanation, options: Options): string => {
  const row = (name: string, { characters, tokens }: Size) => [name, grouped(characters), Tokens.show(tokens)]
  const bold = (cells: ReadonlyArray<string>) => cells.map((text) => ({ text, paint: options.style.bold }))
  return Table.render(
    [
      { title: "", shrink: true },
      { title: "chars", align: "right" },
      { title: `tokens (${tokenizer})`, align: "right" }
    ],
    [
      bold(row("cached prefix", sizes.prefix)),
      row(`  ${count(tools.length, "tool")}`, sizes.tools),
      row(`  prompt, ${count(sections.length, "section")}`, sizes.prompt),
      bold(row("after the history", sizes.tail)),
      row(`  ${count(contexts.length, "context")}`, sizes.tail)
    ],
    options
  )
}

const sized = [
  { title: "chars", align: "right" },
  { title: "tokens", align: "right" },
  { title: "share", align: "right" }
] as const

const sizeCells = (row: Row): ReadonlyArray<string> => [
  grouped(row.characters),
  Tokens.show(row.tokens),
  percent(row.share)
]

const partTable = (title: string, rows: ReadonlyArray<Row>, options: Options): ReadonlyArray<string> =>
  table(
    [
      { title: "#", align: "right" },
      { title, shrink: true },
      { title: "owner", shrink: true },
      { title: "order", align: "right" },
      ...sized
    ],
    rows.map((row, i) => [
      grouped(i + 1),
      row.renders ? row.name : { text: `${row.name} (does not render)`, paint: options.style.red },
      owner(row.origin),
      String(row.order),
      ...sizeCells(row)
    ]),
    options
  )

const toolTable = ({ tools, trace }: Explanation, options: Options): ReadonlyArray<string> =>
  table(
    [{ title: "#", align: "right" }, { title: "tool", shrink: true }, { title: "owner", shrink: true }, ...sized],
    tools.map((row, i) => [
      grouped(i + 1),
      trace.assembly.tools[i]?.schema.deferLoading === true ? `${row.name} (deferred)` : row.name,
      owner(row.origin),
      ...sizeCells(row)
    ]),
    options
  )

const variableTable = ({ variables }: Explanation, options: Options): ReadonlyArray<string> =>
  table(
    [
      { title: "variable", shrink: true },
      { title: "value", shrink: true },
      { title: "owner", shrink: true },
      { title: "in", shrink: true }
    ],
    variables.map(({ name, origin, usedBy, value }) => [
      name,
      value === undefined ? { text: "(no value)", paint: options.style.dim } : value,
      owner(origin),
      usedBy.length === 0 ? { text: "(no text)", paint: options.style.dim } : usedBy.map((part) => part.name).join(", ")
    ]),
    options
  )

// -----------------------------------------------------------------------------
// what takes no part
// -----------------------------------------------------------------------------

/** So many of one scope that are left out for one reason are told together. */
const many = 4

const absentLines = (self: Explanation, options: Options): ReadonlyArray<string> => {
  const groups = new Map<string, Array<Explanation["absent"][number]>>()
  for (const one of self.absent) {
    const { kind, plugin, scope } = one
    const key = JSON.stringify([kind, scope, plugin ?? null, whyAbsent(one, self)])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [one])
    else group.push(one)
  }
  const sentences = [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined || group.length < many) {
      return group.map((one) => `${describe(one)} ${whyAbsent(one, self)}`)
    }
    const names = group.map(({ name }) => name)
    return [`${describeMany(first, names)}. Each ${whyAbsent(first, self)}`]
  })
  return sentences.flatMap((sentence) => indented(sentence, 0, options, "- "))
}

// -----------------------------------------------------------------------------
// listeners and sealing
// -----------------------------------------------------------------------------

const stepLines = (step: Trace.Step, i: number, self: Explanation, options: Options): ReadonlyArray<string> => {
  const { handedOn, kind, next, order, ran, returned } = step
  const title = `${describeListener(step)}, ${kind}, order ${order}`
  const fate = self.trace.entries.filter((entry) => entry.kind === "listener")[i]
  const bullet = `${i + 1}. `
  if (!ran) return indented(`${title}: ${fate === undefined ? "" : whyAbsent(fate, self)}`, 0, options, bullet)
  const rest =
    next === "skipped" ? ["does not run the rest"] : next === "failed" ? ["goes on after the rest has failed"] : []
  const what = next === "skipped" ? "returns" : "of what comes back"
  const gave = [...changeLines(handedOn), ...rest, ...changeLines(returned).map((line) => `${what}: ${line}`)]
  return [
    ...indented(gave.length === 0 ? `${title}: changes nothing` : title, 0, options, bullet),
    ...gave.flatMap((line) => indented(line, bullet.length, options))
  ]
}

const changeLines = (changes: Trace.Changes | undefined): ReadonlyArray<string> => {
  if (changes === undefined) return []
  const named = ({ kind, name }: Trace.Part): string => `${kind} ${JSON.stringify(name)}`
  return [
    ...changes.added.map((part) => `adds ${named(part)}`),
    ...changes.removed.map((part) => `removes ${named(part)}`),
    ...changes.changed.map((part) => `changes ${named(part)} (${part.fields.join(", ")})`),
    ...changes.moved.map((kind) => `puts ${kind}s in another order`),
    ...changes.annotations.map((key) => `annotates ${key}`)
  ]
}

const sealedLines = ({ sealed }: Trace.Trace, options: Options): ReadonlyArray<string> =>
  sealed.restored === undefined
    ? []
    : indented(
        `the complete section ${JSON.stringify(sealed.restored)}, which a listener had changed or removed, is as it was registered.`,
        0,
        options,
        "- "
      )
