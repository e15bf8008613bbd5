import { assert, describe, it } from "@effect/vitest"
import { ToolAnswer } from "../../src/ai/index.ts"
import type { Owner } from "../../src/PromptError.ts"
import {
  GuardFailure,
  InvalidToolArguments,
  ToolError,
  ToolFailure,
  ToolNotFound,
  ToolRefused,
  ToolWithoutHandler
} from "../../src/ToolError.ts"

const owner: Owner = { kind: "tool", entry: "read", scope: "secret-scope", plugin: "secret-plugin" }
const guard: Owner = { kind: "guard", entry: "secret-guard", scope: "secret-scope", plugin: "secret-plugin" }
const cause = new Error("secret: postgres://admin:hunter2@db")

/** Each error with what the model is told, and whether the host alone knows the rest. */
const answers: ReadonlyArray<readonly [error: ToolError, text: string, withheld: boolean]> = [
  [
    new ToolNotFound({ tool: "rm", known: ["read"] }),
    'there is no tool "rm". Call one of these by its exact name: read.',
    false
  ],
  [
    new InvalidToolArguments({ ...owner, problems: [{ path: "$.path", reason: "Missing key" }] }),
    'invalid arguments of tool "read": at $.path: Missing key. Call it again with arguments that fit its parameters.',
    false
  ],
  [
    new ToolRefused({ ...guard, tool: "read", reason: "not outside of /home" }),
    'the call of tool "read" was refused: not outside of /home',
    false
  ],
  [
    new ToolFailure({ ...owner, fault: "failed", reason: "failed", cause: new Error("no such file") }),
    'tool "read" failed: no such file.',
    false
  ],
  [
    new ToolFailure({ ...owner, fault: "died", reason: "died", cause }),
    'tool "read" did not work, because of a fault that is not yours.',
    true
  ],
  [
    new ToolFailure({ ...owner, fault: "result", reason: "gave a result that is no plain JSON at $.secret", cause }),
    'tool "read" did not work, because of a fault that is not yours.',
    true
  ],
  [
    new ToolFailure({ ...owner, fault: "arguments", reason: "failed", cause }),
    'tool "read" did not work, because of a fault that is not yours.',
    true
  ],
  [
    new ToolFailure({ ...owner, fault: "failed", reason: "did not work", cause: new Error("no such file") }),
    'tool "read" did not work: no such file.',
    false
  ],
  [
    new ToolWithoutHandler({ ...owner, reason: "secret" }),
    'tool "read" cannot be called here. Go on without it.',
    true
  ],
  [
    new GuardFailure({ ...guard, tool: "read", reason: "failed", cause }),
    'the call of tool "read" was not let through, because of a fault that is not yours.',
    true
  ]
]

describe("text", () => {
  for (const [error, text, withheld] of answers) {
    it(`${error._tag}: ${text}`, () => {
      assert.strictEqual(ToolAnswer.text(error), text)
      assert.strictEqual(ToolAnswer.withholds(error), withheld)
      assert.notMatch(text, /secret|hunter2/u)
      // The host does see it.
      if (withheld) assert.match(error.message, /secret|hunter2/u)
    })
  }

  it("is there for every error of a call", () => {
    const tags = new Set(ToolError.members.map((error) => error.fields._tag.schema.literal))
    assert.deepStrictEqual(new Set(answers.map(([error]) => error._tag)), tags)
  })
})
