/**
 * 3 → 4: results of tools become messages of their own role, and messages name who made them and not which package.
 *
 * A turn that ended with its process is closed, and the sessions that this one started are listed if they are not.
 */
import type { Json, JsonObject } from "effect/Schema"
import type { Child, Context } from "../Edge.ts"
import { mapMessages } from "../messages.ts"
import { arrayOf, isArray, isObject, objectOf, type PlainEvent, textOf, without } from "../plain.ts"
import { refuse } from "../refuse.ts"
import { remap } from "../references.ts"
import { Restart } from "../restart.ts"
import { SeqMap } from "../seqMap.ts"
import { isBlock } from "../vocabulary.ts"
import * as edge from "./edge.ts"

const version = 3

type Note = Context["note"]

// -----------------------------------------------------------------------------
// results of tools
// -----------------------------------------------------------------------------

const isWrapper = (block: Json | undefined): boolean => isObject(block) && block["type"] === "tool-result"

/** Members that the target has no name for keep theirs, after who had them. */
const extensions = (owner: string, value: JsonObject, known: ReadonlyArray<string>): JsonObject =>
  Object.fromEntries(Object.entries(without(value, ...known)).map(([key, it]) => [`plugin:${owner}:${key}`, it]))

const lift = (message: JsonObject): JsonObject => {
  const [block, ...others] = arrayOf(message["content"], "the content of a tool's result")
  const source = objectOf(message["source"], "the source of a tool's result")
  const callId = textOf(source["callId"], "the callId of a tool's result")
  if (!isObject(block) || !isWrapper(block) || others.length > 0 || block["toolCallId"] !== callId) {
    return refuse("a tool/result must hold one block of type tool-result, and that one the callId of its source.")
  }
  const content = arrayOf(block["content"], "the content of a block of type tool-result")
  if (content.some(isWrapper)) refuse("a block of type tool-result holds another one.")
  const { id } = message
  const { isError } = block
  return {
    role: "tool",
    ...(id === undefined ? undefined : { id }),
    source,
    toolCallId: callId,
    content,
    ...(isError === undefined ? undefined : { isError }),
    ...extensions("message", message, ["id", "role", "source", "content"]),
    ...extensions("result", block, ["type", "toolCallId", "content", "isError"])
  }
}

const liftResult = (event: PlainEvent, note: Note): PlainEvent => {
  if (event.type !== "tool/result" || !isObject(event.data)) return event
  const message = event.data["message"]
  if (!isObject(message) || message["role"] !== "user") return event
  note("rewritten", "tool/result: role user → tool, its block unwrapped")
  return { ...event, data: { ...event.data, message: lift(message) } }
}

// -----------------------------------------------------------------------------
// messages
// -----------------------------------------------------------------------------

/** Producers whose kind is not the name of the package. */
const renamedProducers: ReadonlyMap<Json, string> = new Map([
  ["compact", "compact-checkpoint"],
  ["tools-code-mode", "ptc-mode"],
  ["tools-ptc", "ptc-mode"],
  ["dsh-compaction-basic", "compact-basic"],
  ["@deepseek-ai/dsh-system-prompt", "runtime-context"]
])

/** Producers whose kind is the name of the package. */
const knownProducers: ReadonlySet<Json> = new Set([
  "agent-instructions",
  "agent-message",
  "coordinator",
  "cordis-host-runner",
  "dsh-session-title-llm",
  "goal",
  "hooks-claude-code",
  "hooks-codex",
  "model-selection",
  "plan-mode",
  "repeat-tool-reminder",
  "schedule",
  "session-reference",
  "skill-catalog",
  "skill-invocation",
  "subagent-report",
  "subagent-settled",
  "team-message",
  "time-context",
  "tmux-context",
  "tool-cordis",
  "tool-goal",
  "tool-jobs",
  "user-approval",
  "webhook"
])

const kindOf = (plugin: string, role: Json | undefined): string => {
  if (plugin === "@deepseek-ai/dsh-system-prompt" && role === "system") return "system-prompt"
  return renamedProducers.get(plugin) ?? (knownProducers.has(plugin) ? plugin : `plugin:${plugin}`)
}

const renameSource = (message: JsonObject, note: Note): JsonObject => {
  const source = message["source"]
  if (!isObject(source) || source["kind"] !== "plugin") return message
  const plugin = source["plugin"]
  if (typeof plugin !== "string") return refuse("the source of a message is a plugin and does not say which.")
  const kind = kindOf(plugin, message["role"])
  note("renamed", `source plugin ${JSON.stringify(plugin)} → kind ${JSON.stringify(kind)}`)
  return { ...message, source: { ...without(source, "plugin"), kind } }
}

