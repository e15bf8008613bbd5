/** Whether two tools say the same at a look: parameters that are the same object are not looked into. */
import type * as ToolSchema from "../ToolSchema.ts"

/** Whether nothing that a model sees is different. */
export const saysSame = (input: ToolSchema.Input, schema: ToolSchema.ToolSchema): boolean =>
  input === schema ||
  (input.name === schema.name &&
    input.description === schema.description &&
    input.parameters === schema.parameters &&
    (input.deferLoading === true) === (schema.deferLoading === true))
