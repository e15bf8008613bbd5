/**
 * What the model reads and writes: a message, as plain JSON.
 *
 * A Schema here names the members that this library relies on. All others, such
 * as what a provider needs to go on from a block of reasoning, stay as they are.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { open } from "./internal/open.ts"

// -----------------------------------------------------------------------------
// blocks
// -----------------------------------------------------------------------------

/**
 * A block of text.
 *
 * @since 0.1.0
 * @category models
 */
export const Text = Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })

/**
 * A block of text.
 *
 * @since 0.1.0
 * @category models
 */
export type Text = typeof Text.Type

const defined = Schema.optionalKey(
  Schema.Never.annotate({
    message: "a tool-addition names a tool. Define it in the request/header that headerSeq names."
  })
)

/**
 * Says that a tool is there from now on. Its definition is in the request header that the event names.
 *
 * @since 0.1.0
 * @category models
 */
export const ToolAddition = Schema.Struct({
  type: Schema.Literal("tool-addition"),
  toolName: Schema.NonEmptyString,
  tool: defined,
  description: defined,
  parameters: defined
})

/**
 * Says that a tool is there from now on.
 *
 * @since 0.1.0
 * @category models
 */
export type ToolAddition = typeof ToolAddition.Type

/**
 * Says that a tool is gone.
 *
 * @since 0.1.0
 * @category models
 */
export const ToolRemoval = Schema.Struct({
  type: Schema.Literal("tool-removal"),
  toolName: Schema.NonEmptyString
})

/**
 * Says that a tool is gone.
 *
 * @since 0.1.0
 * @category models
 */
export type ToolRemoval = typeof ToolRemoval.Type

/** The blocks that have a Schema of their own, so that none of them passes as some other block. */
const understood = new Set(["text", "tool-addition", "tool-removal"])

const isToolChange = (type: string): boolean => type === "tool-addition" || type === "tool-removal"

const Other = open({
  type: Schema.NonEmptyString.check(
    Schema.makeFilter((type: string) =>
      isToolChange(type)
        ? "tool changes stand in a developer/message and nowhere else."
        : understood.has(type)
          ? `a block of type ${JSON.stringify(type)} must have a text.`
          : undefined
    )
  )
})

/**
 * A block of content: text, or anything else (reasoning, a tool call, an image), which is kept as it is.
 *
 * @since 0.1.0
 * @category models
 */
export const Block = Schema.Union([Text, Other])

/**
 * A block of content.
 *
 * @since 0.1.0
 * @category models
 */
export type Block = typeof Block.Type

/**
 * A block by which a model calls a tool. Its arguments are JSON, as text. The log keeps it as any other block, so that one
 * of another shape is no call to this library.
 *
 * @since 0.1.0
 * @category models
 */
export const ToolCall = Schema.Struct({
  type: Schema.Literal("tool-call"),
  id: Schema.String,
  name: Schema.String,
  arguments: Schema.String,
  /** Whether the provider runs it: then its result is a block of the same message. */
  providerExecuted: Schema.optionalKey(Schema.Boolean)
})

/**
 * A block by which a model calls a tool.
 *
 * @since 0.1.0
 * @category models
 */
export type ToolCall = typeof ToolCall.Type

const Content = Schema.Array(Block)

// -----------------------------------------------------------------------------
// messages
// -----------------------------------------------------------------------------

/**
 * Who made a message: `user`, `runtime-context`, `compact-checkpoint`, … with whatever that producer says of it.
 *
 * @since 0.1.0
 * @category models
 */
export const Source = open({ kind: Schema.NonEmptyString })

/**
 * Who made a message.
 *
 * @since 0.1.0
 * @category models
 */
export type Source = typeof Source.Type

/**
 * A system prompt. Without content it keeps its place in the history and sends nothing.
 *
 * @since 0.1.0
 * @category models
 */
export const System = Schema.Struct({
  role: Schema.Literal("system"),
  id: Schema.NonEmptyString,
  source: Schema.Struct({ kind: Schema.Literal("system-prompt") }),
  content: Content
})

