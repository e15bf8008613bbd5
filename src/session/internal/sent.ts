/** Which messages of a surface a model is sent. */
import type { Message } from "../Message.ts"

/** System, developer and assistant messages without content hold their place and send nothing. */
export const isSent = ({ content, role }: Message): boolean => content.length > 0 || role === "user" || role === "tool"
