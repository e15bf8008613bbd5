/**
 * Findings in the Static Analysis Results Interchange Format (SARIF 2.1.0), which code hosts and editors read.
 *
 * @since 0.1.0
 */
import { codes } from "../check/Code.ts"
import type { Finding, Report } from "../check/Findings.ts"
import type { Place } from "../composition/SourceFile.ts"

/** A name as the user gave it: relative stays relative, so that it means the same on every machine. */
const toUri = (file: string): string => {
  const slashes = file.replaceAll("\\", "/")
  const path = slashes
    .split("/")
    .map((part) => encodeURIComponent(part))
    .join("/")
  if (slashes.startsWith("/")) return `file://${path}`
  if (/^[A-Za-z]:\//.test(slashes)) return `file:///${path.replace("%3A", ":")}`
  return path
}

const toLocation = ({ column, file, line }: Place) => ({
  physicalLocation: {
    artifactLocation: { uri: toUri(file) },
    region: { startLine: line, startColumn: column }
  }
})

/** A result of no place is about the file as a whole. */
const toResult = (report: Report, rules: ReadonlyMap<string, number>, finding: Finding) => {
  const [first, ...rest] = finding.places
  const location =
    first === undefined ? { physicalLocation: { artifactLocation: { uri: toUri(report.file) } } } : toLocation(first)
  return {
    ruleId: finding.code,
    ruleIndex: rules.get(finding.code) ?? -1,
    level: finding.severity,
    message: { text: finding.message },
    locations: [location],
    ...(rest.length === 0 ? undefined : { relatedLocations: rest.map(toLocation) }),
    ...(finding.silenced === undefined
      ? undefined
      : { suppressions: [{ kind: "inSource", justification: finding.silenced }] }),
    properties: { scopes: finding.scopes, ...(finding.at === undefined ? undefined : { at: finding.at }) }
  }
}

const meanings: ReadonlyMap<string, string> = new Map(Object.entries(codes))

const toRule = (id: string) => {
  const meaning = meanings.get(id)
  return {
    id,
    ...(meaning === undefined ? undefined : { shortDescription: { text: meaning } }),
    defaultConfiguration: { level: meaning === undefined ? "error" : "warning" }
  }
}

/** The log of one run. */
export const make = (reports: ReadonlyArray<Report>, version: string) => {
  const errors = reports.flatMap(({ findings }) => findings.filter((one) => one.severity === "error"))
  const ids = [...Object.keys(codes), ...[...new Set(errors.map((one) => one.code))].sort()]
  const rules = new Map(ids.map((id, index) => [id, index]))
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "preamble", version, rules: ids.map(toRule) } },
        columnKind: "utf16CodeUnits",
        results: reports.flatMap((report) => report.findings.map((finding) => toResult(report, rules, finding)))
      }
    ]
  }
}
