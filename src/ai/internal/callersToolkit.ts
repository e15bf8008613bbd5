/** The tools of an assembly beside those of the caller's own toolkit. */
import type * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { findTools } from "../../internal/findTool.ts"
import { ownerOf } from "../../internal/toolOwner.ts"
import type { ModelStep } from "../ModelStep.ts"
import { ToolNameClash } from "../ToolkitError.ts"

/**
 * A tool that nobody knows at compile time. What its schemas and its handler need, and what it fails with, is in the types of
 * the call that brings it.
 */
export type AnyTool = Tool.Tool<
  string,
  {
    readonly parameters: Schema.Codec<unknown>
    readonly success: Schema.Codec<unknown>
    readonly failure: Schema.Codec<unknown>
    readonly failureMode: Tool.FailureMode
  }
>

export type AnyToolkit = Toolkit.WithHandler<Record<string, AnyTool>>

/** Those of the assembly come first: they are in the prefix that providers cache, whatever toolkit a call brings. */
export const beside = (
  { assembly, toolkit }: ModelStep,
  callers: AnyToolkit | undefined
): Result.Result<AnyToolkit, ToolNameClash> => {
  const ours: AnyToolkit = { tools: toolkit.tools, handle: (name, args) => toolkit.handle(name, args) }
  if (callers === undefined) return Result.succeed(ours)
  for (const name of Object.keys(callers.tools)) {
    const [clashing] = findTools(assembly.tools, name)
    if (clashing !== undefined) return Result.fail(new ToolNameClash({ tool: name, owner: ownerOf(clashing) }))
  }
  return Result.succeed({
    tools: { ...ours.tools, ...callers.tools },
    handle: (name, ...call) => (Object.hasOwn(ours.tools, name) ? ours : callers).handle(name, ...call)
  })
}
