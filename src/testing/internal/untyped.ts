/**
 * A value that the types forbid, and that callers without types give. Programs and listeners have such values because the
 * library has to refuse them; no type can say so, since what they stand in for is typed by the library. This is the one
 * place that says it in spite of the types.
 */
export const untyped = (value: unknown): never => value as never
