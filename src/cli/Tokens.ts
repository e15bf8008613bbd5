/**
 * How a command counts tokens: the flag, the tokenizer it chooses, and how a count is shown.
 *
 * @since 0.1.0
 */
import * as Flag from "effect/cli/Flag"
import type * as Layer from "effect/Layer"
import * as Gpt from "../tokens/Gpt.ts"
import { type Count, Tokenizer } from "../tokens/Tokenizer.ts"
import { grouped } from "./Numbers.ts"

export const choices = ["estimate", "o200k"] as const
export type Choice = (typeof choices)[number]

export const flag = Flag.Literals("tokenizer", choices).pipe(
  Flag.withDescription("estimate: about, and at once; o200k: exactly, with gpt-tokenizer"),
  Flag.withDefault("estimate")
)

/** The tokenizer of a choice. */
export const layer = (choice: Choice): Layer.Layer<Tokenizer, Gpt.MissingPeer> =>
  choice === "o200k" ? Gpt.layer : Tokenizer.layer

/** `1,234` tokens, or about that: `~1,234`. */
export const show = ({ exact, tokens }: Count): string => `${exact ? "" : "~"}${grouped(tokens)}`
