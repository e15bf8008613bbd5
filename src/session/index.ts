/**
 * Sessions: the prompt and everything else that the model sees as events of a log, from which every request can be
 * rebuilt.
 *
 * @since 0.1.0
 */
export * as AgentStep from "./AgentStep.ts"
export * as Compaction from "./Compaction.ts"
export * as Event from "./Event.ts"
export * as Message from "./Message.ts"
export * as Position from "./Position.ts"
export * as Request from "./Request.ts"
export * as RequestContext from "./RequestContext.ts"
export * as RequestHeader from "./RequestHeader.ts"
export * as RuntimeContextProjection from "./RuntimeContextProjection.ts"
export * as Session from "./Session.ts"
export * as SessionError from "./SessionError.ts"
export * as SessionHeader from "./SessionHeader.ts"
export * as SessionLog from "./SessionLog.ts"
export * as Surface from "./Surface.ts"
export * as SystemPromptProjection from "./SystemPromptProjection.ts"
export * as ToolChange from "./ToolChange.ts"
export * as FileStore from "./store/FileStore.ts"
export * as MemoryStore from "./store/MemoryStore.ts"
export * as SessionFile from "./store/SessionFile.ts"
export { SessionStore, type SessionWriter } from "./store/SessionStore.ts"
export * as StoreError from "./store/StoreError.ts"
