/** What is asked of laws, and whether it makes sense. */
import { Base64Url } from "effect/encoding"
import * as Result from "effect/Result"
import type { Law, Options } from "../Law.ts"

export const isList = (laws: Law | ReadonlyArray<Law>): laws is ReadonlyArray<Law> => Array.isArray(laws)

export const slug = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/gu, "-")

export const wrongOptions = ({ patience, runs }: Options): string | undefined => {
  for (const [option, value] of Object.entries({ runs, patience })) {
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0)) {
      return `${option} is ${value}, and must be a whole number greater than 0.`
    }
  }
  return undefined
}

export const twins = (laws: ReadonlyArray<Law>): string | undefined => {
  const name = laws.find((law, i) => laws.findIndex((other) => slug(other.name) === slug(law.name)) !== i)?.name
  return name === undefined
    ? undefined
    : `Two of the laws are named ${JSON.stringify(name)}, so that their replay tokens could not be told apart. Check them one by one.`
}

export const newToken = "Check without the replay token to get a new one."

/** The token of `effect/Arbitrary` in ours; none if it is not even shaped like one. */
export const replayOf = (token: string): string | undefined => {
  const text = Result.getOrUndefined(Base64Url.decodeString(token))
  try {
    return text !== undefined && Array.isArray(JSON.parse(text)) ? text : undefined
  } catch {
    return undefined
  }
}
