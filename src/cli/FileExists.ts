/**
 * A command was to write a file that is there already.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { visible } from "../internal/excerpt.ts"
import { stackless } from "../internal/stackless.ts"

/**
 * The file exists, and stays as it is.
 *
 * @since 0.1.0
 * @category errors
 */
export class FileExists extends stackless(
  Schema.TaggedError<FileExists>("effect-preamble/FileExists")("FileExists", {
    file: Schema.String
  })
) {
  override get message(): string {
    return `${visible(this.file)} exists already, and stays as it is. Choose another name, or overwrite it with --force.`
  }
}
