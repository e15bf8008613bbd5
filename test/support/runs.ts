/** How often something random is tried: a little in every test run, much in `npm run test:deep`. */

export const deep = process.env["PREAMBLE_DEEP"] !== undefined

/** The number of runs for this kind of test run. */
export const runs = (usual: number, thorough: number): number => (deep ? thorough : usual)

/** Milliseconds that a test may take that does so. */
export const patience = runs(120_000, 5_400_000)
