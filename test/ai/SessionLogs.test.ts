/** Logs that other programs wrote, as their requests would be sent now. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { MessagePrompt } from "../../src/ai/index.ts"
import { Message, Request, SessionLog } from "../../src/session/index.ts"
import { own, real } from "../session/format/support/logs.ts"
import { migrate } from "../session/format/support/run.ts"
import { said } from "./scripted.ts"

const textsOf = ({ content }: Message.Message): ReadonlyArray<string> =>
  content.flatMap((block) => (Message.isText(block) ? [block.text] : []))

describe("the requests of a log in any format can be sent, with all that they say", () => {
  for (const [file, lines] of [...own, ...real]) {
    it.effect(file, () =>
      Effect.gen(function* () {
        const { events, header } = yield* Effect.fromResult(migrate(lines, { file }))
        const log = yield* Effect.fromResult(SessionLog.fromEvents(header, events))
        const places = Request.places(log)
        // One of them is no more than its header.
        assert.strictEqual(places.length > 0, log.requestHeader !== undefined)
        for (const seq of places) {
          const { messages } = Option.getOrThrow(Request.rebuild(log, seq))
          const prompt = yield* Effect.fromResult(MessagePrompt.make(messages))
          assert.deepStrictEqual(
            prompt.content.map(({ role }) => role),
            messages.map(({ role }) => (role === "developer" ? "user" : role))
          )
          for (const [i, message] of messages.entries()) {
            const sent = JSON.stringify(said(prompt)[i])
            for (const text of textsOf(message)) assert.include(sent, JSON.stringify(text))
          }
        }
      })
    )
  }
})
