/**
 * The shape of a composition file, as one Schema.
 *
 * It says which keys there are and what may stand under them. What a name or an
 * order may be is for the rules of registration, which the library has already.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as PromptContext from "../PromptContext.ts"
import * as Section from "../Section.ts"
import { restMarker } from "../ToolOrder.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

const FileName = Schema.NonEmptyString.annotate({
  expected: "a file name",
  description: "A path, relative to the folder of the composition file"
})

/** Text that stands in a file of its own. */
const FileReference = Schema.Struct({ file: FileName }).annotate({ expected: "{ file: name }" })

/**
 * Text, written out or in a file of its own.
 *
 * @since 0.1.0
 * @category models
 */
export const Text = Schema.Union([Schema.String, FileReference]).annotate({
  expected: "text or { file: name }",
  description: "Text, or the name of a UTF-8 file that holds it"
})

/**
 * @since 0.1.0
 * @category models
 */
export type Text = typeof Text.Type

const Flag = Schema.Boolean.annotate({ expected: "true or false" })

const Name = Schema.String.annotate({ expected: "a name (text)" })

const orderOf = <const Band extends string>(bands: ReadonlyArray<Band>) =>
  Schema.Union([Schema.Number, Schema.Literals(bands)]).annotate({
    expected: "a number or the name of a band",
    description: "Where it stands: a finite number, lower first, or the name of a band"
  })

type SectionBand = keyof typeof Section.orders
type ContextBand = keyof typeof PromptContext.orders

const isSectionBand = (name: string): name is SectionBand => Object.hasOwn(Section.orders, name)
const isContextBand = (name: string): name is ContextBand => Object.hasOwn(PromptContext.orders, name)

/**
 * A section: ordered text of the prompt.
 *
 * @since 0.1.0
 * @category models
 */
export const SectionEntry = Schema.Struct({
  name: Name,
  order: orderOf(Object.keys(Section.orders).filter(isSectionBand)),
  text: Text,
  complete: Schema.optionalKey(Flag.annotate({ description: "The section is the whole prompt" })),
  interpolate: Schema.optionalKey(Flag.annotate({ description: "false: braces in the text stay as they are" })),
  requires: Schema.optionalKey(
    Schema.Array(Name).annotate({
      expected: "a list of tool names",
      description: "Tools that must all be shown, or the section is left out"
    })
  )
}).annotate({ identifier: "Section", expected: "a section { name, order, text }" })

/**
 * A context: ordered text that is sent after the history.
 *
 * @since 0.1.0
 * @category models
 */
export const ContextEntry = Schema.Struct({
  name: Name,
  order: orderOf(Object.keys(PromptContext.orders).filter(isContextBand)),
  text: Text,
  interpolate: Schema.optionalKey(Flag.annotate({ description: "false: braces in the text stay as they are" }))
}).annotate({ identifier: "Context", expected: "a context { name, order, text }" })

/**
 * A tool written out. What `parameters` may hold is decided by `ToolSchema`.
 *
 * @since 0.1.0
 * @category models
 */
export const ToolEntry = Schema.Struct({
  name: Name,
  description: Schema.String.annotate({ expected: "text" }),
  parameters: Schema.Unknown.annotate({ description: "A JSON Schema" }),
  deferLoading: Schema.optionalKey(Flag.annotate({ description: "Loaded only when it is searched for" }))
}).annotate({ identifier: "Tool", expected: "a tool { name, description, parameters }" })

/**
 * What a tools file holds: one tool or a list.
 *
 * @since 0.1.0
 * @category models
 */
export const ToolsFile = Schema.Union([Schema.Array(ToolEntry), ToolEntry]).annotate({
  expected: "a tool { name, description, parameters } or a list of tools"
})

const Tools = Schema.Array(
  Schema.Union([ToolEntry, FileReference]).annotate({
    expected: "a tool { name, description, parameters } or { file: name }"
  })
).annotate({ expected: "a list of tools", description: "Tools, written out or in JSON files" })

/**
 * A restriction: which of the tools that a scope inherits it shows. What its names may be is decided by `Restriction`.
 *
 * @since 0.1.0
 * @category models
 */
export const RestrictionEntry = Schema.Struct({
  allow: Schema.optionalKey(
    Schema.Array(Name).annotate({
      expected: "a list of tool names",
      description: "Only these of the inherited tools are shown; an empty list hides them all"
    })
  ),
  deny: Schema.optionalKey(
    Schema.Array(Name).annotate({
      expected: "a list of tool names",
      description: "These of the inherited tools are hidden"
    })
  )
}).annotate({ identifier: "Restriction", expected: "a map with allow or deny" })

/**
 * @since 0.1.0
 * @category models
 */
export type Restriction = typeof RestrictionEntry.Type

/**
 * A variable's value: text, nothing (`null`), or what an environment variable holds.
 *
 * @since 0.1.0
 * @category models
 */
