/**
 * The laws of a `Renderer`: the same assembly gives the same text, whatever was rendered before, and the same object
 * while nothing changes; its parts add up; and it is as strict as `Rendered.render`.
 *
 * @since 0.1.0
 */
import * as Arbitrary from "effect/Arbitrary"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { Assembly } from "../Assembly.ts"
import * as PromptContext from "../PromptContext.ts"
import type { RenderError } from "../PromptError.ts"
import * as Rendered from "../Rendered.ts"
import { Renderer } from "../Renderer.ts"
import { assemblyOf, contents, showContents } from "./internal/contents.ts"
import { list, literal } from "./internal/generate.ts"
import { at, start } from "./internal/moment.ts"
import { showCause } from "./internal/show.ts"
import * as subjects from "./internal/subject.ts"
import { broken, notJudged } from "./internal/verdict.ts"
import { type Broken, type Law, make } from "./Law.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * What a renderer may do although the usual one does not.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** It puts other things between the parts than a blank line, or around them; the snapshot may have another heading. */
  readonly ownLayout?: boolean | undefined
  /** It may render what `Rendered.render` refuses, or refuse what that renders. */
  readonly ownStrictness?: boolean | undefined
}

/**
 * Makes a law, or several, of a renderer whose services are provided.
 *
 * @since 0.1.0
 * @category models
 */
export type Of<A> = (renderer: Layer.Layer<Renderer, unknown>, options?: Options) => A

// -----------------------------------------------------------------------------
// rendering
// -----------------------------------------------------------------------------

type Outcome = Exit.Exit<Rendered.Rendered, RenderError>
type Render = (assembly: Assembly) => Effect.Effect<Outcome>

const build = (renderer: Layer.Layer<Renderer, unknown>): Effect.Effect<Render, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const { render } = Context.get(yield* subjects.buildAnew(renderer), Renderer)
    return (assembly) => Effect.exit(Effect.suspend(() => render(assembly)))
  })

const quote = (text: string): string => JSON.stringify(text)

/** What two renderings of one assembly disagree in. */
const disagreement = (first: Outcome, second: Outcome): Broken | undefined => {
  if (Exit.isSuccess(first) && Exit.isSuccess(second)) {
    const [was, is] = [first.value, second.value]
    if (was.text !== is.text) return broken(`the text ${quote(was.text)}`, `the text ${quote(is.text)}`)
    return was.snapshot === is.snapshot
      ? undefined
      : broken(`the snapshot ${quote(was.snapshot)}`, `the snapshot ${quote(is.snapshot)}`)
  }
  const [was, is] = [first, second].map((one) => (Exit.isSuccess(one) ? "it rendered" : showCause(one.cause)))
  return was === is ? undefined : broken(String(was), String(is))
}

const renderedNothing = notJudged("the renderer failed in all cases; see the law `strict`")

/** A law of a renderer that is built anew in each case. */
const law = <A>(
  renderer: Layer.Layer<Renderer, unknown>,
  {
    name,
    cases,
    holds,
    ...about
  }: {
    readonly name: string
    readonly rule: string
    readonly advice: string
    readonly cases: Arbitrary.Arbitrary<A>
    readonly show: (one: A) => object
    readonly holds: (render: Render, one: A) => Effect.Effect<Broken | undefined, unknown, Scope.Scope>
  }
): Law =>
  make({
    ...about,
    name: `renderer: ${name}`,
    cases: subjects.ofLayer("renderer", renderer, cases),
    holds: (one) => Effect.scoped(Effect.flatMap(build(renderer), (render) => holds(render, one)))
  })

// -----------------------------------------------------------------------------
// laws
// -----------------------------------------------------------------------------

/**
 * The same assembly gives the same texts: at any time, whoever builds the renderer, and whatever it has rendered before.
 *
 * @since 0.1.0
 * @category laws
 */
export const sameText: Of<Law> = (renderer) =>
  law(renderer, {
    name: "same assembly, same text",
    rule: "An assembly renders to the same texts at any time and in any renderer, whatever was rendered before.",
    advice:
      "Let the texts follow from the assembly alone. If the renderer remembers what it has rendered, let it compare all that matters.",
    cases: Arbitrary.all({ assembly: contents(), before: list(contents(), 2), later: subjects.span }),
    show: ({ assembly, before, later }) => ({
      assembly: showContents(assembly),
      before: before.length === 0 ? undefined : before.map(showContents),
      later
    }),
    holds: Effect.fnUntraced(function* (render, { assembly: parts, before, later }) {
      const assembly = assemblyOf(parts)
      const first = yield* render(assembly).pipe(at(start))
      const then = { later: subjects.millisOf(later), luck: 1 }
      const other = yield* build(renderer).pipe(at(then))
      for (const one of before) yield* other(assemblyOf(one)).pipe(at(then))
      const differs = disagreement(first, yield* other(assembly).pipe(at(then)))
      return differs === undefined && Exit.isFailure(first) ? yield* renderedNothing : differs
    })
  })

/**
 * While nothing changes, the same object comes back: consumers compare by `===`.
 *
 * @since 0.1.0
 * @category laws
 */
