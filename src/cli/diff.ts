/**
 * `preamble diff A B`: what changed between two compositions, two scopes of one, or a composition and a rendering that
 * was saved earlier.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Difference from "../Difference.ts"
import { Tokenizer } from "../tokens/Tokenizer.ts"
import * as Report from "./DifferenceReport.ts"
import * as Failure from "./Failure.ts"
import * as Input from "./Input.ts"
import * as Output from "./Output.ts"
import { rendering } from "./render.ts"
import * as SavedRendering from "./SavedRendering.ts"
import * as Style from "./Style.ts"
import * as Target from "./Target.ts"
import * as Tokens from "./Tokens.ts"

// -----------------------------------------------------------------------------
// command
// -----------------------------------------------------------------------------

const ofSide = (side: "was" | "is", name: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("NAME"),
    Flag.withDescription(`The scope of what ${side}; goes over --scope`),
    Flag.optional
  )

/**
 * @since 0.1.0
 * @category commands
 */
export const diff = Command.make(
  "diff",
  {
    a: Argument.String("A").pipe(
      Argument.withDescription("What was: a composition, or what `render --format json` printed; - for standard input")
    ),
    b: Argument.String("B").pipe(
      Argument.withDescription("What is, likewise; not given, A with another scope"),
      Argument.optional
    ),
    scope: Target.scope,
    fromScope: ofSide("was", "from-scope"),
    toScope: ofSide("is", "to-scope"),
    ...Target.settings,
    exitCode: Flag.Boolean("exit-code").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Exit with 1 if the model sees a difference"),
      Flag.withDefault(false)
    ),
    tokenizer: Tokens.flag,
    format: Flag.Literals("format", Failure.Format.literals).pipe(
      Flag.withDescription("text: for people; json: one line"),
      Flag.withDefault("text")
    )
  },
  Effect.fn("preamble.diff")(function* ({ a, b, exitCode, format, fromScope, scope, toScope, tokenizer, ...settings }) {
    const other = Option.getOrUndefined(b)
    if (other === undefined && Option.isNone(fromScope) && Option.isNone(toScope)) {
      return yield* Failure.misuse(
        "diff",
        "With one file, say which scopes to compare: --from-scope, --to-scope or both"
      )
    }
    if (a === "-" && other === "-") {
      return yield* Failure.misuse("diff", "Standard input can be one side only: for two scopes of it, leave out B")
    }
    const from = yield* open(a, settings, format)
    const to = other === undefined ? from : yield* open(other, settings, format)
    const was = yield* from(Option.getOrUndefined(Option.orElse(fromScope, () => scope)))
    const is = yield* to(Option.getOrUndefined(Option.orElse(toScope, () => scope)))
    const before = was(is(undefined))
    const after = is(before)
    const difference = Difference.make(before, after)
    const labels = {
      before: { file: a, scope: before.assembly.scope },
      after: { file: other ?? a, scope: after.assembly.scope }
    }
    yield* Output.stdout(yield* answer(difference, labels, format).pipe(Effect.provide(Tokens.layer(tokenizer))))
    if (exitCode && !Difference.isUnseen(difference)) return yield* new Failure.Verdict({ code: Failure.exit.failed })
  })
).pipe(
  Command.withDescription("Show what changed between two prompts, and what it costs"),
  Command.withExamples([
    { command: "preamble diff old.yaml new.yaml", description: "Compare two compositions" },
    { command: "preamble diff agent.yaml --to-scope reviewer", description: "Compare two scopes of one" },
    {
      command: "preamble diff golden.json agent.yaml --exit-code",
      description: "Compare with what `preamble render agent.yaml --format json > golden.json` saved; for CI"
    }
  ])
)

const answer = Effect.fnUntraced(function* (
  difference: Difference.Difference,
  labels: Difference.Pair<Report.Label>,
  format: Failure.Format
) {
  const tokenizer = yield* Tokenizer
  if (format === "json") return `${JSON.stringify(Report.toJson(difference, labels, tokenizer))}\n`
  return Report.toText(difference, labels, { tokenizer, width: yield* Style.width, style: yield* Style.current })
})

// -----------------------------------------------------------------------------
// sides
// -----------------------------------------------------------------------------

/** A side, once the other one is known: what a saved rendering lacks is taken from there. */
type Known = (other: Difference.Side | undefined) => Difference.Side

/** Reads A or B, and gives what makes a side of it for a scope. */
const open = Effect.fnUntraced(function* (file: string, settings: Target.Settings, format: Failure.Format) {
  const content = yield* Input.read(file)
  if (SavedRendering.isOne(content)) {
    const saved = yield* Effect.fromResult(SavedRendering.parse(file, content))
    const known: Known = (other) => SavedRendering.toSide(saved, other)
    return () => Effect.succeed(known)
  }
  const loaded = yield* Input.loadContent(file, content, { plugins: !settings.noPlugins })
  yield* Target.reportNotMounted(loaded.composition, format)
  return (scope: string | undefined) =>
    Effect.map(
      Target.inside(loaded, { ...settings, scope }, ({ composition }) => rendering(composition)),
      (side): Known =>
        () =>
          side
    )
})
