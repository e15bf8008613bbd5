/** Which nodes of a map of `sparse` are looked at: what something costs, without a clock. */
import type * as sparse from "../../../src/session/internal/sparse.ts"

/** An inner node that notes itself when it is looked at, and so on below it; anything else as it is. */
const noted = <A>(value: A, seen: Set<object>): A =>
  typeof value === "object" && value !== null && "slots" in value && Array.isArray(value.slots)
    ? new Proxy(value, {
        get: (target, key) => {
          seen.add(target)
          const property: unknown = Reflect.get(target, key)
          return Array.isArray(property) ? property.map((slot: unknown) => noted(slot, seen)) : property
        }
      })
    : value

/** The same map, which adds to `seen` each of its nodes that is looked at. */
export const noting = <A>(self: sparse.Sparse<A>, seen: Set<object>): sparse.Sparse<A> => ({
  ...self,
  root: noted(self.root, seen)
})
