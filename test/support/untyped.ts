/** Takes the type from a value that a caller without types may pass, or a test that wants to see it refused. */
export const untyped = (value: unknown): never => value as never
