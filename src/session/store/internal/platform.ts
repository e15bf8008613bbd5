/** What a platform's failures say. */
import type { PlatformError } from "effect/PlatformError"

/** The error of the operating system if there is one: it says more than what wraps it. */
export const causeOf = (error: PlatformError): unknown => error.reason.cause ?? error

const codes: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT"])

/** Whether there is no space left, on the device or for this user. */
export const isFull = (cause: unknown): boolean => cause instanceof Error && "code" in cause && codes.has(cause.code)

/** Whether there is no file of that name. */
export const isNotFound = (error: PlatformError): boolean => error.reason._tag === "NotFound"