/** Blocks of others get names that no block of ours will have. */
const renameBlocks = (message: JsonObject, note: Note): JsonObject => {
  const content = message["content"]
  if (!isArray(content) || content.every((block) => !isObject(block) || isBlock(block["type"]))) return message
  return {
    ...message,
    content: content.map((block) => {
      if (!isObject(block) || isBlock(block["type"])) return block
      const type = `plugin:${textOf(block["type"], "the type of a block")}`
      note("renamed", `block ${JSON.stringify(block["type"])} → ${JSON.stringify(type)}`)
      return { ...block, type }
    })
  }
}

const refuseDeferred = (event: PlainEvent): void => {
  const header = event.type === "request/header" && isObject(event.data) ? event.data["header"] : undefined
  const tools = isObject(header) ? header["tools"] : undefined
  if (!isArray(tools)) return
  for (const tool of tools) {
    if (!isObject(tool) || !Object.hasOwn(tool, "deferLoading")) continue
    refuse(`the tool ${JSON.stringify(tool["name"] ?? null)} says deferLoading, which format 3 does not know.`)
  }
}

// -----------------------------------------------------------------------------
// children
// -----------------------------------------------------------------------------

/** The sessions that the log lists, by id. */
class Listed {
  readonly #facts = new Map<Json, JsonObject>()

  add(fact: JsonObject): void {
    const id = fact["childId"] ?? null
    if (this.#facts.has(id)) refuse(`the session ${JSON.stringify(id)} is listed twice in subagent/catalog.`)
    this.#facts.set(id, fact)
  }

  /** Those that a session took over from the one it was seeded with are not its own. */
  clear(): void {
    this.#facts.clear()
  }

  /** Whether a child is listed, and as what it is. */
  has(child: Child): boolean {
    const fact = this.#facts.get(child.id)
    if (fact === undefined) return false
    const same = (key: string, value: Json | undefined): boolean => fact[key] === value
    const agrees =
      same("childCreatedAt", child.createdAt) &&
      (child.mode === "unknown" || (same("mode", child.mode) && same("label", child.label)))
    return agrees || refuse(`subagent/catalog lists the session ${JSON.stringify(child.id)} as another than it is.`)
  }
}

const byAge = (a: Child, b: Child): number => a.createdAt - b.createdAt || (a.id < b.id ? -1 : Number(a.id > b.id))

const factOf = ({ createdAt, id, label, mode }: Child): JsonObject => ({
  version: mode === "unknown" ? 1 : 0,
  childId: id,
  childCreatedAt: createdAt,
  mode,
  ...(label === undefined ? undefined : { label })
})

// -----------------------------------------------------------------------------
// the edge
// -----------------------------------------------------------------------------

/** The edge from format 3 to 4. */
export const v3ToV4 = edge.make({
  from: 3,
  to: 4,
  header: edge.admitSeeded,
  open: ({ children, header, note }) => {
    const seqs = new SeqMap()
    const turns = new Restart()
    const seed = new edge.SeedEnd(header)
    const listed = new Listed()
    let next = 0
    let time = header["createdAt"]
    const at = (it: Json | undefined): JsonObject => (it === undefined ? {} : { time: it })

    const close = (turn: number, event: PlainEvent): PlainEvent => {
      note("inserted", "turn/end: of a turn that the end of the process interrupted")
      const data = { turn, reason: { kind: "interrupted" } }
      return { type: "turn/end", seq: next++, ...at(event["time"]), data }
    }

    return {
      push: (event) => {
        const interrupted = turns.observe(event)
        const before = interrupted === undefined ? [] : [close(interrupted, event)]
        if (seed.observe(event)) listed.clear()
        if (event.type === "subagent/catalog") listed.add(objectOf(event.data, "data"))
        refuseDeferred(event)
        const moved = remap(event, version, edge.locate(seqs, event.type, note))
        const seq = next++
        seqs.keep(seq)
        time = event["time"]
        const lifted = liftResult({ ...moved, seq }, note)
        return [...before, mapMessages(lifted, (message) => renameBlocks(renameSource(message, note), note))]
      },
      finish: () => {
        seed.finish()
        return children
          .toSorted(byAge)
          .filter((child) => !listed.has(child))
          .map((child) => {
            note("inserted", "subagent/catalog: a session that this one started")
            return { type: "subagent/catalog", seq: next++, ...at(time), data: factOf(child) }
          })
      }
    }
  }
})
