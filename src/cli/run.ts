/**
 * The command as a function: arguments in, exit code out, all else through `Stdio` and `FileSystem`.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import { PlatformError } from "effect/PlatformError"
import * as Schema from "effect/Schema"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import { check } from "./check.ts"
import { completions } from "./completions.ts"
import {
  CommandError,
  exit,
  Failed,
  type Format,
  report,
  reportBug,
  reportUnwritten,
  reportUsage,
  Verdict
} from "./Failure.ts"
import { diff } from "./diff.ts"
import * as Help from "./Help.ts"
import { explain } from "./explain.ts"
import { init } from "./init.ts"
import { log } from "./log.ts"
import * as Output from "./Output.ts"
import { render } from "./render.ts"
import { step } from "./step.ts"
import * as Style from "./Style.ts"
import { tools } from "./tools.ts"
import { version } from "./version.ts"
import { watch } from "./watch.ts"

// -----------------------------------------------------------------------------
// command
// -----------------------------------------------------------------------------

const preamble = Command.make("preamble").pipe(
  Command.withDescription("Assemble the system prompt of an LLM agent"),
  Command.withExamples([
    { command: "preamble init", description: "Begin with a small commented composition" },
    { command: "preamble render preamble.yaml", description: "What the model sees" },
    { command: "preamble explain preamble.yaml", description: "Where each part of it comes from" }
  ]),
  Command.withSubcommands([render, explain, check, diff, tools, watch, init, step, log])
)

/** A usage error may be the very flag that asks for JSON, so the arguments are looked at by hand. */
const formatOf = (args: ReadonlyArray<string>): Format => {
  const end = args.indexOf("--")
  const flags = end < 0 ? args : args.slice(0, end)
  return flags.some((arg, i) => arg === "--format=json" || (arg === "--format" && flags[i + 1] === "json"))
    ? "json"
    : "text"
}

// -----------------------------------------------------------------------------
// layers
// -----------------------------------------------------------------------------

const writeTo =
  (stdio: Stdio.Stdio) =>
  (effect: Effect.Effect<void, unknown, Stdio.Stdio>): Effect.Effect<void> =>
    effect.pipe(Effect.ignore, Effect.provideService(Stdio.Stdio, stdio))

/** Help that was asked for is an answer; help after a mistake is a message. The default writes both to stdout. */
const presenter = (stdio: Stdio.Stdio, format: Format): CliOutput.Presenter => {
  const write = writeTo(stdio)
  return {
    present: (event) => {
      switch (event._tag) {
        case "Help":
          return write(
            Effect.gen(function* () {
              const options = { width: yield* Style.width, style: yield* Style.current }
              yield* Output.stdout(`${Help.format(event.helpDoc, options)}\n`)
            })
          )
        case "Version":
          return write(Output.stdout(`${event.name} ${event.version}\n`))
        case "InvalidInvocation":
          if (format === "json") return Effect.void
          return write(
            Effect.gen(function* () {
              const help = Help.format(event.helpDoc, { width: yield* Style.width, style: Style.plain })
              yield* Output.stderr(`${help}\n\n${Help.formatErrors(event.errors)}`)
            })
          )
      }
    }
  }
}

const builtIns = (stdio: Stdio.Stdio): Layer.Layer<never> => {
  const write = writeTo(stdio)
  return CliConfig.layer({
    builtIns: [GlobalFlag.Help, GlobalFlag.Version, completions((script) => write(Output.stdout(`${script}\n`)))]
  })
}

const unused = Effect.die(new Error("no command of preamble asks questions or starts programs"))

/** The parser wants these two for its wizard, which is not offered: a prompt author's tool must never wait for keys. */
const unusedServices = Layer.mergeAll(
  Layer.succeed(
    Terminal.Terminal,
    Terminal.make({
      columns: Effect.succeed(80),
      rows: Effect.succeed(24),
      size: unused,
      readInput: unused,
      readLine: unused,
      display: () => Effect.void
    })
  ),
  Layer.succeed(
    ChildProcessSpawner.ChildProcessSpawner,
    ChildProcessSpawner.make(() => unused)
  )
)

// -----------------------------------------------------------------------------
// running
// -----------------------------------------------------------------------------

const isCommandError = Schema.is(CommandError)

/** What every way of ending comes to: a message on stderr, and an exit code. */
const settle = (cause: Cause.Cause<unknown>, format: Format): Effect.Effect<number, never, Stdio.Stdio> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
  const error = Cause.squash(cause)
  if (error instanceof Verdict) return Effect.succeed(error.code)
  if (Output.isClosed(error)) return Effect.succeed(exit.done)
  if (error instanceof PlatformError) return reportUnwritten(error, format)
  if (error instanceof Failed || isCommandError(error)) return report(error, format)
  if (CliError.isCliError(error)) {
    const errors = error._tag === "ShowHelp" ? error.errors : [error]
    return errors.length === 0 ? Effect.succeed(exit.done) : reportUsage(errors, format)
  }
  return reportBug(error, format)
}

/**
 * Runs the command with these arguments and gives its exit code.
 *
 * @since 0.1.0
 * @category running
 */
export const run = (
  args: ReadonlyArray<string>
): Effect.Effect<number, never, FileSystem.FileSystem | Path.Path | Stdio.Stdio> =>
  Effect.gen(function* () {
    const format = formatOf(args)
    const stdio = yield* Stdio.Stdio
    return yield* Command.runWith(preamble, { version: yield* version })(args).pipe(
      Effect.as(exit.done),
      Effect.catchCause((cause) => settle(cause, format)),
      Effect.provide(
        Layer.mergeAll(unusedServices, builtIns(stdio), CliOutput.layerPresenter(presenter(stdio, format)))
      )
    )
  })
