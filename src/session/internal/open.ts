/** Objects with more members than this library names. */
import * as Schema from "effect/Schema"

/** These members, and any others. Whether those are plain JSON is seen when the whole is taken in. */
export const open = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.StructWithRest(Schema.Struct(fields), [Schema.Record(Schema.String, Schema.Unknown)])
