/** Looks into what a migration gave, or why it gave nothing. */
import { assert } from "@effect/vitest"
import * as Result from "effect/Result"
import type { Json, JsonObject } from "effect/Schema"
import type * as Event from "../../../../src/session/Event.ts"
import { InvalidLog, MigrationFailure } from "../../../../src/session/format/FormatError.ts"
import { isObject } from "../../../../src/session/format/plain.ts"
import { migrate, type Migrated } from "./run.ts"

export const migrated = (lines: ReadonlyArray<string>): Migrated =>
  Result.getOrThrow(migrate(lines, { file: "a.jsonl" }))

export const refused = (lines: ReadonlyArray<string>): MigrationFailure => {
  const before = [...lines]
  const error = Result.getOrThrow(Result.flip(migrate(lines, { file: "a.jsonl" })))
  assert.deepStrictEqual(lines, before)
  assert.instanceOf(error, MigrationFailure)
  assert.include(error.message, "a.jsonl")
  assert.include(error.message, `line ${error.line}`)
  assert.include(error.message, `from format ${error.from} to ${error.to}`)
  return error
}

export const invalid = (lines: ReadonlyArray<string>): InvalidLog => {
  const error = Result.getOrThrow(Result.flip(migrate(lines, { file: "a.jsonl" })))
  assert.instanceOf(error, InvalidLog)
  return error
}

export const typesOf = (events: ReadonlyArray<Event.Event>) => events.map((event) => event.type)

/** As JSON, so that members can be looked at which the types of events do not name. */
export const json = (value: unknown): JsonObject => {
  const copy: Json = JSON.parse(JSON.stringify(value))
  return isObject(copy) ? copy : {}
}

export const at = (value: unknown, ...path: ReadonlyArray<string>): Json | undefined =>
  path.reduce<Json | undefined>((it, key) => (isObject(it) ? it[key] : undefined), json(value))

/** The prompts in the order in which they came into force. */
export const promptsOf = ({ events }: Migrated) =>
  events.filter((event) => event.type === "system/message").map((event) => at(event, "data", "message", "content"))

export const idsOf = ({ events }: Migrated) =>
  events.filter((event) => event.type === "system/message").map((event) => at(event, "data", "message", "id"))

export const only = (events: ReadonlyArray<Event.Event>, type: string): JsonObject =>
  json(events.filter((event) => event.type === type)[0])
