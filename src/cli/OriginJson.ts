/** Where a part of an assembly comes from, as JSON. */
import type * as Schema from "effect/Schema"
import type * as Origin from "../Origin.ts"

export const originToJson = ({ listener, plugin, provider, scope }: Origin.Origin): Schema.JsonObject => ({
  scope,
  ...(plugin === undefined ? undefined : { plugin }),
  ...(provider === undefined ? undefined : { provider }),
  ...(listener === undefined ? undefined : { listener: { ...listener } })
})
