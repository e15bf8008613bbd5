/**
 * What plugins register, with the values known, and the configured order of tools.
 *
 * @since 0.1.0
 */
import * as Arbitrary from "effect/Arbitrary"
import type * as PromptContext from "../../PromptContext.ts"
import type * as Section from "../../Section.ts"
import type * as Template from "../../Template.ts"
import * as ToolOrder from "../../ToolOrder.ts"
import type * as ToolProvider from "../../ToolProvider.ts"
import type * as ToolSchema from "../../ToolSchema.ts"
import type * as Variable from "../../Variable.ts"
import { absent, type Arb, choose, compact, compacted, list, literal, mostly, seldom } from "../internal/generate.ts"
import * as json from "../internal/json.ts"
import { name, order, plugin, toolName, variableName } from "./names.ts"
import { template, text, value } from "./texts.ts"

interface Body {
  readonly text: Template.Text
  readonly interpolate?: boolean | undefined
}

const body: Arb<Body> = choose<Body>(
  Arbitrary.all({ text }),
  compacted(Arbitrary.all({ text, interpolate: choose<boolean | undefined>(absent, literal(true)) })),
  Arbitrary.all({ text: template }),
  Arbitrary.all({ text, interpolate: literal(false) })
)

const head = compacted(Arbitrary.all({ name, order, plugin }))

/**
 * Sections. One in 16 is complete, and some of the others require tools.
 *
 * @since 0.1.0
 * @category contributions
 */
export const section: Arb<Section.Options> = Arbitrary.map(
  Arbitrary.all([
    head,
    body,
    mostly<readonly string[] | "complete" | undefined>(seldom(4, list(toolName, 2)), 16, literal("complete"))
  ]),
  ([head, body, demands]) => ({
    ...head,
    ...body,
    ...(demands === "complete" ? { complete: true } : demands === undefined ? undefined : { requires: demands })
  })
)

/**
 * Contexts.
 *
 * @since 0.1.0
 * @category contributions
 */
export const context: Arb<PromptContext.Options> = Arbitrary.map(Arbitrary.all([head, body]), ([head, body]) => ({
  ...head,
  ...body
}))

/**
 * Variables. One in four has no value.
 *
 * @since 0.1.0
 * @category contributions
 */
export const variable: Arb<Variable.Options> = Arbitrary.map(
  Arbitrary.all([variableName, mostly<string | undefined>(value, 4, absent), plugin]),
  ([name, value, plugin]) => ({ name, value, ...compact({ plugin }) })
)

/**
 * Parameters of tools: JSON objects in objects, at most four deep, whose keys and values are those that engines and
 * templates stumble over.
 *
 * @since 0.1.0
 * @category contributions
 */
export const parameters: Arb<object> = choose<object>(
  Arbitrary.Constant({}),
  Arbitrary.Constant({ type: "object" }),
  Arbitrary.map(json.object(3), (properties) => ({ type: "object", properties })),
  json.object(4)
)

/**
 * Tools as a host keeps them: some are deferred, and some have fields that no model is shown.
 *
 * @since 0.1.0
 * @category contributions
 */
export const toolSchema: Arb<ToolSchema.Input> = compacted(
  Arbitrary.all({
    name: toolName,
    description: text,
    parameters,
    deferLoading: choose<unknown>(absent, literal<boolean | string>(true, false, "true")),
    timeoutMs: choose<number | undefined>(absent, literal(1, 2))
  })
)

/**
 * Tools that are refused: their name is the rest marker of `toolOrder`, or their parameters are no JSON.
 *
 * @since 0.1.0
 * @category contributions
 */
export const refusedToolSchema: Arb<ToolSchema.Input> = Arbitrary.map(
  Arbitrary.all([toolSchema, literal("name", "parameters")]),
  ([tool, part]) =>
    part === "name" ? { ...tool, name: ToolOrder.restMarker } : { ...tool, parameters: { maximum: Number.NaN } }
)

const providerOf = (tools: Arb<ReadonlyArray<ToolSchema.Input>>): Arb<ToolProvider.Options> =>
  compacted(
    Arbitrary.all({
      name: choose<string | undefined>(absent, literal("fs", "mcp")),
      plugin,
      tools: choose<ToolProvider.Tools>(
        tools,
        compacted(
          Arbitrary.all({
            schemas: tools,
            knownNames: choose<readonly string[] | undefined>(list(toolName, 2), absent)
          })
        )
      )
    })
  )

/**
 * Tool providers of up to three tools. Half of them say which names they know.
 *
 * @since 0.1.0
 * @category contributions
 */
export const toolProvider: Arb<ToolProvider.Options> = providerOf(list(toolSchema, 3))

/**
 * Tool providers whose last tool is refused.
 *
 * @since 0.1.0
 * @category contributions
 */
export const refusedToolProvider: Arb<ToolProvider.Options> = providerOf(
  Arbitrary.map(Arbitrary.all([list(toolSchema, 2), refusedToolSchema]), ([tools, refused]) => [...tools, refused])
)

/**
 * A configured order of tools; most are none. Some list tools that nobody knows, which fails the assembly.
 *
 * @since 0.1.0
 * @category contributions
 */
export const toolOrder: Arb<ReadonlyArray<string> | undefined> = choose<ReadonlyArray<string> | undefined>(
  absent,
  absent,
  absent,
  Arbitrary.map(Arbitrary.all([list(toolName, 3), literal(0, 1, 2, 3)]), ([names, at]) =>
    [...new Set(names)].toSpliced(at, 0, ToolOrder.restMarker)
  )
)
