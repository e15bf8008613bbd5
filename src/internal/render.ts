/** Renders an assembly at the price of what is different from what was rendered before. */
import * as Result from "effect/Result"
import type { AssembledContext, AssembledSection, AssembledVariable, Assembly } from "../Assembly.ts"
import * as Origin from "../Origin.ts"
import * as PromptContext from "../PromptContext.ts"
import { type Kind, type Owner, ownerFields, type RenderError } from "../PromptError.ts"
import type { Part, Rendered } from "../Rendered.ts"
import * as Template from "../Template.ts"
import { byCodeUnits } from "./codeUnits.ts"
import { parse, type Parsed, type Textual } from "./parsed.ts"
import { consistsOf } from "./partList.ts"
import { renderList, type RenderedList, separator } from "./renderList.ts"

/**
 * Renders an assembly. Fails with the leftmost problem of the first section, or context, that has one.
 *
 * Given what was rendered before, it comes back, the same object, if nothing that matters is different: neither a
 * text, nor the value of a variable in use, nor where one of them comes from, nor what a section requires. Parts and
 * lists of an assembly never change: the same object is taken to say the same.
 *
 * @since 0.1.0
 * @category constructors
 */
export const render = (assembly: Assembly, previous?: Rendered): Result.Result<Rendered, RenderError> => {
  // What was made elsewhere, such as an edited copy, may say something else than its parts say; and what was made of
  // something that its author may change says what that said then.
  const from = previous === undefined ? undefined : fromOf(previous)
  const made = from?.isFixed === true ? from : undefined
  const sections = parse(assembly.sections, made?.sections)
  const contexts = parse(assembly.contexts, made?.contexts)
  const used = usedOf(assembly, sections, contexts, made)
  const values = new UsedValues(used.list)
  const changed = made === undefined ? noNames : changedNames(made.used.list, used.list)
  const prompt = renderList(
    { parsed: sections, heading: "", values },
    made && { rendered: made.prompt, parsed: made.sections, changed }
  )
  if (Result.isFailure(prompt)) return problemOf("section", prompt.failure, assembly)
  const snapshot = renderList(
    { parsed: contexts, heading: PromptContext.heading + separator, values },
    made && { rendered: made.snapshot, parsed: made.contexts, changed }
  )
  if (Result.isFailure(snapshot)) return problemOf("context", snapshot.failure, assembly)
  const rendered = new RenderedImpl({
    sections,
    contexts,
    used,
    prompt: prompt.success,
    snapshot: snapshot.success,
    isFixed: sections.isFixed && contexts.isFixed && used.isFixed
  })
  // Where a value is another one, the list of variables differs.
  const isSame = previous !== undefined && changed.length === 0 && equals(previous, rendered)
  return Result.succeed(isSame ? previous : rendered)
}

const problemOf = (kind: Kind, source: Textual, { variables }: Assembly): Result.Result<never, RenderError> =>
  Result.flatMap(Template.render(source.text, valuesOf(variables), owner(kind, source)), (text) => {
    throw new Error(`a text that renders has no problem: ${text}`)
  })

/** Whose fault a problem of a part is. */
export const owner = (kind: Kind, { name, origin: { listener, plugin, scope } }: Textual): Owner =>
  ownerFields({ kind, entry: name, scope, plugin, listener })

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/** What something was rendered from, and to. */
interface From {
  readonly sections: Parsed<AssembledSection>
  readonly contexts: Parsed<AssembledContext>
  readonly used: Used
  readonly prompt: RenderedList<AssembledSection>
  readonly snapshot: RenderedList<AssembledContext>
  /** Whether nothing that it was rendered from can change. */
  readonly isFixed: boolean
}

/** What a rendering was made from, if it was made here. */
let fromOf: (rendered: Rendered) => From | undefined

class RenderedImpl implements Rendered {
  readonly text: string
  readonly sections: ReadonlyArray<Part<AssembledSection>>
  readonly contexts: ReadonlyArray<Part<AssembledContext>>
  readonly snapshot: string
  readonly variables: ReadonlyArray<AssembledVariable>
  readonly #from: From

