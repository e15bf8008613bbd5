/**
 * 2 → 3: the prompt leaves the request headers and becomes a message, the first of the surface.
 *
 * An empty one is appended right after the first step has begun; it is replaced before each header that carried another
 * text. Ends of replacements are called `startSeq` and `endSeq`, headers leave out what is empty, and what was called
 * code mode is called PTC.
 */
import type { Json, JsonObject } from "effect/Schema"
import { sha256 } from "../../../internal/sha256.ts"
import type { Context } from "../Edge.ts"
import { mapMessages, messageOf } from "../messages.ts"
import { isArray, isObject, type PlainEvent, without } from "../plain.ts"
import { refuse } from "../refuse.ts"
import { remap } from "../references.ts"
import { SeqMap } from "../seqMap.ts"
import { isBlock, isSurface } from "../vocabulary.ts"
import * as edge from "./edge.ts"

const version = 2

/** Ids begin so, and then say from what they were made. Other tools that migrate this format give the same. */
const prefix = "v2-to-v3-system-"

// -----------------------------------------------------------------------------
// the prompt
// -----------------------------------------------------------------------------

const refuseUnknownBlocks = (content: Json | undefined): void => {
  if (!isArray(content)) return
  for (const block of content) {
    if (!isObject(block)) continue
    if (!isBlock(block["type"])) {
      refuse(
        `a message has a block of type ${JSON.stringify(block["type"]) ?? "undefined"}, which format 2 does not know.`
      )
    }
    if (block["type"] === "tool-result") refuseUnknownBlocks(block["content"])
  }
}

/** The prompt of a log as it goes on, and its ids. */
class Prompts {
  readonly #session: Json | undefined
  readonly #ids = new Set<Json>()
  readonly #made = new Set<string>()
  #step: { readonly turn: Json; readonly step: Json } | undefined
  /** The number of the message that is the prompt, in format 3. */
  head: number | undefined
  text = ""

  constructor(session: Json | undefined) {
    this.#session = session
  }

  observe({ data, type }: PlainEvent): void {
    if (type === "step/start") {
      const at = isObject(data) ? data : {}
      this.#step = { turn: at["turn"] ?? null, step: at["step"] ?? null }
    } else if (type === "step/end" || type === "turn/end") this.#step = undefined
  }

