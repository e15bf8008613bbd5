/** What a platform's failures say. */
import type { PlatformError } from "effect/PlatformError"

/** The error of the operating system if there is one: it says more than what wraps it. */
export const causeOf = (error: PlatformError): unknown => error.reason.cause ?? error

const hasCode = (cause: unknown, ...codes: ReadonlyArray<unknown>): boolean =>
  cause instanceof Error && "code" in cause && codes.includes(cause.code)

/** Whether there is no space left, on the device or for this user. */
export const isFull = (cause: unknown): boolean => hasCode(cause, "ENOSPC", "EDQUOT")

/** Whether the file system never brings a thing of this kind to the disk by itself. */
export const isUnsyncable = (error: PlatformError): boolean => hasCode(causeOf(error), "EINVAL")

/** Whether there is no file of that name. */
export const isNotFound = (error: PlatformError): boolean => error.reason._tag === "NotFound"
