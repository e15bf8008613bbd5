/**
 * A message of a session as text: its texts as they are, everything else behind its type.
 *
 * @since 0.1.0
 */
import * as Flag from "effect/cli/Flag"
import { clip } from "../internal/excerpt.ts"
import * as Message from "../session/Message.ts"
import type { Style } from "./Style.ts"
import * as TextLines from "./TextLines.ts"

// -----------------------------------------------------------------------------
// flags
// -----------------------------------------------------------------------------

/** Whether messages are shown whole. */
export const flag = Flag.Boolean("full").pipe(
  Flag.withoutNegation,
  Flag.withDescription("Show all lines of every message"),
  Flag.withDefault(false)
)

/** How many lines a message takes at most. */
export const most = (isFull: boolean): number => (isFull ? Number.MAX_SAFE_INTEGER : 8)

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

interface Options {
  readonly width: number
  readonly style: Style
  /** How many lines a message takes at most. */
  readonly most: number
}

type Content = Message.Message["content"]
type Block = Content[number]

const isText = (value: unknown): value is string => typeof value === "string"

/** What a block other than text says, as far as it is usual; else all of it. */
const said = (block: Block): string => {
  const { arguments: given, name, text }: { readonly [key: string]: unknown } = block
  if (isText(text)) return text
  return isText(name) && isText(given) ? `${name} ${given}` : JSON.stringify({ ...block, type: undefined })
}

const ofBlock = (block: Block): string => (Message.isText(block) ? block.text : `[${block.type}] ${said(block)}`)

/** All that a message says. */
export const ofContent = (content: Content): string => content.map(ofBlock).join("\n")

/** Longer than any terminal is wide. */
const glance = 1_000

/** The first words of a message, on one line. */
export const firstWords = (content: Content): string => clip(ofContent(content), glance).replaceAll(/\s+/gu, " ").trim()

/** A message under its role, shortened. */
export const lines = ({ content, role, source }: Message.Message, options: Options): ReadonlyArray<string> => {
  const { most, style, width } = options
  const head = source.kind === usual[role] ? role : `${role}, ${source.kind}`
  const room = Math.max(2, width - 2)
  return [
    ...TextLines.beginning(head, 1, width).map(style.bold),
    ...TextLines.beginning(ofContent(content), most, room).map((line) => `  ${line}`.trimEnd())
  ]
}

/** Who makes the messages of a role, unless it is said. */
const usual: { readonly [role in Message.Message["role"]]: string } = {
  system: "system-prompt",
  developer: "tool-registry",
  user: "user",
  assistant: "model",
  tool: "tool"
}
