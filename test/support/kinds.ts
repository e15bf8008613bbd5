/** One contribution of each kind, to show that a rule holds for all of them. */
import type { Effect, Scope } from "effect"
import type { SystemPrompt } from "../../src/index.ts"
import type { Kind, RegistrationError } from "../../src/PromptError.ts"

export interface KindOfContribution {
  readonly kind: Exclude<Kind, "toolOrder">
  /** What errors call it: anonymous ones have no name. */
  readonly entry: string
  readonly register: (prompt: SystemPrompt["Service"]) => Effect.Effect<void, RegistrationError, Scope.Scope>
}

/** Those that have a name, which is unique in an overlay. */
export const named: ReadonlyArray<KindOfContribution> = [
  { kind: "section", entry: "s", register: (prompt) => prompt.section({ name: "s", order: 1, text: "section" }) },
  { kind: "context", entry: "c", register: (prompt) => prompt.context({ name: "c", order: 1, text: "context" }) },
  { kind: "variable", entry: "v", register: (prompt) => prompt.variable("v", "value") },
  { kind: "listener", entry: "l", register: (prompt) => prompt.listener({ name: "l", edit: (assembly) => assembly }) }
]

/** Those that are counted. */
export const counted: ReadonlyArray<KindOfContribution> = [
  {
    kind: "tools",
    entry: "fs",
    register: (prompt) => prompt.tools([{ name: "read", description: "", parameters: {} }], { name: "fs" })
  },
  { kind: "suppressor", entry: "", register: (prompt) => prompt.suppressContexts }
]

/** All six. */
export const kinds: ReadonlyArray<KindOfContribution> = [...named, ...counted]
