/**
 * `preamble check FILE...`: every error and every warning of compositions, of all their scopes, at once.
 *
 * What is found is the answer, so it goes to stdout. It is the same on every machine and in every run, as long as the
 * files and the variables are.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Findings from "../check/Findings.ts"
import type { Composition } from "../composition/Composition.ts"
import { CompositionScopes, layer } from "../composition/CompositionScopes.ts"
import { printable, wrap } from "../internal/width.ts"
import * as PromptScope from "../PromptScope.ts"
import { SystemPrompt } from "../SystemPrompt.ts"
import * as Failure from "./Failure.ts"
import * as Input from "./Input.ts"
import * as Output from "./Output.ts"
import { ProcessEnv } from "./ProcessEnv.ts"
import * as Sarif from "./Sarif.ts"
import * as Style from "./Style.ts"
import * as Target from "./Target.ts"
import { version } from "./version.ts"

// -----------------------------------------------------------------------------
// command
// -----------------------------------------------------------------------------

/**
 * @since 0.1.0
 * @category commands
 */
export const check = Command.make(
  "check",
  {
    files: Argument.String("FILE").pipe(
      Argument.withDescription("Compositions, YAML or JSON; - for standard input"),
      Argument.atLeast(1)
    ),
    scope: Flag.String("scope").pipe(
      Flag.withMetavar("NAME"),
      Flag.withDescription("Check this scope alone; by default all scopes of each file"),
      Flag.optional
    ),
    ...Target.settings,
    strict: Flag.Boolean("strict").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Let warnings fail too"),
      Flag.withDefault(false)
    ),
    format: Flag.Literals("format", ["text", "json", "sarif"]).pipe(
      Flag.withDescription("text: for people; json: one line; sarif: SARIF 2.1.0, for code hosts and editors"),
      Flag.withDefault("text")
    )
  },
  Effect.fn("preamble.check")(function* ({ files, format, scope, strict, ...settings }) {
    if (files.filter((file) => file === "-").length > 1) {
      return yield* Failure.misuse("check", "Standard input can be read once: give - once.")
    }
    const reports = yield* Effect.forEach([...new Set(files)], (file) =>
      reportOn({ ...settings, file, scope: Option.getOrUndefined(scope) }, format === "json" ? "json" : "text")
    )
    yield* Output.stdout(yield* answerFor(reports, format))
    const { errors, warnings } = totalOf(reports)
    if (errors > 0 || (strict && warnings > 0)) return yield* new Failure.Verdict({ code: Failure.exit.failed })
  })
).pipe(
  Command.withDescription("Find every error and everything doubtful in compositions"),
  Command.withExamples([
    { command: "preamble check agent.yaml" },
    { command: "preamble check --strict --set model=m agents/*.yaml", description: "In CI: warnings fail too" },
    { command: "preamble check --format sarif agent.yaml > check.sarif", description: "For a code host" }
  ])
)

// -----------------------------------------------------------------------------
// one file
// -----------------------------------------------------------------------------

const reportOn = (target: Target.Target, messages: Failure.Format) =>
  Effect.gen(function* () {
    const { composition, plugins } = yield* Input.load(target.file, { plugins: !target.noPlugins })
    yield* Target.reportNotMounted(composition, messages)
    const env = yield* ProcessEnv
    // Providers capture the clock when they register, so it is there before they do.
    const clock = new MovableClock(yield* Clock.Clock)
    return yield* reportIn(composition, target, clock).pipe(
      Effect.provide(layer(composition, { env, plugins })),
      Effect.provideService(Clock.Clock, clock),
      Effect.scoped
    )
  }).pipe(
    Effect.catchTags({
      InvalidComposition: (error) => Effect.succeed(Findings.ofInvalid(error)),
      UnknownScope: (error) => Effect.succeed(Findings.ofUnknownScope(error))
    })
  )

const reportIn = Effect.fnUntraced(function* (composition: Composition, target: Target.Target, clock: MovableClock) {
  const scopes = yield* CompositionScopes
  const chosen =
    target.scope === undefined ? [...scopes.scopes] : [[target.scope, yield* scopes.find(target.scope)] as const]
  const overrides = yield* Input.overridesOf(target.varFile, target.set, "global")
  const traced = yield* Effect.forEach(chosen, ([name, scope]) => trace(name, scope, overrides))
  clock.forward = later
  const assembled = yield* Effect.forEach(traced, assembleAgain)
  return Findings.make(composition, assembled, {
    env: yield* ProcessEnv,
    settings: new Set(overrides.map((one) => one.from)),
    realPaths: yield* realPathsOf(composition),
    whole: target.scope === undefined
  })
})

/** A day and an hour: more than any clock in a prompt is rounded to. */
const later = 25 * 60 * 60 * 1000

/** A clock that can be put forward, by milliseconds. Sleeping takes as long as ever. */
class MovableClock implements Clock.Clock {
  readonly #clock: Clock.Clock
  forward = 0

  constructor(clock: Clock.Clock) {
    this.#clock = clock
  }

  readonly currentTimeMillis = Effect.sync(() => this.currentTimeMillisUnsafe())
  readonly currentTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe())
  readonly monotonicTimeNanos = Effect.sync(() => this.monotonicTimeNanosUnsafe())
  readonly currentTimeMillisUnsafe = () => this.#clock.currentTimeMillisUnsafe() + this.forward
  readonly currentTimeNanosUnsafe = () => this.#clock.currentTimeNanosUnsafe() + BigInt(this.forward) * 1_000_000n
  readonly monotonicTimeNanosUnsafe = () => this.#clock.monotonicTimeNanosUnsafe()
  readonly sleep: Clock.Clock["sleep"] = (duration) => this.#clock.sleep(duration)
}

