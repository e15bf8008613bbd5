/** To what the events of a log refer, by something that no migration changes: when it happened, and what it was. */
import type { Json } from "effect/Schema"
import { isArray, isObject } from "../../../../src/session/format/plain.ts"

type Row = Readonly<Record<string, Json>>

const keys = ["sourceEventSeq", "messageSeqs", "shadowedSeqs"]

const ends = ["start", "end", "startSeq", "endSeq"]

const numbers = (value: Json | undefined): ReadonlyArray<number> =>
  (isArray(value) ? value : [value]).flatMap((it): ReadonlyArray<number> => {
    if (typeof it === "number") return [it]
    if (!isArray(it)) return []
    const [first, last] = it
    return Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => Number(first) + index)
  })

const range = (value: Json | undefined): ReadonlyArray<number> =>
  isObject(value) ? ends.flatMap((key) => numbers(value[key])) : []

/** Prompts are left out: they came with the migration, at the time of others. */
const isPrompt = (row: Row): boolean => row["type"] === "system/message"

/** A goal and its message are of one time; only the message is ever referred to. */
const isNew = (row: Row): boolean => isPrompt(row) || row["type"] === "goal/change"

export const referencesOf = (rows: ReadonlyArray<Row>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const bySeq = new Map(rows.map((row) => [row["seq"], row]))
  const name = (row: Row | undefined): string => `${String(row?.["time"])}`
  const found = new Map<string, ReadonlyArray<string>>()
  for (const row of rows) {
    // The pieces that a message was made of are no events any more.
    if (isNew(row) || row["type"] === "assistant/message" || row["type"] === "acme/note") continue
    const data = isObject(row["data"]) ? row["data"] : {}
    const seqs = [
      ...numbers(row["sourceEventSeqs"]),
      ...range(row["surfaceOp"]),
      ...range(data["shadowedRange"]),
      ...keys.flatMap((key) => numbers(data[key]))
    ]
    if (seqs.length > 0)
      found.set(
        name(row),
        seqs.map((seq) => name(bySeq.get(seq)))
      )
  }
  return found
}
