/** Who keeps a tool from being shown, as a trace tells it. */
import { describeOwner, type Owner, ownerFields } from "../Owner.ts"
import type { Entry } from "../Trace.ts"

/** A listener that removed a tool, a provider that knows it and gives none, or a restriction. */
export type Hider = Omit<Owner, "listener"> & {
  /** Of a restriction: which of its lists does not admit the tool. */
  readonly list?: "allow" | "deny"
}

/** Of the entries of a trace, by the names of the tools that are hidden: each of thousands is one look-up. */
const indices = new WeakMap<ReadonlyArray<Entry>, ReadonlyMap<string, ReadonlyArray<Hider>>>()

/** All that keep the tools of a name from being shown, as far as it can be told. */
export const hidersOf = (entries: ReadonlyArray<Entry>, tool: string): ReadonlyArray<Hider> => {
  let index = indices.get(entries)
  if (index === undefined) indices.set(entries, (index = indexOf(entries)))
  return index.get(tool) ?? []
}

const indexOf = (entries: ReadonlyArray<Entry>): ReadonlyMap<string, ReadonlyArray<Hider>> => {
  const index = new Map<string, Array<Hider>>()
  for (const entry of entries) {
    for (const [tool, hider] of hiddenBy(entry)) {
      const others = index.get(tool)
      if (others === undefined) index.set(tool, [hider])
      else others.push(hider)
    }
  }
  return index
}

const hiddenBy = ({
  fate,
  hidden = [],
  kind,
  name,
  plugin,
  scope
}: Entry): ReadonlyArray<readonly [tool: string, Hider]> => {
  if (kind === "tools") return hidden.map((tool) => [tool, ownerFields({ kind, entry: name, scope, plugin })])
  if (kind !== "tool") return []
  if (fate._tag === "Restricted") {
    return fate.by.map(({ list, ...by }) => [name, { ...ownerFields({ kind: "restriction", entry: "", ...by }), list }])
  }
  if (fate._tag !== "Removed" || fate.by === undefined) return []
  const { name: entry, ...by } = fate.by
  return [[name, ownerFields({ kind: "listener", entry, ...by })]]
}

/** What a hider does to a tool, as a clause: `the restriction of scope "child" denies it`. */
export const describeHider = (self: Hider): string => {
  const who = describeOwner(self)
  switch (self.kind) {
    case "listener":
      return `${who} removed it`
    case "restriction":
      return `the ${who} ${self.list === "deny" ? "denies" : "does not allow"} it`
    default:
      return `${who} knows it and hides it`
  }
}
