/** The one order of names: by UTF-16 code units, the same on every machine and in every locale. */
export const byCodeUnits = (a: string, b: string): -1 | 0 | 1 => (a < b ? -1 : a > b ? 1 : 0)
