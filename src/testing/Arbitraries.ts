/**
 * Generators of names, texts, contributions, and whole chains of overlays, for `effect/Arbitrary`.
 *
 * All of them are legal unless their description says otherwise. What can collide does so often: names are few, orders
 * tie, labels of scopes repeat, and nearly half of all texts have braces. What is generated is plain data, listeners too (see
 * `Edit`), so that a counterexample can be read; fields that may be absent are left out. All of it shrinks, within the
 * engine's own limits: lists get shorter, options go, and names, orders and texts become the first ones of their kind.
 * Programs have a generator of their own, `Program.arbitrary`.
 *
 * @since 0.1.0
 */
export * from "./arbitraries/chains.ts"
export * from "./arbitraries/contributions.ts"
export * from "./arbitraries/listeners.ts"
export * from "./arbitraries/names.ts"
export * from "./arbitraries/texts.ts"
