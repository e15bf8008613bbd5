/**
 * How answers look on a terminal: colours, and the room there is.
 *
 * @since 0.1.0
 */
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import { ProcessEnv } from "./ProcessEnv.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/** Each gives the text as it is where there are no colours. A text that is already styled keeps its inner style. */
export interface Style {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
  readonly cyan: (text: string) => string
}

const same = (text: string): string => text

/** No colours. */
export const plain: Style = { bold: same, dim: same, red: same, green: same, yellow: same, cyan: same }

const sgr =
  (on: number, off: number) =>
  (text: string): string =>
    text === "" ? "" : `\u001b[${on}m${text}\u001b[${off}m`

/** The eight colours that every terminal has and lets its user choose. */
export const coloured: Style = {
  bold: sgr(1, 22),
  dim: sgr(2, 22),
  red: sgr(31, 39),
  green: sgr(32, 39),
  yellow: sgr(33, 39),
  cyan: sgr(36, 39)
}

// -----------------------------------------------------------------------------
// services
// -----------------------------------------------------------------------------

/** The columns of the terminal that standard output is, asked anew each time. A reference, so that tests give their own. */
export const Columns = Context.Reference<() => number | undefined>("effect-preamble/cli/Columns", {
  defaultValue: () => () => process.stdout.columns
})

// -----------------------------------------------------------------------------
// getters
// -----------------------------------------------------------------------------

/**
 * Colours if standard output is a terminal that has them, and `NO_COLOR` is not set; or if `FORCE_COLOR` is. These are
 * the rules of `effect/cli`, so that the help follows the same.
 */
export const current: Effect.Effect<Style, never, Stdio.Stdio> = Effect.gen(function* () {
  const { NO_COLOR, FORCE_COLOR, TERM } = yield* ProcessEnv
  const { canColor } = yield* TerminalCapabilities.TerminalCapabilities.pipe(
    Effect.provide(TerminalCapabilities.layer),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({ NO_COLOR, FORCE_COLOR, TERM }))
  )
  return canColor ? coloured : plain
})

/** What is written to a file or a pipe is as wide as a terminal usually is, whoever runs the command. */
const usual = 80

/** How many cells a line of the answer may take. */
export const width: Effect.Effect<number, never, Stdio.Stdio> = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  const columns = (yield* stdio.stdoutIsTerminal) ? (yield* Columns)() : undefined
  return columns === undefined || columns < 1 ? usual : columns
})
