/**
 * Spans around assembling and rendering, for those who want them: a span costs several times as much as a step in which
 * nothing changes, even where nobody collects it.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Assembly } from "./Assembly.ts"
import type { Rendered } from "./Rendered.ts"
import { SystemPrompt } from "./SystemPrompt.ts"

// -----------------------------------------------------------------------------
// layers
// -----------------------------------------------------------------------------

/**
 * The `SystemPrompt` that it is provided with, with spans. What is registered in one is registered in the other.
 *
 * - `SystemPrompt.assemble`, also inside of `render`: `preamble.scope` (the label), the numbers `preamble.sections`,
 *   `preamble.contexts`, `preamble.tools` and `preamble.variables`, and `preamble.complete`, the name of the section that
 *   is the whole prompt, if one is.
 * - `SystemPrompt.render`: `preamble.prompt.length` and `preamble.snapshot.length`, in UTF-16 units, and
 *   `preamble.unchanged`: whether the very object of an earlier rendering came back, so that no byte is new.
 *
 * No attribute holds text of a prompt. A failure ends the span with its typed error.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<SystemPrompt, never, SystemPrompt> = Layer.effect(
  SystemPrompt,
  Effect.map(SystemPrompt, (prompt) => {
    const seen = new WeakSet<Rendered>()
    const assemble = inSpan("SystemPrompt.assemble", prompt.assemble, ofAssembly)
    const render = Effect.flatMap(assemble, (assembly) => prompt.renderAssembly(assembly))
    return SystemPrompt.of({
      ...prompt,
      assemble,
      render: inSpan("SystemPrompt.render", render, (rendered) => {
        const unchanged = seen.has(rendered)
        seen.add(rendered)
        return ofRendered(rendered, unchanged)
      })
    })
  })
)

type Attributes = Readonly<Record<string, string | number | boolean>>

const inSpan = <A, E>(
  name: string,
  self: Effect.Effect<A, E>,
  attributes: (value: A) => Attributes
): Effect.Effect<A, E> =>
  // The stack trace would be that of this module, and costs more than all the rest.
  Effect.withSpan(
    Effect.tap(self, (value) => Effect.annotateCurrentSpan(attributes(value))),
    name,
    { captureStackTrace: false }
  )

const ofAssembly = (self: Assembly): Attributes => ({
  "preamble.scope": self.scope,
  "preamble.sections": self.sections.length,
  "preamble.contexts": self.contexts.length,
  "preamble.tools": self.tools.length,
  "preamble.variables": self.variables.length,
  ...(self.complete === undefined ? undefined : { "preamble.complete": self.complete })
})

const ofRendered = (self: Rendered, unchanged: boolean): Attributes => ({
  "preamble.prompt.length": self.text.length,
  "preamble.snapshot.length": self.snapshot.length,
  "preamble.unchanged": unchanged
})
