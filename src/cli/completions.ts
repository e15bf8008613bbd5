/**
 * `preamble --completions SHELL`: a script that lets the shell complete commands, flags, choices and files.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Completions from "effect/cli/Completions"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"

const shells = ["bash", "zsh", "fish", "powershell"] as const

/** Flags and arguments that name files. They are no `Flag.File`, which would make paths absolute and not know `-`. */
const files = /^(?:file|a|b|var-file|log|out)$/iu

const toFile = <Type extends { readonly _tag: string }>(name: string, type: Type) =>
  type._tag === "String" && files.test(name) ? ({ _tag: "Path", pathType: "file" } as const) : type

const help: Completions.FlagDescriptor = {
  name: "help",
  aliases: ["h"],
  description: "Show help",
  type: { _tag: "Boolean" },
  negation: false
}

const describe = (command: Completions.CommandDescriptor): Completions.CommandDescriptor => ({
  ...command,
  flags: [...command.flags.map((flag) => ({ ...flag, type: toFile(flag.name, flag.type) })), help],
  arguments: command.arguments.map((argument) => ({ ...argument, type: toFile(argument.name, argument.type) })),
  subcommands: command.subcommands.map(describe)
})

/** In place of the flag of the library, which writes past `Stdio` and does not complete files. */
export const completions = (write: (script: string) => Effect.Effect<void>) =>
  GlobalFlag.Action({
    flag: Flag.Literals("completions", shells).pipe(
      Flag.withDescription("Print a script that completes commands and files"),
      Flag.optional
    ),
    run: (shell, { command }) =>
      Option.match(shell, {
        onNone: () => Effect.void,
        onSome: (shell) => write(Completions.generate(command.name, shell, describe(Completions.fromCommand(command))))
      })
  })
