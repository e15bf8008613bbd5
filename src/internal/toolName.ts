/** The names of tools that all model providers take. */

export const longest = 64

const legal = /^[A-Za-z0-9_-]{1,64}$/

export const isLegal = (name: string): boolean => legal.test(name)
