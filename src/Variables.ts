/**
 * A declared set of variables, and text that can refer to no other: a reference to a variable that is not in the set
 * does not compile.
 *
 * The compiler checks what it can see: a literal text, the literal parts of a dynamic one, the references of a
 * `Template`, and each of these as the result of a function. What it cannot see it lets through, and rendering checks
 * it, as it does with every text: a text of type `string`, one that an Effect gives (unless its type is a literal, by
 * `as const`), and one with a thousand references or more, which is beyond the compiler's depth and must be given as a
 * `string` or a `Template`.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { AssembleContext } from "./AssembleContext.ts"
import * as Plugin from "./Plugin.ts"
import type * as PromptContext from "./PromptContext.ts"
import type { Provider } from "./Provider.ts"
import type * as Section from "./Section.ts"
import * as Template from "./Template.ts"
import type * as VariableName from "./VariableName.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * A declared set of variables. `Names` are their names, `R` is what their providers need.
 *
 * @since 0.1.0
 * @category models
 */
export interface Variables<Names extends string, R = never> {
  /**
   * Registers the variables.
   *
   * **Provider's cache**: a new value costs everything after the first section that refers to it; where only contexts
   * do, nothing.
   */
  readonly layer: Plugin.Plugin<never, R>
  /** A reference to one of the variables, for `Template.text`. */
  readonly ref: <const Name extends Names>(name: Name) => Template.Template<Name>
  /**
   * A section whose text refers to these variables only.
   *
   * **Provider's cache**: in the cached prefix; a change costs everything after the first byte that differs.
   */
  readonly section: <const Text extends string = never, const Interpolate extends boolean = true, E = never, S = never>(
    options: Omit<Section.Options, "text" | "interpolate"> & TextOptions<Names, Text, Interpolate, E, S>
  ) => Plugin.Plugin<never, Exclude<S, Scope.Scope>>
  /**
   * A context whose text refers to these variables only.
   *
   * **Provider's cache**: a change costs only the new snapshot.
   */
  readonly context: <const Text extends string = never, const Interpolate extends boolean = true, E = never, S = never>(
    options: Omit<PromptContext.Options, "text" | "interpolate"> & TextOptions<Names, Text, Interpolate, E, S>
  ) => Plugin.Plugin<never, Exclude<S, Scope.Scope>>
}

/**
 * The text of a section or a context, and whether it is interpolated. With `interpolate: false` it is data, and may have
 * any braces.
 *
 * @since 0.1.0
 * @category models
 */
export interface TextOptions<Names extends string, Text extends string, Interpolate extends boolean, E, R> {
  readonly text:
    | Given<Names, Text, Interpolate, E, R>
    | ((context: AssembleContext) => Given<Names, Text, Interpolate, E, R>)
  readonly interpolate?: Interpolate | undefined
}

// One conditional type for all that may be given, a sentence in its false branch: so the compiler infers a union of
// literals as a whole, and says the sentence. Intersecting `Text` with the sentence would make a mute `never` of it.
type Given<Names extends string, Text extends string, Interpolate extends boolean, E, R> = [Interpolate] extends [false]
  ? Text | Effect.Effect<Text, E, R>
  : [Undeclared<Names, Text>] extends [never]
    ? Text | Template.Template<Names> | Effect.Effect<Text | Template.Template<Names>, E, R>
    : Complaint<Undeclared<Names, Text>>

/** What is wrong with what stands in a group and is no declared name, in the words of `UnknownVariable` and `MalformedGroup`. */
type Complaint<Group extends string> =
  Group extends VariableName.Checked<Group>
    ? `unknown prompt variable {{${Group}}}`
    : `malformed group {{${Group}}}: a variable name is ${typeof VariableName.rule}`

/** What stands between double braces in a text and is no declared name: a wrong name, or no name at all. */
type Undeclared<Names extends string, Text extends string> = Exclude<Groups<Text>, Names>

/** What stands in the groups of a text, cut as the scanner of templates cuts it. One with a dynamic part is left out. */
type Groups<Text extends string, Found extends string = never> = Text extends `${string}{{${infer Rest}`
  ? Rest extends `${infer Inside}}}${infer Tail}`
    ? Groups<Tail, IsLiteral<Inside> extends true ? Found | Inside : Found>
    : Found
  : Found

/**
 * A literal makes a property that `{}` lacks; `string`, or a pattern of it, makes an index signature. The property is a
 * `never`, since `{}` is an object too and does have a `constructor`.
 */
type IsLiteral<Text extends string> = {} extends { readonly [K in Text]: never } ? false : true

type AnyProvider = Provider<string | undefined, unknown, unknown>

/** The record itself, with a sentence in place of a provider whose name the compiler can see to be wrong. */
type CheckedNames<Providers> = {
  readonly [K in keyof Providers]: K extends string | number
    ? string extends K
      ? Providers[K]
      : `${K}` extends VariableName.Checked<`${K}`>
        ? Providers[K]
        : VariableName.Checked<`${K}`>
    : Providers[K]
}

/** What registering an Effect, or a function that returns one, needs; a plain value needs nothing. */
type ServicesOf<P> =
  P extends Effect.Effect<unknown, unknown, infer R>
    ? Exclude<R, Scope.Scope>
    : P extends (context: AssembleContext) => infer Result
      ? ServicesOf<Result>
      : never

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * Declares variables: a record of what gives each one its value, `undefined` for one that has none here.
 *
 * **Example**
 *
 * ```ts
 * import { Layer } from "effect"
 * import { Template, Variables } from "effect-preamble"
 *
 * const vars = Variables.define({ model: "deepseek-chat", cwd: ({ scope }) => `/repos/${scope.label}` })
 *
 * const plugin = Layer.mergeAll(
 *   vars.layer,
 *   vars.section({ name: "model", order: 0, text: "You run on {{model}}." }),
 *   vars.context({ name: "place", order: 0, text: Template.text`{{ is literal here. You are in ${vars.ref("cwd")}.` })
 * )
 *
 * // unknown prompt variable {{modle}}
 * // vars.section({ name: "model", order: 0, text: "You run on {{modle}}." })
 * ```
 *
 * **Provider's cache**: nothing by itself; see `layer`, `section` and `context`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const define = <const Providers extends Readonly<Record<string, AnyProvider>> = {}>(
  providers: CheckedNames<Providers>,
  options?: { readonly plugin?: string | undefined }
): Variables<keyof Providers & string, ServicesOf<Providers[keyof Providers]>> => {
  const registered = Object.entries<AnyProvider>(providers).map(([name, value]) =>
    Plugin.variable(name, value, options)
  )
  return {
    // Listing the record forgets which services its providers need.
    layer: Layer.mergeAll(Layer.empty, ...registered) as Plugin.Plugin<never, ServicesOf<Providers[keyof Providers]>>,
    // The record has been checked as far as the compiler sees it; `Template.ref` looks at the rest.
    ref: <const Name extends keyof Providers & string>(name: Name) =>
      Template.ref<Name>(name as VariableName.Checked<Name>),
    section: Plugin.section,
    context: Plugin.context
  }
}
