/**
 * Counts tokens exactly, with the package `gpt-tokenizer`, which is an optional peer.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { stackless } from "../internal/stackless.ts"
import { describeCause } from "../Owner.ts"
import { type Count, Tokenizer } from "./Tokenizer.ts"

// -----------------------------------------------------------------------------
// errors
// -----------------------------------------------------------------------------

/**
 * An optional package is needed, and it is not installed or cannot be loaded.
 *
 * @since 0.1.0
 * @category errors
 */
export class MissingPeer extends stackless(
  Schema.TaggedError<MissingPeer>("effect-preamble/MissingPeer")("MissingPeer", {
    /** What to install. */
    package: Schema.String,
    /** What it is for. */
    purpose: Schema.String,
    reason: Schema.String
  })
) {
  override get message(): string {
    return `${this.purpose} needs the optional package ${this.package}, which cannot be loaded: ${this.reason} Install it beside effect-preamble (npm install ${this.package}), or do with an estimate.`
  }
}

// -----------------------------------------------------------------------------
// counting
// -----------------------------------------------------------------------------

/** What stands for a marker such as `<|endoftext|>` in a prompt is text like any other. */
const asText = { disallowedSpecial: new Set<string>() }

/**
 * The package takes time in the square of a run without a boundary: 100 kB of one letter are minutes. Longer ones than
 * this do not occur in what people write, so they are cut, and the count is no longer called exact.
 */
const longest = 1000
const longRun = /[\p{L}\p{M}]{1001}|[^\s\p{L}\p{N}]{1001}|[\r\n/]{1001}|\s{1001}/u

const count = (countTokens: (text: string, options: typeof asText) => number, text: string): Count => {
  if (!longRun.test(text)) return { tokens: countTokens(text, asText), exact: true }
  let tokens = 0
  for (let at = 0; at < text.length; at += longest) tokens += countTokens(text.slice(at, at + longest), asText)
  return { tokens, exact: false }
}

// -----------------------------------------------------------------------------
// layers
// -----------------------------------------------------------------------------

/**
 * Counts tokens of `o200k_base`, the encoding of the models of OpenAI since GPT-4o. The package is loaded when the layer
 * is built, not when this module is imported.
 *
 * A count is exact unless the text has more than 1000 letters, signs or blanks without a boundary.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Tokenizer, MissingPeer> = Layer.effect(
  Tokenizer,
  Effect.map(
    Effect.tryPromise({
      try: () => import("gpt-tokenizer/encoding/o200k_base"),
      catch: (cause) =>
        new MissingPeer({ package: "gpt-tokenizer@4", purpose: "Counting tokens exactly", reason: describe(cause) })
    }),
    ({ countTokens }) => Tokenizer.of({ name: "o200k_base", count: (text) => count(countTokens, text) })
  )
)

const describe = (cause: unknown): string => {
  if (cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND") return "it is not installed."
  return `${describeCause(cause)}.`
}
