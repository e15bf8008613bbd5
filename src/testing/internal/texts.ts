/** What texts are generated from. */
import * as Arbitrary from "effect/Arbitrary"
import * as Template from "../../Template.ts"
import { VariableName } from "../../VariableName.ts"
import { type Arb, choose, list, literal, pieces } from "./generate.ts"

/** The names of variables that texts refer to. */
export const variables = ["a", "b", "c", "constructor", "to_string"]

/** Characters of several units, unpaired ones, and what would do harm in a pattern, in HTML or in a replacement. */
const prose = [
  "x",
  " ",
  "\n",
  "\n\n",
  "é",
  "e\u0301",
  "😀",
  "\ud83d",
  "$&",
  "$1",
  "\\",
  "<b>",
  "&amp;",
  "\u200b",
  "\r\n"
]

export const plain: Arb<string> = pieces(prose, { maxLength: 5 })

export const groupless: Arb<string> = Arbitrary.map(
  pieces([...prose, "{", "}", "}}", "{a", "{ {", "a}}"], { maxLength: 8 }),
  (text) => text.replaceAll(/\{\{+/gu, "{")
)

export const braced: Arb<string> = pieces(
  ["{{", "}}", "{{", "}}", "{", "}", "a", " ", "\n", "{{A}}", "{{a}}", "{{nope}}"],
  { minLength: 2, maxLength: 10 }
)

/** References to these variables, and text between them. */
export const referring = (variables: ReadonlyArray<string>): Arb<string> =>
  pieces([...variables.map((name) => `{{${name}}}`), "x", "\n", "😀", "$&", " { "], { minLength: 1, maxLength: 4 })

/** Parts laid end to end, each literal text or a reference. */
export const joined = (parts: ReadonlyArray<Template.Template>): Template.Template =>
  parts.reduce((all, one) => Template.text`${all}${one}`, Template.verbatim(""))

export const template = (text: Arb<string>, variables: ReadonlyArray<string>): Arb<Template.Template> =>
  Arbitrary.map(
    list(
      choose<Template.Template>(
        Arbitrary.map(text, Template.verbatim),
        Arbitrary.map(literal(...variables), (name) => Template.ref(VariableName.make(name)))
      ),
      4
    ),
    joined
  )
