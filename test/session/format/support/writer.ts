/**
 * Writes a story down in any format, as the writers of that format did: an independent account of what a migration has to
 * give, since all formats tell the same story.
 */
import type { Json, JsonObject } from "effect/Schema"
import { isObject } from "../../../../src/session/format/plain.ts"
import type { Step, Story, Style, Turn } from "./story.ts"

/** A message on the surface: what is replaced is named by these. */
interface Node {
  readonly seq: number
  readonly kind: "system" | "user" | "assistant" | "tool"
  readonly data: JsonObject
}

interface Piece {
  readonly time: number
  readonly chunk: JsonObject
}

const prompts = ["Be brief.", "", "Be brief.\n\nAnswer in English.", "  ", "Be thorough. 请用中文回答。"]

const text = (text: string): JsonObject => ({ type: "text", text })

const isDelta = ({ chunk }: Piece): boolean => String(chunk["type"]).endsWith("-delta")

const payload = (chunk: JsonObject): Json => chunk["argumentsDelta"] ?? chunk["text"] ?? ""

/** Neighbouring deltas of one block as one group, all else alone. */
const grouped = (pieces: ReadonlyArray<Piece>): ReadonlyArray<ReadonlyArray<Piece>> => {
  const groups: Array<Array<Piece>> = []
  for (const piece of pieces) {
    const last = groups.at(-1)?.at(-1)
    const joins = last !== undefined && isDelta(piece) && isDelta(last) && last.chunk["index"] === piece.chunk["index"]
    if (joins) groups.at(-1)?.push(piece)
    else groups.push([piece])
  }
  return groups
}

/** What a group is when it is packed: without the names of time and place, which differ between rows and streams. */
const packed = (group: ReadonlyArray<Piece>) => {
  const { chunk, time } = group[0] ?? { chunk: {}, time: 0 }
  const type = String(chunk["type"]).replace("-delta", "-chunks")
  const gaps = group.slice(1).map((piece, index) => piece.time - (group[index]?.time ?? 0))
  const texts = group.map((piece) => payload(piece.chunk))
  const { id, index, name } = chunk
  const call = { ...(id === undefined ? {} : { id }), ...(name === undefined ? {} : { name }) }
  return {
    type,
    time,
    body: { index: index ?? 0, dt: gaps, ...call, [type.startsWith("tool") ? "args" : "texts"]: texts }
  }
}

const stream = (pieces: ReadonlyArray<Piece>): ReadonlyArray<JsonObject> =>
  grouped(pieces).map((group): JsonObject => {
    const [first] = group
    if (first === undefined || !isDelta(first))
      return { type: "chunk", time: first?.time ?? 0, chunk: first?.chunk ?? {} }
    const { body, time, type } = packed(group)
    return { type, time0: time, ...body }
  })

export class Writer {
  readonly #version: number
  readonly #style: Style
  readonly #rows: Array<JsonObject> = []
  #surface: Array<Node> = []
  #seq = 0
  #time = 1_700_000_000_000
  #messages = 0
  #compactions = 0
  #prompt: string | undefined
  #requested = false
  /** Where the end of a seed is to be said by the next event's time. */
  #seedEnds = false
  #seedLength: number | undefined
  #step = { turn: 0, step: 0 }

  constructor(version: number, style: Style) {
    this.#version = version
    this.#style = style
  }

  write(story: Story): ReadonlyArray<string> {
    story.turns.forEach((turn, index) => {
      const interrupted = story.turns[index - 1]?.end === "interrupted" ? index : undefined
      this.#turn(turn, index + 1, interrupted)
      if (index + 1 === story.seed) this.#endSeed()
    })
    if (this.#seedEnds) this.#markSeed(this.#time)
    return [this.#header(story.seed > 0 && story.seed <= story.turns.length), ...this.#rows].map((row) =>
      JSON.stringify(row)
    )
  }

  // what differs by format ------------------------------------------------------------------------

  #header(seeded: boolean): JsonObject {
    const shared = { id: "story", createdAt: 1_700_000_000_000, cwd: "/home/ada", delegationDepth: 0 }
    const seed = seeded ? { seedLength: this.#seedLength ?? 0 } : {}
    const rest = this.#version < 2 ? seed : { isSeeded: seeded }
    return {
      type: "session",
      version: this.#version,
      ...shared,
      ...rest,
      agentPreset: this.#version < 3 ? "code" : "ptc"
    }
  }

  get #old(): boolean {
    return this.#version === 0 && this.#style.legacy
  }

