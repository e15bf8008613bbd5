/**
 * Compares the mutants that survived the last run with the list of those known to be equivalent, and fails on one that
 * is not listed and on an entry that no survivor answers to. Looks at nothing but the modules of the run, so a run of
 * one module can be judged too. `--write` also puts their scores, and the whole list, into `docs/mutation.md`; scores of
 * other modules stay as they are, as long as these are mutated at all.
 */
import * as fs from "node:fs"
import { fileURLToPath } from "node:url"

/** A mutant, told apart by what it changes rather than by where: lines move. */
interface Mutant {
  /** The mutator, in Stryker's words. */
  readonly mutator: string
  /** The line that the mutated code begins on, trimmed. */
  readonly line: string
  /** The code, its white space as single blanks. Left out where it is the line itself. */
  readonly code?: string
  readonly replacement: string
}

/** Survivors of one module with one reason. */
interface Equivalent {
  readonly file: string
  readonly reason: string
  readonly mutants: ReadonlyArray<Mutant>
}

/** What is used of Stryker's report. */
interface Report {
  readonly files: Readonly<Record<string, ReportedFile>>
}

/** What is used of Stryker's configuration. */
interface Config {
  readonly mutate: ReadonlyArray<string>
}

interface ReportedFile {
  readonly source: string
  readonly mutants: ReadonlyArray<{
    readonly mutatorName: string
    readonly replacement?: string
    readonly status: string
    readonly location: { readonly start: Position; readonly end: Position }
  }>
}

interface Position {
  readonly line: number
  readonly column: number
}

const root = new URL("../../", import.meta.url)
const reportFile = new URL("reports/mutation/mutation.json", root)
const listFile = new URL("test/mutation/equivalent.json", root)
const pageFile = new URL("docs/mutation.md", root)
const configFile = new URL("test/mutation/stryker.config.json", root)

const read = (file: URL): string => fs.readFileSync(file, "utf8")

const killed = new Set(["Killed", "Timeout"])
const survived = new Set(["Survived", "NoCoverage"])

/** White space means nothing in the code that these modules are written in, so a formatter may change it. */
const squeeze = (code: string): string => code.replace(/\s+/gu, " ").trim()

const survivorsOf = ({ mutants, source }: ReportedFile): ReadonlyArray<Mutant> => {
  const lines = source.split("\n")
  const starts = lines.map((_, i) => lines.slice(0, i).reduce((sum, line) => sum + line.length + 1, 0))
  const offset = ({ column, line }: Position): number => starts[line - 1]! + column - 1
  return mutants
    .filter(({ status }) => survived.has(status))
    .map(({ location, mutatorName, replacement = "" }) => {
      const line = squeeze(lines[location.start.line - 1]!)
      const code = squeeze(source.slice(offset(location.start), offset(location.end)))
      return {
        mutator: mutatorName,
        line,
        ...(code === line ? undefined : { code }),
        replacement: squeeze(replacement)
      }
    })
}

const keyOf = (file: string, { code, line, mutator, replacement }: Mutant): string =>
  JSON.stringify([file, mutator, line, code ?? line, replacement])

