/** Looks in a value for something that can still be changed. */

/** The paths of all objects in a value that are not frozen, or whose members give in to an assignment. `skip` is passed over. */
export const changeable = (value: unknown, skip: ReadonlyArray<unknown> = []): ReadonlyArray<string> => {
  const found: Array<string> = []
  const seen = new Set<unknown>(skip)
  const visit = (path: string, at: unknown): void => {
    if (typeof at !== "object" || at === null || seen.has(at)) return
    seen.add(at)
    if (!Object.isFrozen(at) || Reflect.set(at, "added", true)) found.push(path)
    for (const key of Reflect.ownKeys(at)) visit(`${path}.${String(key)}`, Reflect.get(at, key))
  }
  visit("$", value)
  return found
}