/** What a scope has now; `nearest` is where the variables of the command line are. */
const trace = Effect.fnUntraced(function* (
  name: string,
  scope: PromptScope.PromptScope,
  overrides: ReadonlyArray<Input.Override>
) {
  const prompt = yield* SystemPrompt
  const nearest = yield* Input.below(scope, overrides)
  return { name, nearest, result: yield* PromptScope.provide(nearest)(prompt.trace).pipe(Effect.result) }
})

/** The same scope once more, on another day, if it could be assembled. */
const assembleAgain = Effect.fnUntraced(function* ({
  name,
  nearest,
  result
}: Effect.Success<ReturnType<typeof trace>>) {
  if (Result.isFailure(result)) return { scope: name, result: Result.fail(result.failure) }
  const prompt = yield* SystemPrompt
  const again = yield* PromptScope.provide(nearest)(prompt.assemble).pipe(Effect.option)
  return { scope: name, result: Result.succeed({ trace: result.success, later: Option.getOrUndefined(again) }) }
})

/** Where the text files of a composition really are, by their names in messages. */
const realPathsOf = Effect.fnUntraced(function* (composition: Composition) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const names = [composition.global, ...composition.scopes]
    .flatMap((contents) => [...contents.sections, ...contents.contexts])
    .flatMap(({ text }) => (text.file === undefined ? [] : [text.file.file]))
  const found = new Map<string, string>()
  for (const name of new Set(names)) {
    const real = yield* fs.realPath(path.resolve(name)).pipe(Effect.option)
    if (Option.isSome(real)) found.set(name, real.value)
  }
  return found
})

// -----------------------------------------------------------------------------
// answers
// -----------------------------------------------------------------------------

interface Total {
  readonly errors: number
  readonly warnings: number
  readonly silenced: number
}

const totalOf = (reports: ReadonlyArray<Findings.Report>): Total => {
  const all = reports.flatMap((report) => report.findings)
  const omitted = reports.reduce((sum, report) => sum + report.omitted, 0)
  return {
    errors: all.filter((one) => one.severity === "error").length + omitted,
    warnings: all.filter((one) => one.severity === "warning" && one.silenced === undefined).length,
    silenced: all.filter((one) => one.silenced !== undefined).length
  }
}

const answerFor = Effect.fnUntraced(function* (
  reports: ReadonlyArray<Findings.Report>,
  format: "text" | "json" | "sarif"
) {
  if (format === "json") return `${JSON.stringify(toJson(reports))}\n`
  if (format === "sarif") return `${JSON.stringify(Sarif.make(reports, yield* version), null, 2)}\n`
  return toText(reports, { width: yield* Style.width, style: yield* Style.current })
})

const toJson = (reports: ReadonlyArray<Findings.Report>) => ({
  ...totalOf(reports),
  files: reports.map(({ file, findings, omitted, scopes }) => ({
    file,
    scopes,
    omitted,
    findings: findings.map(({ at, details, places, silenced, ...rest }) => ({
      ...rest,
      at: at ?? null,
      silenced: silenced ?? null,
      places: places.map(({ column, file, line }) => ({ file, line, column })),
      details
    }))
  }))
})

interface Look {
  readonly width: number
  readonly style: Style.Style
}

const toText = (reports: ReadonlyArray<Findings.Report>, look: Look): string => {
  const blocks = reports.flatMap((report) => [
    ...report.findings.filter((one) => one.silenced === undefined).map((one) => block(report, one, look)),
    ...(report.omitted === 0 ? [] : [`${printable(report.file)}: … and ${count(report.omitted, "more error")}`])
  ])
  return `${[...blocks, summary(reports)].join("\n\n")}\n`
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`

const list = (names: ReadonlyArray<string>): string => names.map((name) => JSON.stringify(name)).join(", ")

const block = (report: Findings.Report, finding: Findings.Finding, { style, width }: Look): string => {
  const { code, message, places, scopes, severity } = finding
  const [first, ...rest] = places
  const where = (place: { readonly file: string; readonly line: number; readonly column: number }) =>
    printable(`${place.file}:${place.line}:${place.column}`)
  const paint = severity === "error" ? style.red : style.yellow
  const paragraph = (text: string) => wrap(text, Math.max(20, width - 2)).map((line) => `  ${line}`)
  return [
    `${style.bold(first === undefined ? printable(report.file) : where(first))}: ${paint(`${severity} ${code}`)}`,
    ...paragraph(message),
    // A finding of all scopes needs no list of them.
    ...(scopes.length === 0 || scopes.length === report.scopes.length
      ? []
      : paragraph(`In ${scopes.length === 1 ? "scope" : "scopes"} ${list(scopes)}.`)),
    ...rest.map((place) => `  From ${where(place)}`),
    ...(first === undefined || first.frame === "" ? [] : [first.frame])
  ].join("\n")
}

const summary = (reports: ReadonlyArray<Findings.Report>): string => {
  const { errors, silenced, warnings } = totalOf(reports)
  const scopes = reports.reduce((sum, report) => sum + report.scopes.length, 0)
  const checked = `${count(reports.length, "file")}, ${count(scopes, "scope")}`
  const quiet = silenced === 0 ? "" : ` (${silenced} more silenced)`
  return `${checked}: ${count(errors, "error")}, ${count(warnings, "warning")}${quiet}`
}
