/**
 * What a failure of a store says at a terminal: which files and arguments to give, and not which functions to call.
 *
 * @since 0.1.0
 */
import { describeCause } from "../Owner.ts"
import type { StoreError } from "../session/store/StoreError.ts"

/** The message of an error, for whoever ran the command. */
export const make = (error: StoreError): string => {
  const log = `session log ${JSON.stringify(error.log)}`
  switch (error._tag) {
    case "LogExists":
      return `${log} is there already, and stays as it is. Give a name that no file has, or move that file away.`
    case "LogNotFound":
      return `${log} is not there. Give the path of its file; \`preamble step\` creates one.`
    case "LogBusy":
      return `${log} is open in another program that writes to it. Wait until that one is done. \`preamble log\` can read it meanwhile.`
    case "MigrationRequired":
      return `${log} ${error.reason}. Write a copy with \`preamble log migrate ${JSON.stringify(error.log)} OUT\`, and give OUT instead.`
    case "AppendFailed": {
      const what = error.full ? "there is no space left for the events" : "the events could not be stored"
      const state = error.undone ? "None of them is in it" : "All of them or none are in it"
      return `${log}: ${what}: ${describeCause(error.cause)}. ${state}, and what was there before is intact. ${error.full ? "Free some space, and run" : "Run"} the command again.`
    }
    case "ForeignWrite":
      return `${log} was changed by somebody else: ${error.reason}. Nothing was appended. Find out which program writes to it, and run the command again.`
    case "UnexpectedSeq":
    case "WriterUnusable":
      return `nothing was appended to ${log}, which has changed meanwhile. Run the command again.`
    case "LogDamaged":
    case "StoreFailure":
      return error.message
  }
}
