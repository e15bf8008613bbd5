/** JSON with the keys of all objects in order, written apart from the code. Keys like "10" stand where objects have them. */
export const inOrder = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(inOrder)
  const members = Object.entries(value).map(([key, inner]) => [key, inOrder(inner)] as const)
  return Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
