/**
 * Counts tokens. Every count says whether it is exact or estimated.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import { estimate } from "./estimate.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * The tokens of a text. A count is exact if the tokens were made and counted, for the encoding that the tokenizer names.
 *
 * @since 0.1.0
 * @category models
 */
export interface Count {
  readonly tokens: number
  readonly exact: boolean
}

// -----------------------------------------------------------------------------
// services
// -----------------------------------------------------------------------------

/**
 * Counts the tokens of texts.
 *
 * @since 0.1.0
 * @category services
 */
export class Tokenizer extends Context.Service<
  Tokenizer,
  {
    /** What counts: `estimate`, or the name of an encoding such as `o200k_base`. */
    readonly name: string
    readonly count: (text: string) => Count
  }
>()("effect-preamble/Tokenizer") {
  /**
   * Estimates, and needs nothing. How far off it is, is in `docs/tokens.md`.
   *
   * @since 0.1.0
   */
  static readonly layer: Layer.Layer<Tokenizer> = Layer.succeed(
    this,
    this.of({ name: "estimate", count: (text) => ({ tokens: estimate(text), exact: false }) })
  )
}
