/**
 * What a command was asked about is not there.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { clip, visible } from "../internal/excerpt.ts"
import { stackless } from "../internal/stackless.ts"

/**
 * There is no such section or context, tool or variable, no such offset in the prompt, or no such text in what the model
 * sees.
 *
 * @since 0.1.0
 * @category errors
 */
export class NothingFound extends stackless(
  Schema.TaggedError<NothingFound>("effect-preamble/NothingFound")("NothingFound", {
    sought: Schema.Literals(["section", "tool", "variable", "offset", "text"]),
    /** As it was given on the command line. */
    value: Schema.String,
    /** Label of the scope that was looked into. */
    scope: Schema.String,
    /** What may help: sentences, the most likely first. */
    hints: Schema.Array(Schema.String)
  })
) {
  override get message(): string {
    const value = this.sought === "offset" ? this.value : visible(JSON.stringify(clip(this.value, 80)))
    const what = {
      section: `scope ${JSON.stringify(this.scope)} sees no section or context ${value}`,
      tool: `scope ${JSON.stringify(this.scope)} knows no tool ${value}`,
      variable: `scope ${JSON.stringify(this.scope)} has no variable ${value}, and no text refers to it`,
      offset: `the prompt has no character at offset ${value}`,
      text: `the model does not see ${value} in scope ${JSON.stringify(this.scope)}`
    }[this.sought]
    return [`${what}.`, ...this.hints].join(" ")
  }
}
