/**
 * Counts of tokens, each exact or estimated: the `Tokenizer` service, an estimator that needs nothing, and exact counts
 * with the optional peer `gpt-tokenizer`.
 *
 * @since 0.1.0
 */
export { estimate } from "./estimate.ts"
export * as Gpt from "./Gpt.ts"
export { type Count, Tokenizer } from "./Tokenizer.ts"