export const VariableValue = Schema.Union([
  Schema.String,
  Schema.Null,
  Schema.Struct({ env: Schema.NonEmptyString.annotate({ expected: "the name of an environment variable" }) }).annotate({
    expected: "{ env: NAME }"
  })
]).annotate({ expected: "text, null or { env: NAME }" })

/**
 * @since 0.1.0
 * @category models
 */
export type VariableValue = typeof VariableValue.Type

const Persona = Schema.Struct({ prefix: Schema.optionalKey(Text), suffix: Schema.optionalKey(Text) }).annotate({
  expected: "a map { prefix: text, suffix: text } or one of the two",
  description: "Who the agent is: text at the beginning and the end of the prompt"
})

/**
 * Says that a warning of `check` is meant to be: of the whole file, or of what `at` names.
 *
 * @since 0.1.0
 * @category models
 */
export const SilenceEntry = Schema.Struct({
  warning: Schema.NonEmptyString.annotate({ expected: "the code of a warning" }),
  at: Schema.optionalKey(
    Schema.NonEmptyString.annotate({
      expected: "a path such as sections[0], or a name",
      description:
        "What it is about: a path in this file, or the name of an entry or a tool. All of the file if not given"
    })
  ),
  reason: Schema.String.check(Schema.isPattern(/\S/u)).annotate({
    expected: "text that says why the warning does not matter",
    description: "Why the warning does not matter here"
  })
}).annotate({ identifier: "Silence", expected: "a map { warning, at, reason }" })

/**
 * @since 0.1.0
 * @category models
 */
export type Silence = typeof SilenceEntry.Type

const contents = {
  persona: Schema.optionalKey(Persona),
  variables: Schema.optionalKey(
    Schema.Record(Schema.String, VariableValue).annotate({
      expected: "a map from names to values",
      description: "Values for {{name}} in texts"
    })
  ),
  sections: Schema.optionalKey(Schema.Array(SectionEntry).annotate({ expected: "a list of sections" })),
  contexts: Schema.optionalKey(Schema.Array(ContextEntry).annotate({ expected: "a list of contexts" })),
  tools: Schema.optionalKey(Tools),
  suppressRuntimeContext: Schema.optionalKey(
    Flag.annotate({ description: "No contexts for this scope and those below" })
  ),
  plugins: Schema.optionalKey(
    Schema.Array(FileName).annotate({
      expected: "a list of module files",
      description: "Modules whose default export is a plugin, a Layer"
    })
  )
}

/**
 * What one scope contributes.
 *
 * @since 0.1.0
 * @category models
 */
export const ScopeEntry = Schema.Struct({
  parent: Schema.optionalKey(Name.annotate({ description: "The scope it inherits from; global if not given" })),
  restrict: Schema.optionalKey(
    RestrictionEntry.annotate({
      expected: "a map with allow or deny",
      description: "Which of the tools that it inherits the scope shows"
    })
  ),
  ...contents
}).annotate({ identifier: "Scope", expected: "a map of what the scope contributes" })

/**
 * A composition file.
 *
 * @since 0.1.0
 * @category models
 */
export const CompositionFile = Schema.Struct({
  preamble: Schema.optionalKey(
    Schema.Literal(1).annotate({ expected: "the number 1", description: "The version of this format" })
  ),
  identity: Schema.optionalKey(
    Schema.Union([Schema.Boolean, Schema.String]).annotate({
      expected: "text, true or false",
      description: "The first sentence of the prompt; true for a neutral one, false (the default) for none"
    })
  ),
  runtimeContext: Schema.optionalKey(Flag.annotate({ description: "false: no contexts for anyone. Default true" })),
  toolOrder: Schema.optionalKey(
    Schema.Array(Name).annotate({
      expected: `a list of tool names and ${JSON.stringify(restMarker)}`,
      description: 'Names in the order in which tools are sent; "<unlisted-tools>" stands for all others'
    })
  ),
  sortToolKeys: Schema.optionalKey(
    Flag.annotate({ description: "true: the keys in the schemas of all tools are sorted. Default false, as written" })
  ),
  ...contents,
  scopes: Schema.optionalKey(
    Schema.Record(Schema.String, ScopeEntry).annotate({
      expected: "a map from names to scopes",
      description: "Scopes by name, each with what it contributes"
    })
  ),
  scope: Schema.optionalKey(Name.annotate({ description: "The scope that is assembled if none is asked for" })),
  silence: Schema.optionalKey(
    Schema.Array(SilenceEntry).annotate({
      expected: "a list of { warning, at, reason }",
      description: "Warnings of `preamble check` that do not matter here, each with the reason"
    })
  )
}).annotate({
  identifier: "Composition",
  expected: "a map of keys such as sections",
  description: "A system prompt, put together"
})

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/** An order as a number. Only names that the Schema let pass come here. */
export const toOrder = (order: number | SectionBand | ContextBand): number => {
  if (typeof order === "number") return order
  return isSectionBand(order) ? Section.orders[order] : PromptContext.orders[order]
}
