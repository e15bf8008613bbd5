/**
 * `preamble render FILE`: the exact prompt of a composition.
 *
 * As text, stdout gets the prompt's bytes and not one more. As JSON, one line
 * with the prompt, its parts and a fingerprint.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type { AssembledContext, AssembledSection, Assembly } from "../Assembly.ts"
import type { Composition } from "../composition/Composition.ts"
import { problemsOf } from "../composition/RenderProblems.ts"
import { nearest } from "../internal/nearest.ts"
import type { Part, Rendered } from "../Rendered.ts"
import { SystemPrompt } from "../SystemPrompt.ts"
import * as Failure from "./Failure.ts"
import * as Fingerprint from "./Fingerprint.ts"
import type { Override } from "./Input.ts"
import * as Output from "./Output.ts"
import { ProcessEnv } from "./ProcessEnv.ts"
import * as Target from "./Target.ts"

// -----------------------------------------------------------------------------
// command
// -----------------------------------------------------------------------------

/**
 * @since 0.1.0
 * @category commands
 */
export const render = Command.make(
  "render",
  {
    file: Target.file,
    scope: Target.scope,
    ...Target.settings,
    format: Flag.Literals("format", Failure.Format.literals).pipe(
      Flag.withDescription("text: exactly the prompt; json: the prompt, its parts and a fingerprint"),
      Flag.withDefault("text")
    )
  },
  Effect.fn("preamble.render")(function* ({ format, scope, ...target }) {
    const answer = yield* Target.within({ ...target, scope: Option.getOrUndefined(scope) }, format, (world) =>
      answerFor(world, format)
    )
    yield* Output.stdout(answer)
  })
).pipe(
  Command.withDescription("Print the system prompt of a composition"),
  Command.withExamples([
    { command: "preamble render agent.yaml", description: "The prompt, byte for byte" },
    {
      command: "preamble render agent.yaml --scope reviewer --set model=m",
      description: "Of another scope, with another value"
    },
    {
      command: "preamble render agent.yaml --format json | jq .fingerprint",
      description: "What tells whether the provider's cache still fits"
    }
  ])
)

/** Assembles and renders for the scope of the target. */
export const rendering = Effect.fnUntraced(function* (composition: Composition) {
  const prompt = yield* SystemPrompt
  const env = yield* ProcessEnv
  const assembly = yield* prompt.assemble
  const rendered = yield* prompt.renderAssembly(assembly).pipe(
    // Rendering stops at the first problem; an author wants to know them all.
    Effect.mapError(() => Failure.locate(composition, problemsOf(composition, assembly, { env })))
  )
  return { assembly, rendered }
})

const answerFor = Effect.fnUntraced(function* (
  { composition, overrides, scope }: Target.World,
  format: Failure.Format
) {
  const { assembly, rendered } = yield* rendering(composition)
  yield* reportUnused(overrides, rendered, format)
  yield* reportSurrogates(rendered, format)
  return format === "text" ? rendered.text : `${JSON.stringify(toJson(scope, assembly, rendered))}\n`
})

/** A file may leave variables to its host, so an unknown one is no failure; one that nothing refers to is most likely mistyped. */
export const reportUnused = (overrides: ReadonlyArray<Override>, { variables }: Rendered, format: Failure.Format) => {
  const used = variables.map((variable) => variable.name)
  const unused = overrides.map((override) => override.name).filter((name) => !used.includes(name))
  if (unused.length === 0) return Effect.void
  if (format === "json") return Output.stderr(JSON.stringify({ unusedVariables: unused }))
  const lines = unused.map((name) => {
    const near = nearest(name, used)
    return `note: no text refers to {{${name}}}.${near === undefined ? "" : ` Did you mean {{${near}}}?`}`
  })
  return Output.stderr(lines.join("\n"))
}

/** Half of a surrogate pair, which only a plugin or a listener can bring in, has no bytes of its own. */
const reportSurrogates = ({ sections }: Rendered, format: Failure.Format) => {
  const broken = sections.filter((part) => /\p{Cs}/u.test(part.text)).map((part) => part.name)
  if (broken.length === 0) return Effect.void
  if (format === "json") return Output.stderr(JSON.stringify({ loneSurrogates: broken }))
  const names = broken.map((name) => JSON.stringify(name)).join(", ")
  return Output.stderr(`note: lone surrogates in ${names} go out as U+FFFD, since UTF-8 cannot carry them`)
}

// -----------------------------------------------------------------------------
// answers
// -----------------------------------------------------------------------------

/** A part that renders to nothing is not among the rendered ones. */
const toParts = <From extends AssembledSection | AssembledContext>(
  assembled: ReadonlyArray<From>,
  rendered: ReadonlyArray<Part<From>>
) => {
  const texts = new Map<object, string>(rendered.map((part) => [part.source, part.text]))
  return assembled.map((one) => ({
    name: one.name,
    order: one.order,
    scope: one.origin.scope,
    text: String(one.text),
    rendered: texts.get(one) ?? "",
    interpolate: one.interpolate
  }))
}

const toJson = (scope: string, assembly: Assembly, rendered: Rendered) => {
  const tools = assembly.tools.map((tool) => tool.schema)
  return {
    scope,
    prompt: rendered.text,
    context: rendered.snapshot,
    sections: toParts(assembly.sections, rendered.sections),
    contexts: toParts(assembly.contexts, rendered.contexts),
    tools,
    variables: Object.fromEntries(assembly.variables.map((variable) => [variable.name, variable.value ?? null])),
    complete: assembly.complete ?? null,
    fingerprint: Fingerprint.make(rendered.text, tools)
  }
}
