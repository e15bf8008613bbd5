/**
 * What consumers prove their own code with: generators, programs, laws, and doubles of services.
 *
 * @since 0.1.0
 */
export * as Arbitraries from "./Arbitraries.ts"
export * as Edit from "./Edit.ts"
export * as Program from "./Program.ts"
