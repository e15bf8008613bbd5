/** JSON as the text that a log keeps where its format has text: the arguments of a call. */

/** What is no JSON (`undefined`) gives what is no text, which the log refuses. */
export const toText = (value: unknown): string => JSON.stringify(value)

/** What a model wrote need not be JSON. Then it is the text that it is. */
export const fromText = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
