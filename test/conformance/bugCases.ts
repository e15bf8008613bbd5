/**
 * Bugs that others reported of such systems: id, area, title, and state where that is not "covered". Titles of tests
 * cite the ids.
 */
import { deviates, type Entry, later } from "./Entry.ts"

const outputs = later("outputs for providers")

type Row = readonly [id: string, area: string, title: string, state?: Entry["state"]]

const rows: ReadonlyArray<Row> = [
  ["BC-001", "interpolation", "recalled text with dots in double braces"],
  ["BC-002", "interpolation", "a tool whose description shows placeholders"],
  ["BC-003", "interpolation", "names that every object has"],
  ["BC-004", "interpolation", "values that look like references"],
  ["BC-006", "caching", "a clock in the prompt"],
  ["BC-007", "caching", "tools in the order of arrival"],
  ["BC-009", "tools", "one tool name, two providers", deviates("duplicates stay in an assembly, and the check warns")],
  ["BC-010", "tools", "long tool names cut to one"],
  ["BC-012", "scope", "prompts of concurrent sessions"],
  ["BC-013", "complete", "text beside a complete prompt"],
  ["BC-015", "session-log", "compaction and the prompt"],
  ["BC-016", "migration", "logs of a later format"],
  ["BC-018", "interpolation", "object literals of a view language"],
  ["BC-019", "interpolation", "ways around braces"],
  ["BC-021", "interpolation", "opening braces alone in prose"],
  ["BC-023", "interpolation", "variables that are missing"],
  ["BC-024", "interpolation", "JSON in a prompt"],
  ["BC-025", "interpolation", "paths and helpers in braces"],
  ["BC-027", "interpolation", "text that a listener brings"],
  ["BC-029", "caching", "sections in the order of files"],
  ["BC-031", "caching", "a summary with a prompt of its own"],
  ["BC-032", "tools", "tool names that a model refuses"],
  ["BC-034", "tools", "a hidden tool"],
  ["BC-035", "tools", "guidance of a hidden tool", deviates("a section may require tools")],
  ["BC-037", "tool-schema", "a tool's fields for its host"],
  ["BC-038", "tool-schema", "schemas with references", outputs],
  ["BC-040", "tool-schema", "a flag in the wrong place of a schema", deviates("the check warns")],
  ["BC-041", "tool-schema", "schemas that are not JSON"],
  ["BC-043", "tools", "tools that change meanwhile"],
  ["BC-044", "provider-output", "too many cache marks", outputs],
  ["BC-046", "scope", "a child without parent", deviates("a scope without parent is a child of global")],
  [
    "BC-047",
    "scope",
    "a complete prompt of a parent",
    deviates("an ancestor's complete section binds unless shadowed")
  ],
  ["BC-049", "complete", "two complete prompts"],
  [
    "BC-050",
    "complete",
    "contexts beside a complete prompt",
    deviates("a provider that throws is blamed unless contexts are suppressed")
  ],
  ["BC-052", "waterfall", "next called twice", deviates("a second call of next, or a second run of it, fails")],
  ["BC-053", "waterfall", "a veto that came too late", deviates("listeners have an order")],
  ["BC-055", "registry", "a watcher that fails", deviates("watchers cannot fail a registration")],
  ["BC-056", "registry", "what a reload leaves behind"],
  ["BC-058", "registry", "calling off a provider that hangs", deviates("interruption is that of Effect")],
  ["BC-059", "session-log", "stale snapshots"],
  ["BC-061", "composition-yaml", "unquoted braces in YAML"],
  ["BC-062", "composition-yaml", "a key twice", deviates("a persona is a map")],
  ["BC-064", "composition-yaml", "aliases by the thousand", deviates("unknown keys are refused everywhere")],
  ["BC-066", "composition-yaml", "line ends of another system", deviates("a file is named by a map")],
  ["BC-068", "context", "a context that speaks as the system"],
  ["BC-069", "cli", "prompts of megabytes"],
  ["BC-071", "perf", "hostile text and time"],
  ["BC-072", "interpolation", "marks of other template languages"],
  ["BC-074", "caching", "a variable that changes"],
  ["BC-075", "tools", "a tool with the marker's name"],
  ["BC-077", "provider-output", "tools that load late", outputs],
  ["BC-078", "provider-output", "no tools at all", outputs],
  ["BC-080", "waterfall", "a listener that fails halfway"],
  ["BC-081", "registry", "orders that are no numbers"],
  ["BC-083", "migration", "a header with the old prompt"],
  ["BC-084", "composition-yaml", "styles of YAML text"],
  ["BC-086", "composition-yaml", "mistakes and their places"],
  ["BC-087", "composition-yaml", "one file under two names", deviates("a file is named by a map")],
  ["BC-089", "unicode", "names that only look alike"]
]

/** One of them. */
export interface BugCase extends Entry {
  readonly area: string
}

/** All of them, in the order of their ids. */
export const bugCases: ReadonlyArray<BugCase> = rows.map(([id, area, title, state = "covered"]) => ({
  id,
  area,
  title,
  state
}))
