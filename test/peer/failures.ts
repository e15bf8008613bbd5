/** What the peer says when it fails, which it does in words alone, as the failures of programs. */
import type { Failure } from "../../src/testing/Program.ts"
import type { Entry } from "./look.ts"

/** What a translated provider or listener throws, and the peer passes on as it is. */
export class Thrown {
  readonly tag: string
  readonly entry: Entry
  constructor(tag: string, entry: Entry) {
    this.tag = tag
    this.entry = entry
  }
}

/** Named groups are what the peer says of the owner. */
const words: ReadonlyArray<readonly [tag: string, pattern: RegExp, kind?: string]> = [
  ["DuplicateRegistration", /^prompt (?<kind>section|context|variable) "(?<entry>.*)" is already registered/su],
  ["InvalidRegistration", /^prompt (?<kind>section|context) "(?<entry>.*)" order must be a finite number$/su],
  ["InvalidRegistration", /^invalid prompt variable name "(?<entry>.*)" \(must match/su, "variable"],
  ["ScopeClosed", /^cannot create effect on inactive context$/u],
  ["ScopeCycle", /^dsh-scope: scope parent link would form a cycle$/u],
  ["InvalidToolOrder", /^toolOrder (lists "[^"]*" more than once|must contain)/u],
  ["MultipleCompleteSections", /^multiple complete prompt sections are active: /u],
  ["UnknownTool", /^toolOrder lists unregistered tools? "(?<entry>[^"]*)"/u, "toolOrder"],
  ["ReservedToolName", /^tool provider returned reserved tool name/u, "tools"],
  ["MalformedGroup", /^malformed prompt .* in (?<kind>section|context) "(?<entry>.*)" \((references|variable names)/su],
  [
    "UnknownVariable",
    /^unknown prompt variable .* in (?<kind>section|context) "(?<entry>.*)"; registered variables: /su
  ],
  ["UndefinedVariable", /^prompt variable .* has no value .* \((?<kind>section|context) "(?<entry>.*)"\)$/su]
]

/** Whose failure it is, all that there is to say. */
export const blame = (tag: string, { kind, name, host, plugin }: Entry, scope = host): Failure => ({
  tag,
  kind,
  entry: name,
  scope: scope.label,
  plugin
})

/** Fails with the error itself if it is none that we know. */
export const failureOf = (error: unknown): Failure => {
  if (error instanceof Thrown) return blame(error.tag, error.entry)
  if (!(error instanceof Error)) throw error
  for (const [tag, pattern, kind] of words) {
    const match = pattern.exec(error.message)
    if (match !== null) return { tag, ...(kind === undefined ? undefined : { kind }), ...match.groups }
  }
  throw error
}
