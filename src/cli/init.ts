/**
 * `preamble init [FILE]`: a small composition to begin with.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { visible } from "../internal/excerpt.ts"
import * as Failure from "./Failure.ts"
import { FileExists } from "./FileExists.ts"
import * as Output from "./Output.ts"
import { starter } from "./starter.ts"

// -----------------------------------------------------------------------------
// command
// -----------------------------------------------------------------------------

/**
 * @since 0.1.0
 * @category commands
 */
export const init = Command.make(
  "init",
  {
    file: Argument.String("FILE").pipe(
      Argument.withDescription("Where to write it, preamble.yaml if not given; - for standard output"),
      Argument.withDefault("preamble.yaml")
    ),
    force: Flag.Boolean("force").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Overwrite the file if there is one"),
      Flag.withDefault(false)
    ),
    format: Flag.Literals("format", Failure.Format.literals).pipe(
      Flag.withDescription("json: answer with the file's name and text"),
      Flag.withDefault("text")
    )
  },
  Effect.fn("preamble.init")(function* ({ file, force, format }) {
    if (file !== "-") yield* write(file, force)
    if (format === "json") yield* Output.stdout(`${JSON.stringify({ file, text: starter })}\n`)
    else if (file === "-") yield* Output.stdout(starter)
    else yield* Output.stderr(`Wrote ${visible(file)}. What the model sees: preamble render ${visible(file)}`)
  })
).pipe(
  Command.withDescription("Write a small commented composition to begin with"),
  Command.withExamples([
    { command: "preamble init", description: "Write preamble.yaml, unless it is there" },
    { command: "preamble init - | preamble render -", description: "See what it renders to" }
  ])
)

/** Whether the file is there is decided by the very call that writes it. */
const write = (file: string, force: boolean) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => fs.writeFileString(file, starter, { flag: force ? "w" : "wx" })).pipe(
    Effect.mapError((error) => (error.reason._tag === "AlreadyExists" ? new FileExists({ file }) : error))
  )