/** How often each mutant occurs: a line may have the same code twice. */
const count = (keys: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

const beyond = (keys: ReadonlyMap<string, number>, others: ReadonlyMap<string, number>): ReadonlyArray<string> =>
  [...keys].flatMap(([key, n]) => Array.from({ length: Math.max(0, n - (others.get(key) ?? 0)) }, () => key))

// -----------------------------------------------------------------------------
// the page
// -----------------------------------------------------------------------------

const percent = (part: number, whole: number): string =>
  `${whole === 0 ? "100.0" : ((100 * part) / whole).toFixed(1)} %`

/** The scores of one module, or of all. */
interface Row {
  readonly name: string
  readonly killed: number
  readonly survived: number
  /** The day of the run, empty for all. */
  readonly date: string
}

const rowsOf = (report: Report, date: string): ReadonlyArray<Row> =>
  Object.entries(report.files).map(([file, { mutants }]) => ({
    name: `\`${file}\``,
    killed: mutants.filter(({ status }) => killed.has(status)).length,
    survived: mutants.filter(({ status }) => survived.has(status)).length,
    date
  }))

const lineOf = ({ date, killed, name, survived }: Row): string => {
  const all = killed + survived
  return `| ${name} | ${all} | ${killed} | ${survived} | ${percent(killed, all)} | ${date} |`
}

/** The rows of the table of a page. */
const written = (page: string): ReadonlyArray<Row> =>
  page
    .split("\n")
    .filter((line) => line.startsWith("| `src/"))
    .map((line) => {
      const [, name = "", , killed, survived, , date = ""] = line.split("|").map((cell) => cell.trim())
      return { name, killed: Number(killed), survived: Number(survived), date }
    })

const sumOf = (rows: ReadonlyArray<Row>): Row => ({
  name: "all",
  killed: rows.reduce((sum, row) => sum + row.killed, 0),
  survived: rows.reduce((sum, row) => sum + row.survived, 0),
  date: ""
})

/** The table with the rows of a run in the place of earlier ones. */
const table = (
  earlier: ReadonlyArray<Row>,
  ran: ReadonlyArray<Row>,
  modules: ReadonlySet<string>
): ReadonlyArray<string> => {
  const rows = [...new Map([...earlier, ...ran].map((row) => [row.name, row])).values()]
    .filter(({ name }) => modules.has(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return [
    "| module | mutants | killed | survived | score | as of |",
    "|---|--:|--:|--:|--:|---|",
    ...[...rows, sumOf(rows)].map(lineOf)
  ]
}

/** Code in a Markdown line, whatever backticks it has. */
const inline = (code: string): string => {
  const fence = "`".repeat(Math.max(0, ...[...code.matchAll(/`+/gu)].map(([run]) => run.length)) + 1)
  return code.includes("`") || code === "" ? `${fence} ${code} ${fence}` : `${fence}${code}${fence}`
}

const listed = (list: ReadonlyArray<Equivalent>): ReadonlyArray<string> =>
  [...new Set(list.map(({ file }) => file))].toSorted().flatMap((file) => [
    `### \`${file}\``,
    "",
    ...list
      .filter((one) => one.file === file)
      .flatMap(({ mutants, reason }) => [
        `${reason}`,
        "",
        ...mutants.map(({ code, line, mutator, replacement }) => {
          const within = code === undefined ? "" : ` in ${inline(line)}`
          const to = replacement === "" ? "nothing" : inline(replacement)
          return `- ${mutator}: ${inline(code ?? line)}${within} → ${to}`
        }),
        ""
      ])
  ])

/** Puts lines between the comments `<!-- <name> -->` and `<!-- end -->` of a page. */
const put = (page: string, name: string, lines: ReadonlyArray<string>): string => {
  const begin = `<!-- ${name} -->\n`
  const from = page.indexOf(begin)
  const to = page.indexOf("<!-- end -->", from)
  if (from === -1 || to === -1) throw new Error(`docs/mutation.md has no part ${name}`)
  return `${page.slice(0, from + begin.length)}${lines.join("\n").trimEnd()}\n${page.slice(to)}`
}

// -----------------------------------------------------------------------------
// main
// -----------------------------------------------------------------------------

const report: Report = JSON.parse(read(reportFile))
const list: ReadonlyArray<Equivalent> = JSON.parse(read(listFile))
const ran = list.filter(({ file }) => file in report.files)

const seen = count(
  Object.entries(report.files).flatMap(([file, one]) => survivorsOf(one).map((mutant) => keyOf(file, mutant)))
)
const known = count(ran.flatMap(({ file, mutants }) => mutants.map((mutant) => keyOf(file, mutant))))

const unlisted = beyond(seen, known)
const stale = beyond(known, seen)
for (const key of unlisted) console.log(`survived, and is not listed: ${key}`)
for (const key of stale) console.log(`listed, and did not survive: ${key}`)

const rows = rowsOf(report, fs.statSync(reportFile).mtime.toISOString().slice(0, 10))

if (process.argv.includes("--write")) {
  const config: Config = JSON.parse(read(configFile))
  const modules = new Set(config.mutate.map((file) => `\`${file}\``))
  const before = read(pageFile)
  const page = put(before, "scores", table(written(before), rows, modules))
  fs.writeFileSync(pageFile, put(page, "equivalent", listed(list)))
  console.log(`wrote ${fileURLToPath(pageFile)}`)
}

console.log(lineOf(sumOf(rows)))
if (unlisted.length + stale.length > 0) process.exitCode = 1