/**
 * A system prompt.
 *
 * @since 0.1.0
 * @category models
 */
export type System = typeof System.Type

/**
 * What the developer tells the model within the history, such as tools that came and went.
 *
 * @since 0.1.0
 * @category models
 */
export const Developer = Schema.Struct({
  role: Schema.Literal("developer"),
  id: Schema.NonEmptyString,
  source: Source,
  content: Schema.Array(Schema.Union([Text, ToolAddition, ToolRemoval, Other]))
})

/**
 * What the developer tells the model within the history.
 *
 * @since 0.1.0
 * @category models
 */
export type Developer = typeof Developer.Type

/**
 * What a person, or something on their behalf, tells the model.
 *
 * @since 0.1.0
 * @category models
 */
export const User = Schema.Struct({
  role: Schema.Literal("user"),
  id: Schema.NonEmptyString,
  source: Source,
  content: Content
})

/**
 * What a person, or something on their behalf, tells the model.
 *
 * @since 0.1.0
 * @category models
 */
export type User = typeof User.Type

/**
 * What the model said.
 *
 * @since 0.1.0
 * @category models
 */
export const Assistant = Schema.Struct({
  role: Schema.Literal("assistant"),
  id: Schema.NonEmptyString,
  source: Schema.Struct({ kind: Schema.Literal("model"), provider: Schema.String, model: Schema.String }),
  content: Content
})

/**
 * What the model said.
 *
 * @since 0.1.0
 * @category models
 */
export type Assistant = typeof Assistant.Type

/**
 * What a tool gave back for one call.
 *
 * @since 0.1.0
 * @category models
 */
export const Tool = Schema.Struct({
  role: Schema.Literal("tool"),
  id: Schema.NonEmptyString,
  toolCallId: Schema.String,
  source: Schema.Struct({ kind: Schema.Literal("tool"), callId: Schema.String }),
  content: Content,
  isError: Schema.optionalKey(Schema.Boolean)
}).check(
  Schema.makeFilter(({ source, toolCallId }) =>
    source.callId === toolCallId
      ? undefined
      : { path: ["source", "callId"], issue: `expected the toolCallId of the message, ${JSON.stringify(toolCallId)}.` }
  )
)

/**
 * What a tool gave back for one call.
 *
 * @since 0.1.0
 * @category models
 */
export type Tool = typeof Tool.Type

/**
 * Any message.
 *
 * @since 0.1.0
 * @category models
 */
export type Message = System | Developer | User | Assistant | Tool

// -----------------------------------------------------------------------------
// guards
// -----------------------------------------------------------------------------

/**
 * Whether a block is text.
 *
 * @since 0.1.0
 * @category guards
 */
export const isText = (block: { readonly type: string }): block is Text => block.type === "text"

/**
 * Whether a block calls a tool.
 *
 * @since 0.1.0
 * @category guards
 */
export const isToolCall: (block: unknown) => block is ToolCall = Schema.is(ToolCall)

/**
 * Whether a block says that a tool is there.
 *
 * @since 0.1.0
 * @category guards
 */
export const isToolAddition = (block: { readonly type: string }): block is ToolAddition =>
  block.type === "tool-addition"

/**
 * Whether a block says that a tool is gone.
 *
 * @since 0.1.0
 * @category guards
 */
export const isToolRemoval = (block: { readonly type: string }): block is ToolRemoval => block.type === "tool-removal"

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/**
 * The content if it is one text: "" if there is none, `undefined` if it is anything else, which equals no text.
 *
 * @since 0.1.0
 * @category destructors
 */
export const textOf = (self: Message): string | undefined => {
  const [first, ...rest] = self.content
  if (first === undefined) return ""
  return rest.length === 0 && isText(first) ? first.text : undefined
}

/**
 * The calls of an answer that are for us to run, and not for its provider.
 *
 * @since 0.1.0
 * @category destructors
 */
export const calls = ({ content }: Assistant): ReadonlyArray<ToolCall> =>
  content.filter(isToolCall).filter(({ providerExecuted }) => providerExecuted !== true)
