/**
 * `preamble render FILE`: the exact prompt of a composition.
 *
 * As text, stdout gets the prompt's bytes and not one more. As JSON, one line
 * with the prompt, its parts and a fingerprint.
 *
 * @since 0.1.0
 */
import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type { AssembledContext, AssembledSection, Assembly } from "../Assembly.ts"
import type { Composition } from "../composition/Composition.ts"
import { CompositionScopes, layer } from "../composition/CompositionScopes.ts"
import * as PromptScope from "../PromptScope.ts"
import { type Part, problems, type Rendered } from "../Rendered.ts"
import { SystemPrompt } from "../SystemPrompt.ts"
import * as ToolSchema from "../ToolSchema.ts"
import * as Failure from "./Failure.ts"
import * as Input from "./Input.ts"
import * as Output from "./Output.ts"
import { ProcessEnv } from "./ProcessEnv.ts"

// -----------------------------------------------------------------------------
// command
// -----------------------------------------------------------------------------

const setting = (text: string): Option.Option<readonly [string, string]> => {
  const at = text.indexOf("=")
  return at < 1 ? Option.none() : Option.some([text.slice(0, at), text.slice(at + 1)])
}

/**
 * @since 0.1.0
 * @category commands
 */
export const render = Command.make(
  "render",
  {
    file: Argument.String("FILE").pipe(Argument.withDescription("A composition, YAML or JSON; - for standard input")),
    scope: Flag.String("scope").pipe(
      Flag.withDescription("The scope to render; by default the one that the file names, or global"),
      Flag.optional
    ),
    set: Flag.String("set").pipe(
      Flag.filterMap(setting, () => "NAME=VALUE"),
      Flag.withMetavar("NAME=VALUE"),
      Flag.withDescription("Set a variable, over every value in the file; may be repeated"),
      Flag.atLeast(0)
    ),
    varFile: Flag.String("var-file").pipe(
      Flag.withDescription("Set the variables of a YAML or JSON file, a map of texts; may be repeated"),
      Flag.atLeast(0)
    ),
    format: Flag.Literals("format", Failure.Format.literals).pipe(
      Flag.withDescription("text: exactly the prompt; json: the prompt, its parts and a fingerprint"),
      Flag.withDefault("text")
    ),
    noPlugins: Flag.Boolean("no-plugins").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Fail if the file names plugins, and run no code of theirs"),
      Flag.withDefault(false)
    )
  },
  Effect.fn("preamble.render")(function* ({ file, format, noPlugins, scope, set, varFile }) {
    const { composition, plugins } = yield* Input.load(file, { plugins: !noPlugins })
    yield* reportNotMounted(composition, format)
    const env = yield* ProcessEnv
    const answer = yield* answerFor(composition, { scope: Option.getOrUndefined(scope), set, varFile, format }).pipe(
      Effect.provide(layer(composition, { env, plugins })),
      Effect.scoped,
      Effect.mapError((error) => (error._tag === "Failed" ? error : Failure.locate(composition, [error])))
    )
    yield* Output.stdout(answer)
  })
).pipe(Command.withDescription("Print the system prompt of a composition"))

const answerFor = Effect.fnUntraced(function* (
  composition: Composition,
  options: {
    readonly scope: string | undefined
    readonly set: ReadonlyArray<readonly [string, string]>
    readonly varFile: ReadonlyArray<string>
    readonly format: Failure.Format
  }
) {
  const scopes = yield* CompositionScopes
  const chosen = options.scope === undefined ? scopes.initial : yield* scopes.find(options.scope)
  const overrides = yield* Input.overridesOf(options.varFile, options.set, chosen.label)
  const scope = yield* Input.below(chosen, overrides)
  const prompt = yield* SystemPrompt
  const assembly = yield* PromptScope.provide(scope)(prompt.assemble)
  const rendered = yield* prompt.renderAssembly(assembly).pipe(
    // Rendering stops at the first problem; an author wants to know them all.
    Effect.mapError(() => Failure.locate(composition, problems(assembly)))
  )
  return options.format === "text" ? rendered.text : `${JSON.stringify(toJson(chosen.label, assembly, rendered))}\n`
})

// -----------------------------------------------------------------------------
// answers
// -----------------------------------------------------------------------------

/** The JSON text of the tools, in the order in which they are sent. */
const emitTools = (assembly: Assembly): string =>
  `[${assembly.tools.map((tool) => ToolSchema.emit(tool.schema)).join(",")}]`

/**
 * What a provider's cache sees of a prompt, as one hash: SHA-256 over the UTF-8 bytes of the prompt, a zero byte, and
 * the UTF-8 bytes of the tools as a JSON array without blanks, each as `ToolSchema.emit` gives it. Lower-case hex.
 *
 * @since 0.1.0
 * @category destructors
 */
const fingerprint = (prompt: string, assembly: Assembly): string =>
  createHash("sha256").update(prompt, "utf8").update("\0").update(emitTools(assembly), "utf8").digest("hex")

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

const toJson = (scope: string, assembly: Assembly, rendered: Rendered) => ({
  scope,
  prompt: rendered.text,
  context: rendered.snapshot,
  sections: toParts(assembly.sections, rendered.sections),
  contexts: toParts(assembly.contexts, rendered.contexts),
  tools: assembly.tools.map((tool) => tool.schema),
  variables: Object.fromEntries(assembly.variables.map((variable) => [variable.name, variable.value ?? null])),
  complete: assembly.complete ?? null,
  fingerprint: fingerprint(rendered.text, assembly)
})

/** Rows of a dsh preset that were passed over are no failure, but their text is missing, so they are told. */
const reportNotMounted = (composition: Composition, format: Failure.Format) => {
  const rows = composition.notMounted
  if (rows.length === 0) return Effect.void
  if (format === "json") return Output.stderr(JSON.stringify({ notMounted: rows }))
  const lines = rows.map(({ id, line, plugin, reason }) => {
    const off = reason === "disabled" ? ", disabled" : ""
    return `  line ${line}: ${id === "" ? "" : `${id} `}(${plugin}${off})`
  })
  const count = rows.length === 1 ? "1 row is not mounted; what it" : `${rows.length} rows are not mounted; what they`
  const head = `${composition.file}: ${count} would add is not in this prompt:`
  return Output.stderr([head, ...lines].join("\n"))
}
