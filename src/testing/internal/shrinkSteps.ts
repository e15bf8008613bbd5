/** Shrinks what programs of all kinds have in common: their steps first to fewer, then to simpler ones. */
import { compact } from "./generate.ts"
import { link, type Step, unlink } from "./references.ts"
import { fields, items, list, never, optional, removals, type Shrinker, towards } from "./shrinking.ts"

/** Who registers something: left out, or as it is. */
export const plugin = optional<string>(never)

/** A scope by its number; the simplest is the global one. */
export const scope = towards(0)

export const toolOrder = optional(list<string>(never))

/** A contribution with simpler options. */
export const withOptions = <A extends { readonly options: unknown }>(
  self: A,
  shrink: Shrinker<A["options"]>
): ReadonlyArray<A> => shrink(self.options).map((options) => ({ ...self, options }))

/** A step of all programs, but for those that look. */
type Change<Contribution> =
  | { readonly _tag: "Open"; readonly label: string; readonly parent: number }
  | { readonly _tag: "Register"; readonly scope: number; readonly contribution: Contribution }
  | { readonly _tag: "Unregister"; readonly registration: number }
  | { readonly _tag: "Close"; readonly scope: number }
  | { readonly _tag: "Rebind"; readonly scope: number; readonly parent: number }

export const changeOf =
  <Contribution>(contribution: Shrinker<Contribution>): Shrinker<Change<Contribution>> =>
  (self) => {
    switch (self._tag) {
      case "Open":
        return fields<typeof self>({ _tag: never, label: towards("agent"), parent: scope })(self)
      case "Register":
        return fields<typeof self>({ _tag: never, scope, contribution })(self)
      case "Rebind":
        return scope(self.parent).map((parent) => ({ ...self, parent }))
      case "Unregister":
      case "Close":
        return []
    }
  }

interface Program<S> {
  readonly toolOrder?: ReadonlyArray<string> | undefined
  readonly steps: ReadonlyArray<S>
}

/** Programs that are simpler than this one, those with fewer steps first. */
export const programOf =
  <S extends Step>(shrink: {
    readonly step: Shrinker<S>
    readonly toolOrder: Shrinker<ReadonlyArray<string> | undefined>
  }): Shrinker<Program<S>> =>
  ({ steps, ...rest }) => {
    const linked = link(steps)
    return [
      ...removals(linked, Math.ceil(linked.length / 2)).map((kept) => ({ ...rest, steps: unlink(kept) })),
      ...shrink.toolOrder(rest.toolOrder).map((toolOrder) => compact({ toolOrder, steps })),
      ...items(shrink.step)(steps).map((steps) => ({ ...rest, steps }))
    ]
  }