  /** Only ids that look like ours can be the same as one of ours. */
  admitId(id: Json | undefined): void {
    if (typeof id !== "string" || !id.startsWith(prefix)) return
    if (this.#made.has(id))
      refuse(`the id ${JSON.stringify(id)} of a message is one that the migration made up before.`)
    this.#ids.add(id)
  }

  /** The message that puts a prompt into force. */
  next(text: string, anchor: PlainEvent, seq: number): PlainEvent {
    if (this.#step === undefined) {
      return refuse("its prompt differs from the one before and no step is open in which that could have been said.")
    }
    const id =
      prefix + sha256(JSON.stringify(["session-format-v2-to-v3", this.#session ?? null, anchor.seq, anchor.type]))
    if (this.#ids.has(id)) return refuse(`the id ${JSON.stringify(id)} of an earlier message is the one of its prompt.`)
    this.#made.add(id)
    const op = this.head === undefined ? append : replace(this.head)
    this.head = seq
    this.text = text
    return {
      type: "system/message",
      seq,
      ...(anchor["time"] === undefined ? undefined : { time: anchor["time"] }),
      data: {
        ...this.#step,
        message: {
          role: "system",
          id,
          source: { kind: "plugin", plugin: "@deepseek-ai/dsh-system-prompt" },
          content: text === "" ? [] : [{ type: "text", text }]
        }
      },
      ...op
    }
  }
}

const append = { surfaceOp: "append" }

const replace = (head: number): JsonObject => ({
  sourceEventSeqs: [head],
  surfaceOp: { op: "replace", startSeq: head, endSeq: head }
})

// -----------------------------------------------------------------------------
// shapes
// -----------------------------------------------------------------------------

/** What a header leaves out, from format 3 on, where it is empty. */
const emptied = (header: JsonObject): ReadonlyArray<string> => {
  const { adapterDefaults, tools } = header
  return [
    ...(isArray(tools) && tools.length === 0 ? ["tools"] : []),
    ...(isObject(adapterDefaults) && Object.keys(adapterDefaults).length === 0 ? ["adapterDefaults"] : [])
  ]
}

const slimHeader = (event: PlainEvent, note: Context["note"]): PlainEvent => {
  const data = isObject(event.data) ? event.data : {}
  const header = data["header"]
  if (!isObject(header)) return event
  const gone = [...(Object.hasOwn(header, "system") ? ["system"] : []), ...emptied(header)]
  if (gone.length === 0) return event
  for (const key of gone) note("dropped", `request/header data.header.${key}`)
  return { ...event, data: { ...data, header: without(header, ...gone) } }
}

const renameEnds = (event: PlainEvent, note: Context["note"]): PlainEvent => {
  const { surfaceOp } = event
  if (!isSurface(version, event.type) || !isObject(surfaceOp)) return event
  const { end, start, ...rest } = surfaceOp
  note("renamed", "surfaceOp start/end → startSeq/endSeq")
  return {
    ...event,
    surfaceOp: {
      ...rest,
      ...(start === undefined ? undefined : { startSeq: start }),
      ...(end === undefined ? undefined : { endSeq: end })
    }
  }
}

const newTypes: ReadonlyMap<string, string> = new Map([
  ["tool/code-dispatch", "tool/ptc-dispatch"],
  ["tool/code-dispatch-start", "tool/ptc-dispatch-start"]
])

const renamePreset = (holder: JsonObject): JsonObject =>
  holder["agentPreset"] === "code" ? { ...holder, agentPreset: "ptc" } : holder

const renameSource = (message: JsonObject): JsonObject => {
  const source = message["source"]
  return isObject(source) && source["kind"] === "plugin" && source["plugin"] === "tools-code-mode"
    ? { ...message, source: { ...source, plugin: "tools-ptc" } }
    : message
}

const renameCodeMode = (event: PlainEvent, note: Context["note"]): PlainEvent => {
  const type = newTypes.get(event.type)
  if (type !== undefined) {
    note("renamed", `${event.type} → ${type}`)
    return { ...event, type }
  }
  if (event.type === "agent-preset/selected" && isObject(event.data) && event.data["agentPreset"] === "code") {
    note("renamed", "agent preset code → ptc")
    return { ...event, data: renamePreset(event.data) }
  }
  return mapMessages(event, (message) => {
    const renamed = renameSource(message)
    if (renamed !== message) note("renamed", "source plugin tools-code-mode → tools-ptc")
    return renamed
  })
}

// -----------------------------------------------------------------------------
// the edge
// -----------------------------------------------------------------------------

const promptOf = (event: PlainEvent): string => {
  const header = isObject(event.data) ? event.data["header"] : undefined
  const system = isObject(header) ? header["system"] : undefined
  return typeof system === "string" ? system : ""
}

/** The edge from format 2 to 3. */
export const v2ToV3 = edge.make({
  from: 2,
  to: 3,
  header: (header) => renamePreset(edge.admitSeeded(header)),
  open: ({ header, note }) => {
    const seqs = new SeqMap()
    const prompts = new Prompts(header["id"])
    const seed = new edge.SeedEnd(header)
    let next = 0

    const say = (text: string, anchor: PlainEvent): PlainEvent => {
      note("inserted", prompts.head === undefined ? "system/message: the empty head" : "system/message: another prompt")
      return prompts.next(text, anchor, next++)
    }

    const admit = (event: PlainEvent): void => {
      seed.observe(event)
      mapMessages(event, (message) => {
        prompts.admitId(message["id"])
        return message
      })
      if (!isSurface(version, event.type)) return
      const message = messageOf(event)
      if (isObject(message)) refuseUnknownBlocks(message["content"])
      if (prompts.head === undefined) {
        refuse("it is a message before the first step, where no prompt can stand before it.")
      }
    }

    return {
      push: (event) => {
        admit(event)
        const prompt = event.type === "request/header" ? promptOf(event) : prompts.text
        const before = prompt === prompts.text ? [] : [say(prompt, event)]
        const seq = next++
        const moved = { ...remap(event, version, edge.locate(seqs, event.type, note)), seq }
        seqs.keep(seq)
        const shaped = event.type === "request/header" ? slimHeader(moved, note) : renameEnds(moved, note)
        prompts.observe(event)
        const opens = event.type === "step/start" && prompts.head === undefined
        return [...before, renameCodeMode(shaped, note), ...(opens ? [say("", event)] : [])]
      },
      finish: () => {
        seed.finish()
        return []
      }
    }
  }
})
