/**
 * The name of a prompt variable: what may stand between `{{` and `}}`.
 *
 * One regular expression decides everywhere, for the registration of variables
 * as for the references in a text. Names are lower-case ASCII on purpose: two
 * spellings never mean the same variable, and no name collides with what
 * templates of other engines write between double braces.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

// The flag `u` changes nothing for ASCII, but without it the pattern would be missing from a JSON Schema.
const pattern = /^[a-z][a-z0-9_]*$/u

/**
 * The naming rule in words, for messages.
 *
 * @since 0.1.0
 * @category models
 */
export const rule = "a–z, then a–z, 0–9, _"

/**
 * A valid variable name.
 *
 * @since 0.1.0
 * @category models
 */
export const VariableName = Schema.String.check(
  Schema.isPattern(pattern, { expected: `a variable name (${rule})` })
).pipe(Schema.brand("VariableName"))

/**
 * The name of a variable.
 *
 * @since 0.1.0
 * @category models
 */
export type VariableName = typeof VariableName.Type

type Letter =
  | ("a" | "b" | "c" | "d" | "e" | "f" | "g" | "h" | "i" | "j" | "k" | "l" | "m")
  | ("n" | "o" | "p" | "q" | "r" | "s" | "t" | "u" | "v" | "w" | "x" | "y" | "z")

type Follower = Letter | "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "_"

type Rest<Name extends string> = Name extends "" ? true : Name extends `${Follower}${infer Tail}` ? Rest<Tail> : false

/**
 * `Name` itself when the compiler can see that it is a valid name, else a sentence that says what is wrong. As the type
 * of a parameter it refuses a bad name and shows the sentence. A name known only at run time passes as a `VariableName`.
 *
 * @since 0.1.0
 * @category models
 */
export type Checked<Name extends string> = Name extends VariableName
  ? Name
  : string extends Name
    ? "a variable name must be a literal, or a VariableName"
    : Name extends `${Letter}${infer Tail}`
      ? Rest<Tail> extends true
        ? Name
        : `not a variable name (${typeof rule}): ${Name}`
      : `not a variable name (${typeof rule}): ${Name}`

// -----------------------------------------------------------------------------
// guards
// -----------------------------------------------------------------------------

/**
 * Whether a value is a valid variable name.
 *
 * @since 0.1.0
 * @category guards
 */
export const isVariableName = (u: unknown): u is VariableName => typeof u === "string" && pattern.test(u)
