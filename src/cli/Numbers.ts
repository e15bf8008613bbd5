/**
 * Numbers for people.
 *
 * @since 0.1.0
 */
const format = new Intl.NumberFormat("en")

/** `1,234`. */
export const grouped = (value: number): string => format.format(value)

/** `1 tool`, `1,234 tools`. */
export const count = (value: number, noun: string): string => `${grouped(value)} ${noun}${value === 1 ? "" : "s"}`

/** A share from 0 to 1. Only nothing is `0%`, and only the whole is `100%`. */
export const percent = (share: number): string =>
  share === 0 ? "0%" : share < 0.01 ? "<1%" : `${Math.min(Math.round(share * 100), share < 1 ? 99 : 100)}%`
