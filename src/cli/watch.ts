/**
 * `preamble watch FILE`: renders on each change of the composition or of a file that it refers to, and prints what is
 * different from the last good rendering.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { draft } from "../composition/Composition.ts"
import type { Content } from "../composition/Resources.ts"
import * as Resources from "../composition/Resources.ts"
import * as Difference from "../Difference.ts"
import { byteLength } from "../internal/utf8.ts"
import { wrap } from "../internal/width.ts"
import { Tokenizer } from "../tokens/Tokenizer.ts"
import * as Report from "./DifferenceReport.ts"
import * as Failure from "./Failure.ts"
import * as FileWatcher from "./FileWatcher.ts"
import * as Input from "./Input.ts"
import { grouped } from "./Numbers.ts"
import * as Output from "./Output.ts"
import { rendering } from "./render.ts"
import * as Style from "./Style.ts"
import * as Target from "./Target.ts"
import * as Tokens from "./Tokens.ts"

// -----------------------------------------------------------------------------
// command
// -----------------------------------------------------------------------------

/** Editors write a file in several steps, and a checkout writes several files: so long it must have been quiet. */
const quiet = "100 millis"

/**
 * @since 0.1.0
 * @category commands
 */
export const watch = Command.make(
  "watch",
  {
    file: Argument.String("FILE").pipe(Argument.withDescription("A composition, YAML or JSON")),
    scope: Target.scope,
    ...Target.settings,
    tokenizer: Tokens.flag,
    format: Flag.Literals("format", Failure.Format.literals).pipe(
      Flag.withDescription("text: for people; json: one line for each change"),
      Flag.withDefault("text")
    )
  },
  Effect.fn("preamble.watch")(function* ({ format, scope, tokenizer, ...given }) {
    if (given.file === "-") return yield* Failure.misuse("watch", "Standard input cannot be watched: name a file")
    const target = { ...given, scope: Option.getOrUndefined(scope) }
    const watcher = yield* FileWatcher.make
    const renderAgain = yield* Effect.provide(renderer(target, watcher, format), Tokens.layer(tokenizer))
    yield* renderAgain
    yield* Output.stderr(
      format === "json"
        ? JSON.stringify({ watching: watcher.files() })
        : `Watching ${watcher.files().length === 1 ? "1 file" : `${watcher.files().length} files`}. Ctrl-C ends.`
    )
    yield* Stream.runForEach(Stream.debounce(watcher.signals, quiet), () => renderAgain)
  }, Effect.scoped)
).pipe(
  Command.withDescription("Print what changes, each time a file of a composition does"),
  Command.withExamples([{ command: "preamble watch agent.yaml", description: "Until Ctrl-C" }])
)

/** A file that is empty is most likely being written at this moment, so it is read once more a little later. */
const readWritten = Effect.fnUntraced(function* (file: string) {
  const content = yield* Input.read(file)
  if (!(content instanceof Uint8Array) || content.length > 0) return content
  yield* Effect.sleep(quiet)
  return yield* Input.read(file)
})

// -----------------------------------------------------------------------------
// rendering
// -----------------------------------------------------------------------------

/** Renders, and prints what there is to tell, as often as it is run. */
const renderer = Effect.fnUntraced(function* (
  target: Target.Target,
  watcher: FileWatcher.FileWatcher,
  format: Failure.Format
) {
  const path = yield* Path.Path
  const tokenizer = yield* Tokenizer
  const folder = yield* Input.folderOf(target.file)
  const always = [target.file, ...target.varFile].map((file) => path.resolve(file))
  let references: ReadonlyArray<string> = []
  let plugins: ReadonlyArray<string> = []
  let notMounted = "[]"
  let good: Difference.Side | undefined
  /** What the last attempt failed with, so that it is not told twice. */
  let failed: string | undefined

  /** Files are watched before they are read, so that no change is missed. */
  const read = Effect.gen(function* () {
    const content = yield* readWritten(target.file)
    const named = namesIn(target.file, content)
    // Behind a broken syntax no one knows what the file refers to.
    if (named !== undefined) {
      references = named.references.map((name) => path.resolve(folder, name))
      plugins = named.plugins.map((name) => path.resolve(folder, name))
    }
    yield* Effect.catch(watcher.watch([...always, ...references, ...plugins], folder), (error) =>
      Effect.flatMap(Failure.reportUnwatched(error, format), (code) => Effect.fail(new Failure.Verdict({ code })))
    )
    return content
  })

  const render = Effect.fnUntraced(function* (content: Content) {
    const loaded = yield* Input.loadContent(target.file, content, { plugins: !target.noPlugins })
    const rows = JSON.stringify(loaded.composition.notMounted)
    if (rows !== notMounted) yield* Target.reportNotMounted(loaded.composition, format)
    notMounted = rows
    return yield* Target.inside(loaded, target, ({ composition }) => rendering(composition))
  })

  return Effect.gen(function* () {
    const changed = watcher.changed()
    const content = yield* read
    yield* noteModules(
      changed.filter((file) => plugins.includes(file)),
      format
    )
    const rendered = yield* Effect.result(render(content))
    if (Result.isFailure(rendered)) {
      const said = JSON.stringify(rendered.failure)
      if (said !== failed) yield* Failure.report(rendered.failure, format)
      failed = said
      return
    }
    failed = undefined
    const before = good
    good = rendered.success
    yield* Output.stdout(yield* answer(target.file, before, good, tokenizer, format))
  })
})

/** How large the first rendering is, and of each later one what is different. */
const answer = Effect.fnUntraced(function* (
  file: string,
  before: Difference.Side | undefined,
  after: Difference.Side,
  tokenizer: Tokenizer["Service"],
  format: Failure.Format
) {
  const { scope, tools } = after.assembly
  if (before === undefined) {
    const text = Difference.emitTools(tools) + after.rendered.text
    const count = tokenizer.count(text)
    const size = { bytes: byteLength(text), tokens: count.tokens }
    if (format === "json") return `${JSON.stringify({ event: "rendered", scope, ...size })}\n`
    const said = `${file}, scope ${JSON.stringify(scope)}: prompt and tools have ${grouped(size.bytes)} bytes, ${Tokens.show(count)} tokens`
    return `${wrap(said, yield* Style.width).join("\n")}\n`
  }
  const difference = Difference.make(before, after)
  if (format === "json") {
    const label = { file, scope }
    return `${JSON.stringify({ event: "changed", ...Report.toJson(difference, { before: label, after: label }, tokenizer) })}\n`
  }
  return `\n${Report.toText(difference, undefined, { tokenizer, width: yield* Style.width, style: yield* Style.current })}`
})

/** What a composition refers to, as it writes it. */
const namesIn = (file: string, content: Content) => {
  const drafted = Result.flatMap(Resources.decode(content), (text) => draft(file, text))
  if (Result.isFailure(drafted)) return undefined
  const contents = [drafted.success.global, ...drafted.success.scopes]
  return {
    references: [...Resources.referencesOf(drafted.success)],
    plugins: contents.flatMap((one) => one.plugins.map((plugin) => plugin.value))
  }
}

/** The runtime keeps a module for as long as the process lives. */
const noteModules = (modules: ReadonlyArray<string>, format: Failure.Format) => {
  if (modules.length === 0) return Effect.void
  if (format === "json") return Output.stderr(JSON.stringify({ notReloaded: modules }))
  const lines = modules.map((file) => `note: ${file} changed. Modules are loaded once: start again to see it.`)
  return Output.stderr(lines.join("\n"))
}
