/**
 * What a provider's cache sees of a prompt, as one hash.
 *
 * @since 0.1.0
 */
import { createHash } from "node:crypto"
import * as ToolSchema from "../ToolSchema.ts"

/**
 * SHA-256 over the UTF-8 bytes of the prompt, a zero byte, and those of the tools as one JSON list, `[]` without tools:
 * see `ToolSchema.emitAll`. Lower-case hex. Users keep it: another one for the same prompt breaks their checks.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (prompt: string, tools: ReadonlyArray<ToolSchema.ToolSchema>): string =>
  createHash("sha256").update(prompt, "utf8").update("\0").update(ToolSchema.emitAll(tools), "utf8").digest("hex")
