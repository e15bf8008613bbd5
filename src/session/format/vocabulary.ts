/** Which events and blocks the migrations know. What is in no list of events was carried along unread. */
import type { Json } from "effect/Schema"

/** What becomes a message, by format. */
const surface: ReadonlyArray<ReadonlySet<string>> = [
  new Set(["user/message", "assistant/message", "tool/result", "steering/message"]),
  new Set(["user/message", "assistant/message", "tool/result"]),
  new Set(["user/message", "assistant/message", "tool/result"]),
  new Set(["user/message", "assistant/message", "tool/result", "system/message"]),
  new Set(["user/message", "assistant/message", "tool/result", "system/message", "developer/message"])
]

/** Whether events of this type become messages in this format. */
export const isSurface = (version: number, type: string): boolean => surface[version]?.has(type) ?? false

/** The blocks of messages, in the formats 2 and 3. */
const blocks: ReadonlySet<Json | undefined> = new Set([
  "text",
  "reasoning",
  "image",
  "file",
  "tool-call",
  "tool-result"
])

/** Whether the formats 2 and 3 have blocks of this type. */
export const isBlock = (type: Json | undefined): boolean => blocks.has(type)

/** What never becomes a message and is read by some migration, or known to refer to nothing. */
const logOnly: ReadonlySet<string> = new Set([
  "agent-preset/selected",
  "agent/inbox/spliced",
  "assistant/attempt",
  "assistant/chunk",
  "command/done",
  "command/run",
  "compact/end",
  "compact/prune",
  "compact/start",
  "compact/summary",
  "compaction/end",
  "compaction/prune",
  "compaction/start",
  "compaction/summary",
  "goal/change",
  "image/offload",
  "llm/retry",
  "llm/retry-started",
  "reasoning-chunks",
  "request/context",
  "request/header",
  "session-log-deepseek/delivery-accepted",
  "session/end-seed",
  "session/title",
  "session/title-llm-request",
  "step/end",
  "step/start",
  "subagent/catalog",
  "text-chunks",
  "tool-call-chunks",
  "tool/call",
  "tool/code-dispatch",
  "tool/code-dispatch-start",
  "tool/ptc-dispatch",
  "tool/ptc-dispatch-start",
  "turn/end",
  "turn/start"
])

/** Whether events of this type are carried along unread. */
export const isOpaque = (version: number, type: string): boolean => !isSurface(version, type) && !logOnly.has(type)
