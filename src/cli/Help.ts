/**
 * The help of a command, no wider than the terminal.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import type * as CliError from "effect/cli/CliError"
import type { ExampleDoc, FlagDoc, HelpDoc } from "effect/cli/HelpDoc"
import { printable, width as widthOf, wrap } from "../internal/width.ts"
import type { Style } from "./Style.ts"

interface Options {
  readonly width: number
  readonly style: Style
}

/** A name and what it means. */
interface Entry {
  readonly name: string
  readonly meaning: string
}

const indent = 2
const gap = 2

/** Meanings stand below their names where there is less room than this beside them. */
const narrowest = 24

/** Names that are longer than this have a line of their own. */
const longest = 26

// -----------------------------------------------------------------------------
// entries
// -----------------------------------------------------------------------------

/** The library writes the choices behind the description. They are the value, and stand where values stand. */
const choices = / ?\(choices: ([^()]*)\)$/u

/** How a value of a type is written where its flag says nothing better. */
const values: { readonly [type: string]: string } = { string: "TEXT", integer: "N" }

const ofFlag = ({ aliases, description, name, type }: FlagDoc): Entry => {
  const meaning = Option.getOrElse(description, () => "")
  const [, list] = choices.exec(meaning) ?? []
  const value = type === "boolean" ? "" : ` ${list === undefined ? (values[type] ?? type) : list.replaceAll(", ", "|")}`
  return { name: [`--${name}`, ...aliases].join(", ") + value, meaning: meaning.replace(choices, "") }
}

const ofArguments = (doc: HelpDoc): ReadonlyArray<Entry> =>
  (doc.args ?? []).map(({ description, name, variadic }) => ({
    name: `${name}${variadic ? "..." : ""}`,
    meaning: Option.getOrElse(description, () => "")
  }))

const ofSubcommands = (doc: HelpDoc): ReadonlyArray<Entry> =>
  (doc.subcommands ?? []).flatMap(({ commands }) =>
    commands.map(({ description, name, shortDescription }) => ({ name, meaning: shortDescription ?? description }))
  )

// -----------------------------------------------------------------------------
// layout
// -----------------------------------------------------------------------------

const heading = (title: string, lines: ReadonlyArray<string>, { style }: Options): ReadonlyArray<string> =>
  lines.length === 0 ? [] : [[style.bold(title), ...lines].join("\n")]

const paragraph = (text: string, by: number, { width }: Options): ReadonlyArray<string> =>
  wrap(text, Math.max(2, width - by)).map((line) => " ".repeat(by) + line)

const entries = (list: ReadonlyArray<Entry>, options: Options): ReadonlyArray<string> => {
  const names = list.map(({ name }) => widthOf(name)).filter((size) => size <= longest)
  const beside = indent + Math.max(0, ...names) + gap
  const column = options.width - beside < narrowest ? 3 * indent : beside
  return list.flatMap(({ meaning, name }) => {
    const lines = paragraph(meaning, column, options)
    const [first = "", ...rest] = lines
    const head = " ".repeat(indent) + options.style.cyan(name)
    const blanks = column - indent - widthOf(name)
    return blanks < gap ? [head, ...lines] : [head + " ".repeat(blanks) + first.trimStart(), ...rest]
  })
}

const comment = (text: string, { style, width }: Options): ReadonlyArray<string> =>
  wrap(text, Math.max(2, width - indent - 2)).map((line) => style.dim(`${" ".repeat(indent)}# ${line}`))

const examples = (list: ReadonlyArray<ExampleDoc>, options: Options): ReadonlyArray<string> =>
  list.flatMap(({ command, description = "" }) => [
    ...(description === "" ? [] : comment(description, options)),
    ...paragraph(command, indent, options)
  ])

/** The help of one command. */
export const format = (doc: HelpDoc, options: Options): string => {
  const root = (doc.commandPath?.length ?? 1) === 1
  const more = `Run \`${doc.commandPath?.[0] ?? ""} --help\` for all commands and global flags.`
  return [
    paragraph(doc.description, 0, options).join("\n"),
    ...heading("USAGE", paragraph(doc.usage, indent, options), options),
    ...heading("COMMANDS", entries(ofSubcommands(doc), options), options),
    ...heading("ARGUMENTS", entries(ofArguments(doc), options), options),
    ...heading("FLAGS", entries(doc.flags.map(ofFlag), options), options),
    ...(root ? heading("GLOBAL FLAGS", entries((doc.globalFlags ?? []).map(ofFlag), options), options) : []),
    ...heading("EXAMPLES", examples(doc.examples ?? [], options), options),
    ...(root ? [] : [paragraph(more, 0, options).join("\n")])
  ].join("\n\n")
}

/** A message has lines: what may have been meant stands below what is wrong. */
const linesOf = ({ message }: CliError.CliError): ReadonlyArray<string> =>
  message.split("\n").map((line) => (line === "" ? "" : `  ${printable(line)}`))

/** What is wrong with the arguments. */
export const formatErrors = (errors: ReadonlyArray<CliError.CliError>): string =>
  ["ERROR", ...errors.flatMap(linesOf)].join("\n")