  #tick(by = 10): number {
    this.#time += by
    return this.#time
  }

  #put(type: string, time: number, data: Json, surface: JsonObject = {}): number {
    if (this.#seedEnds) this.#markSeed(time)
    const seq = this.#seq++
    this.#rows.push({ type, ...(this.#style.unnumbered ? {} : { seq }), time, data, ...surface })
    return seq
  }

  #log(type: string, data: Json): number {
    return this.#put(type, this.#tick(), data)
  }

  #endSeed(): void {
    this.#seedLength = this.#seq
    if (this.#style.marks) this.#log("session/end-seed", this.#version < 2 ? {} : { inherited: true })
    else if (this.#version >= 2) this.#seedEnds = true
  }

  #markSeed(time: number): void {
    this.#seedEnds = false
    this.#put("session/end-seed", time, { inherited: true })
  }

  #cites(seqs: ReadonlyArray<number>): Json {
    const dense = seqs.every((seq, index) => index === 0 || seq === (seqs[index - 1] ?? 0) + 1)
    return this.#style.ranges && dense && seqs.length > 1 ? [[seqs[0] ?? 0, seqs.at(-1) ?? 0]] : seqs
  }

  #append(type: string, kind: Node["kind"], data: JsonObject, sources: ReadonlyArray<number> = []): number {
    const cites = sources.length === 0 ? {} : { sourceEventSeqs: this.#cites(sources) }
    const seq = this.#put(type, this.#tick(), data, { ...cites, surfaceOp: "append" })
    this.#surface.push({ seq, kind, data })
    return seq
  }

  #replace(type: string, kind: Node["kind"], time: number, data: JsonObject, removed: ReadonlyArray<Node>): number {
    const seqs = removed.map((node) => node.seq)
    const [start, end] = this.#version < 3 ? ["start", "end"] : ["startSeq", "endSeq"]
    const surfaceOp = { op: "replace", [start ?? ""]: seqs[0] ?? 0, [end ?? ""]: seqs.at(-1) ?? 0 }
    const seq = this.#put(type, time, data, { sourceEventSeqs: this.#cites(seqs), surfaceOp })
    const at = this.#surface.findIndex((node) => node.seq === seqs[0])
    this.#surface = [...this.#surface.slice(0, at), { seq, kind, data }, ...this.#surface.slice(at + removed.length)]
    return seq
  }

  /** Who made a message: a package, and from format 4 on a kind. */
  #source(plugin: string, kind: string, more: JsonObject = {}): JsonObject {
    return this.#version < 4 ? { kind: "plugin", plugin, ...more } : { kind, ...more }
  }

  #user(content: ReadonlyArray<JsonObject>, source: JsonObject): JsonObject {
    const id = `m${this.#messages++}`
    return this.#old ? { content, source } : { role: "user", id, content, source }
  }

  #system(prompt: string, time: number): void {
    const message = {
      role: "system",
      id: `system-${this.#messages}`,
      source: this.#source("@deepseek-ai/dsh-system-prompt", "system-prompt"),
      content: prompt === "" ? [] : [text(prompt)]
    }
    const head = this.#surface.find((node) => node.kind === "system")
    const data = { ...this.#step, message }
    this.#prompt = prompt
    if (head !== undefined) this.#replace("system/message", "system", time, data, [head])
    else {
      const seq = this.#put("system/message", time, data, { surfaceOp: "append" })
      this.#surface.push({ seq, kind: "system", data })
    }
  }

  #result(callId: string, content: ReadonlyArray<JsonObject>, before?: JsonObject): JsonObject {
    const id = before === undefined ? `m${this.#messages++}` : (before["id"] ?? "")
    if (this.#old) return { ...this.#step, callId, content, isError: false, meta: { lines: 1 } }
    const source = { kind: "tool", callId }
    const message =
      this.#version < 4
        ? { role: "user", id, source, content: [{ type: "tool-result", toolCallId: callId, content, isError: false }] }
        : { role: "tool", id, source, toolCallId: callId, content, isError: false }
    return { ...this.#step, message, meta: { lines: 1 } }
  }

  #pieces(pieces: ReadonlyArray<Piece>): ReadonlyArray<number> {
    const seqs: Array<number> = []
    for (const group of grouped(pieces)) {
      const [first] = group
      if (this.#style.packs && first !== undefined && isDelta(first)) {
        const { body, time, type } = packed(group)
        if (this.#seedEnds) this.#markSeed(time)
        const place = this.#style.unnumbered ? {} : { seq0: this.#seq }
        this.#rows.push({ type, ...place, time0: time, data: { ...this.#step, ...body } })
        for (const _ of group) seqs.push(this.#seq++)
      } else {
        for (const { chunk, time } of group) seqs.push(this.#put("assistant/chunk", time, { ...this.#step, chunk }))
      }
    }
    return seqs
  }

  // what happens ----------------------------------------------------------------------------------

  #turn({ end, steers, steps }: Turn, turn: number, interrupted: number | undefined): void {
    const waiting = { role: "user", id: `w${turn}`, content: [text("next")], source: { kind: "user" } }
    this.#log("agent/inbox/spliced", { target: "next-turn", start: 0, inserted: [waiting] })
    const time = this.#tick()
    if (interrupted !== undefined && this.#version === 4) {
      this.#put("turn/end", time, { turn: interrupted, reason: { kind: "interrupted" } })
    }
    this.#put("turn/start", time, this.#old ? { turn, trigger: { kind: "user" } } : { turn })
    this.#log("agent/inbox/spliced", { target: "next-turn", start: 0, removedCount: 1, inserted: [] })
    steps.forEach((step, index) => this.#stepOf(step, turn, index + 1, steers))
    if (end !== "interrupted") this.#log("turn/end", { turn, reason: this.#reason(end) })
  }

  #reason(end: Exclude<Turn["end"], "interrupted">): JsonObject {
    const { legacy } = this.#style
    if (end === "completed") return { kind: "completed" }
    if (end === "aborted")
      return this.#old ? { kind: "aborted" } : { kind: "aborted", reason: { kind: legacy ? "legacy" : "user" } }
    if (this.#old) return { kind: "error", step: 1, message: "The line is dead." }
    return { kind: "error", error: { message: "The line is dead.", code: "UNKNOWN" } }
  }

  #stepOf(it: Step, turn: number, step: number, steers: boolean): void {
    this.#step = { turn, step }
    const time = this.#tick()
    this.#put("step/start", time, { ...this.#step })
    if (this.#version >= 3 && this.#prompt === undefined) this.#system("", time)
    const users = Array.from({ length: it.users }, (_, index) =>
      this.#says(`Question ${turn}.${step}.${index}`, steers)
    )
    if (it.goals) this.#goal()
    if (it.codes) this.#code()
    if (it.titles) this.#log("session/title", { title: "A title", messageSeqs: users, source: { kind: "fallback" } })
    if (it.prompt >= 0) this.#requests(prompts[it.prompt] ?? "")
    for (let failure = 0; failure < it.failures; failure++) this.#fails(failure)
    const calls = it.answers ? this.#answers(it) : []
    for (const call of calls) this.#calls(call)
    if (it.unknown) this.#log("acme/note", { seq: 3, sourceEventSeq: 1, messageSeqs: [0, 2] })
    const command = users[0]
    if (it.commands && command !== undefined) this.#log("command/done", { command: "look", sourceEventSeq: command })
    this.#log("step/end", { ...this.#step })
    if (it.prunes) this.#prunes()
    this.#compacts(it.compacts)
  }

  #says(question: string, steers: boolean): number {
    const message = this.#user([text(question)], { kind: "user" })
    return this.#old && steers
      ? this.#append("steering/message", "user", { turn: this.#step.turn, ...message })
      : this.#append("user/message", "user", message)
  }

  #goal(): void {
    const change = { goal: "Ship it" }
    if (this.#version >= 2) this.#put("goal/change", this.#tick(10), change)
    else this.#tick(10)
    // The message and the change came at one time.
    this.#time -= 10
    const source = this.#version < 2 ? { kind: "goal", change } : this.#source("goal", "goal")
    this.#append("user/message", "user", this.#user([text("The goal is to ship it.")], source))
  }

  #code(): void {
    const type = this.#version < 3 ? "tool/code-dispatch" : "tool/ptc-dispatch"
    this.#log(type, { callId: "c", content: [text("ran")] })
    this.#log("agent-preset/selected", { agentPreset: this.#version < 3 ? "code" : "ptc" })
    const source = this.#source(this.#version < 3 ? "tools-code-mode" : "tools-ptc", "ptc-mode")
    this.#append("user/message", "user", this.#user([text("Code ran.")], source))
  }

  #requests(prompt: string): void {
    const time = this.#tick()
    if (this.#version >= 3 && prompt !== this.#prompt) this.#system(prompt, time)
    this.#prompt = prompt
    const old = { ...(prompt === "" ? {} : { system: prompt }), tools: [], adapterDefaults: {} }
    const header = { config: { provider: "p", model: "m" }, ...(this.#version < 3 ? old : {}) }
    this.#put("request/header", time, {
      header: this.#old ? { ...header, messagePrefix: [] } : header,
      reason: this.#requested ? "change" : "initial"
    })
    this.#requested = true
  }

  #deltas(index: number, kind: string, texts: ReadonlyArray<string>, more: JsonObject = {}): ReadonlyArray<Piece> {
    const key = kind === "tool-call" ? "argumentsDelta" : "text"
    return texts.map((it) => ({ time: this.#tick(3), chunk: { type: `${kind}-delta`, index, ...more, [key]: it } }))
  }

  #fails(failure: number): void {
    const pieces: Array<Piece> = [...this.#deltas(0, "text", ["Wel", "l"])]
    pieces.push({ time: this.#tick(3), chunk: { type: "finish", reason: { kind: "error" } } })
    if (this.#version < 2) this.#pieces(pieces)
    else this.#put("assistant/attempt", pieces.at(-1)?.time ?? 0, { ...this.#step, stream: stream(pieces) })
    const chain = { ...this.#step, provider: "p", policyKey: "k" }
    this.#log(
      "llm/retry",
      this.#old ? { ...chain, retry: failure } : { retryId: `r${this.#step.turn}`, ...chain, retry: failure }
    )
  }

  /** An answer, and the calls in it. */
  #answers({ pieces, tools }: Step): ReadonlyArray<string> {
    const calls = Array.from({ length: tools }, (_, index) => `call-${this.#messages}-${index}`)
    const words = Array.from({ length: pieces }, (_, index) => `word${index} `)
    const call = (id: string): JsonObject => ({ type: "tool-call", id, name: "read", arguments: "{}" })
    const came: Array<Piece> = [
      { time: this.#tick(3), chunk: { type: "block-start", index: 0, blockType: "text" } },
      ...this.#deltas(0, "text", words),
      ...calls.flatMap((id, index) => this.#deltas(index + 1, "tool-call", ["{", "}"], { id, name: "read" })),
      { time: this.#tick(3), chunk: { type: "finish", reason: { kind: "stop" } } }
    ]
    const content = [text(words.join("")), ...calls.map(call)]
    const source = { provider: "p", model: "m" }
    const id = `m${this.#messages++}`
    const sources = this.#version < 2 ? this.#pieces(came) : []
    const message = { role: "assistant", id, content, source: { kind: "model", ...source } }
    const data = this.#old ? { ...this.#step, content, provenance: source } : { ...this.#step, message }
    this.#append(
      "assistant/message",
      "assistant",
      this.#version < 2 ? data : { ...data, stream: stream(came) },
      sources
    )
    return calls
  }

  #calls(callId: string): void {
    const seq = this.#log("tool/call", { ...this.#step, callId, name: "read", arguments: "{}" })
    this.#append("tool/result", "tool", this.#result(callId, [text(`A long result of ${callId}.`)]), [seq])
  }

  #prunes(): void {
    const node = this.#surface.findLast((node) => node.kind === "tool")
    if (node === undefined) return
    const { message } = node.data
    const before = isObject(message) ? message : node.data
    const source = isObject(before["source"]) ? before["source"] : before
    const callId = String(source["callId"])
    const [turn, step] = [Number(node.data["turn"]), Number(node.data["step"])]
    const now = this.#step
    this.#step = { turn, step }
    this.#replace("tool/result", "tool", this.#tick(), this.#result(callId, [text("…")], before), [node])
    this.#step = now
  }

  #compacts(most: number): void {
    const removed = this.#surface.filter((node) => node.kind !== "system").slice(0, most)
    if (removed.length < 2) return
    const seqs = removed.map((node) => node.seq)
    const compactionId = `c${this.#compactions++}`
    const id = this.#old ? {} : { compactionId }
    const name = this.#old ? "compact" : "compaction"
    this.#log(`${name}/start`, { ...id, reason: "long" })
    const shadowedRange = { start: seqs[0] ?? 0, end: seqs.at(-1) ?? 0 }
    this.#log(`${name}/summary`, { ...id, shadowedRange, shadowedSeqs: seqs, summary: [text("Short.")] })
    const source = this.#source("compact", "compact-checkpoint", id)
    this.#replace("user/message", "user", this.#tick(), this.#user([text("Short.")], source), removed)
    this.#log(`${name}/end`, { ...id })
  }
}

/** The lines of a log in this format that tells this story. */
export const write = (version: number, style: Style, story: Story): ReadonlyArray<string> =>
  new Writer(version, style).write(story)