export const sameObject: Of<Law> = (renderer) =>
  law(renderer, {
    name: "same object while nothing changes",
    rule: "Assemblies that say the same, one after the other, render to the same object.",
    advice:
      "Render over `Renderer.layer`, which remembers what it gave, and remember by its object what you make of it (a WeakMap will do).",
    cases: Arbitrary.all({ assembly: contents(), again: literal("the same assembly", "one that says the same") }),
    show: ({ again, assembly }) => ({ assembly: showContents(assembly), again }),
    holds: Effect.fnUntraced(function* (render, { again, assembly }) {
      const made = assemblyOf(assembly)
      const first = yield* render(made)
      const second = yield* render(again === "the same assembly" ? made : assemblyOf(assembly))
      if (Exit.isFailure(first) || Exit.isFailure(second)) return yield* renderedNothing
      return first.value === second.value
        ? undefined
        : broken("the same object for the second assembly", "another object")
    })
  })

/**
 * Each part stands where it says, one after the other, in the order of the assembly; without `ownLayout`, with a blank
 * line between two of them, and nothing else but the heading of the snapshot.
 *
 * @since 0.1.0
 * @category laws
 */
export const partsAddUp: Of<Law> = (renderer, { ownLayout = false } = {}) =>
  law(renderer, {
    name: "parts add up",
    rule: ownLayout
      ? "Each part stands in the text, or in the snapshot, at its offset; parts keep the order of the assembly."
      : "The text is its parts with a blank line between them, each at its offset; so is the snapshot, under its heading.",
    advice:
      "Move the offsets with what you put around the parts. If the renderer has a layout of its own, say ownLayout: true.",
    cases: contents(),
    show: showContents,
    holds: Effect.fnUntraced(function* (render, parts) {
      const assembly = assemblyOf(parts)
      const outcome = yield* render(assembly)
      if (Exit.isFailure(outcome)) return yield* renderedNothing
      const { contexts, sections, snapshot, text } = outcome.value
      return (
        outOfPlace("section", text, sections, assembly.sections) ??
        outOfPlace("context", snapshot, contexts, assembly.contexts) ??
        (ownLayout ? undefined : otherLayout(outcome.value))
      )
    })
  })

interface Named {
  readonly name: string
}

const outOfPlace = (
  kind: string,
  text: string,
  parts: ReadonlyArray<Rendered.Part<Named>>,
  sources: ReadonlyArray<Named>
): Broken | undefined => {
  let end = 0
  let last = -1
  for (const part of parts) {
    const stands = text.slice(part.offset, part.offset + part.text.length)
    const named = `${kind} ${quote(part.name)}`
    if (stands !== part.text) {
      return broken(`${named} at its offset ${part.offset}: ${quote(part.text)}`, `there stands ${quote(stands)}`)
    }
    if (part.offset < end)
      return broken(`${named} after the one before it`, `it begins at ${part.offset}, before ${end}`)
    const place = sources.findIndex(({ name }) => name === part.name)
    if (place <= last) {
      return broken(
        `the ${kind}s in the order of the assembly`,
        `${named} is ${place === -1 ? "not in it" : "too late"}`
      )
    }
    end = part.offset + part.text.length
    last = place
  }
  return undefined
}

const otherLayout = ({ contexts, sections, snapshot, text }: Rendered.Rendered): Broken | undefined => {
  const joined = (parts: ReadonlyArray<Rendered.Part<unknown>>) =>
    parts.map((part) => part.text).join(Rendered.separator)
  if (text !== joined(sections)) return broken(`the text ${quote(joined(sections))}`, `the text ${quote(text)}`)
  const expected = contexts.length === 0 ? "" : PromptContext.heading + Rendered.separator + joined(contexts)
  return snapshot === expected
    ? undefined
    : broken(`the snapshot ${quote(expected)}`, `the snapshot ${quote(snapshot)}`)
}

/**
 * It fails exactly where `Rendered.render` fails, with the same error.
 *
 * @since 0.1.0
 * @category laws
 */
export const strict: Of<Law> = (renderer) =>
  law(renderer, {
    name: "strict",
    rule: "An assembly renders if `Rendered.render` renders it, and fails with the same error if not.",
    advice:
      "Render the parts with `Rendered.render` or over `Renderer.layer`, and let its failures through: a missing variable must never become an empty text. If the renderer judges by itself, say ownStrictness: true.",
    cases: contents(),
    show: showContents,
    holds: Effect.fnUntraced(function* (render, parts) {
      const assembly = assemblyOf(parts)
      const outcome = yield* render(assembly)
      const usual = Result.match(Rendered.render(assembly), {
        onFailure: (error) => showCause(Cause.fail(error)),
        onSuccess: () => "it rendered"
      })
      const seen = Exit.isSuccess(outcome) ? "it rendered" : showCause(outcome.cause)
      return usual === seen ? undefined : broken(usual, seen)
    })
  })

/**
 * All laws of a renderer that the options do not exempt it from.
 *
 * @since 0.1.0
 * @category laws
 */
export const all: Of<ReadonlyArray<Law>> = (renderer, options = {}) => [
  sameText(renderer, options),
  sameObject(renderer, options),
  partsAddUp(renderer, options),
  ...(options.ownStrictness === true ? [] : [strict(renderer, options)])
]