  static {
    fromOf = (rendered) => (#from in rendered ? rendered.#from : undefined)
  }

  constructor(from: From) {
    this.text = from.prompt.text
    this.sections = from.prompt.parts
    this.contexts = from.snapshot.parts
    this.snapshot = from.snapshot.text
    this.variables = from.used.frozen
    this.#from = from
    Object.freeze(this)
  }
}

// -----------------------------------------------------------------------------
// variables
// -----------------------------------------------------------------------------

// Plain loops: this runs for each step of an agent, and the methods of frozen arrays are slow.

/** The variables of an assembly that some text refers to. */
interface Used {
  /** Not frozen: reading a frozen list takes five times as long. */
  readonly list: ReadonlyArray<AssembledVariable>
  readonly frozen: ReadonlyArray<AssembledVariable>
  /** Their places among all variables of the assembly. */
  readonly places: ReadonlyArray<number>
  /** The names of all. */
  readonly names: ReadonlyArray<string>
  readonly isFixed: boolean
}

const usedOf = (
  { variables }: Assembly,
  sections: Parsed<Textual>,
  contexts: Parsed<Textual>,
  before: From | undefined
): Used => {
  const all = [...variables]
  if (
    before?.sections.places === sections.places &&
    before.contexts.places === contexts.places &&
    haveNames(all, before.used.names)
  ) {
    return again(before.used, all)
  }
  const places: Array<number> = []
  const list: Array<AssembledVariable> = []
  for (let i = 0; i < all.length; i++) {
    const variable = all[i]!
    if (!sections.places.has(variable.name) && !contexts.places.has(variable.name)) continue
    places.push(i)
    list.push(variable)
  }
  const names = all.map(({ name }) => name)
  return { list, frozen: Object.freeze([...list]), places, names, isFixed: list.every(Object.isFrozen) }
}

const haveNames = (variables: ReadonlyArray<AssembledVariable>, names: ReadonlyArray<string>): boolean => {
  if (variables.length !== names.length) return false
  for (let i = 0; i < names.length; i++) if (variables[i]!.name !== names[i]) return false
  return true
}

/** Those at the same places. `before` is fixed. */
const again = (before: Used, all: ReadonlyArray<AssembledVariable>): Used => {
  const { names, places } = before
  const list = [...before.list]
  let same = true
  let isFixed = true
  for (let i = 0; i < places.length; i++) {
    const variable = all[places[i]!]!
    if (variable === list[i]) continue
    list[i] = variable
    same = false
    isFixed &&= Object.isFrozen(variable)
  }
  return same ? before : { list, frozen: Object.freeze([...list]), places, names, isFixed }
}

const noNames: ReadonlyArray<string> = []

/** The variables that have another value now, are new, or are gone. Both lists are sorted by name. */
const changedNames = (
  before: ReadonlyArray<AssembledVariable>,
  now: ReadonlyArray<AssembledVariable>
): ReadonlyArray<string> => {
  if (before === now) return noNames
  const changed: Array<string> = []
  let at = 0
  for (let i = 0; i < now.length; i++) {
    const variable = now[i]!
    let old = before[at]
    while (old !== undefined && old.name !== variable.name && byCodeUnits(old.name, variable.name) < 0) {
      changed.push(old.name)
      old = before[++at]
    }
    if (old?.name !== variable.name) changed.push(variable.name)
    else {
      at++
      if (old !== variable && old.value !== variable.value) changed.push(variable.name)
    }
  }
  while (at < before.length) changed.push(before[at++]!.name)
  return changed
}

/** How many variables are looked through rather than put into a table. */
const few = 8

/** The values of variables by name, of two of one name that of the last; a step asks for a few of them, if for any. */
class UsedValues {
  readonly #variables: ReadonlyArray<AssembledVariable>
  #table: Template.Values | undefined

  constructor(variables: ReadonlyArray<AssembledVariable>) {
    this.#variables = variables
  }

  get(name: string): string | undefined {
    const variables = this.#variables
    if (variables.length > few) return (this.#table ??= valuesOf(variables)).get(name)
    for (let i = variables.length - 1; i >= 0; i--) if (variables[i]!.name === name) return variables[i]!.value
    return undefined
  }
}

/** The values of variables by name. */
export const valuesOf = (variables: ReadonlyArray<AssembledVariable>): Template.Values => {
  const values = new Map<string, string | undefined>()
  for (let i = 0; i < variables.length; i++) values.set(variables[i]!.name, variables[i]!.value)
  return values
}

// -----------------------------------------------------------------------------
// equality
// -----------------------------------------------------------------------------

/** Whether two renderings agree in everything that they say. */
const equals = (a: Rendered, b: Rendered): boolean =>
  a.text === b.text &&
  a.snapshot === b.snapshot &&
  allEqual(a.sections, b.sections, sameSection) &&
  allEqual(a.contexts, b.contexts, samePart) &&
  allEqual(a.variables, b.variables, sameVariable)

const sameVariable = (a: AssembledVariable, b: AssembledVariable): boolean =>
  a.name === b.name && a.value === b.value && Origin.equals(a.origin, b.origin)

const allEqual = <A>(a: ReadonlyArray<A>, b: ReadonlyArray<A>, same: (a: A, b: A) => boolean): boolean =>
  a.length === b.length && a.every((one, i) => same(one, b[i]!))

const sameSection = (a: Part<AssembledSection>, b: Part<AssembledSection>): boolean =>
  a === b || (samePart(a, b) && consistsOf(a.source.requires, b.source.requires))

const samePart = (a: Part<Textual>, b: Part<Textual>): boolean =>
  a === b ||
  (a.name === b.name &&
    a.order === b.order &&
    a.offset === b.offset &&
    a.text === b.text &&
    sameSource(a.source, b.source))

const sameSource = (a: Textual, b: Textual): boolean =>
  a === b || (a.interpolate === b.interpolate && Template.equals(a.text, b.text) && Origin.equals(a.origin, b.origin))
