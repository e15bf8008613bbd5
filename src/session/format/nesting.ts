/** How deep a text of JSON is nested, without reading it: what is too deep overflows the stack of whoever does. */

/** No event may be deeper. */
export const deepest = 500

/** The end of a string that begins at `start`, or of the text if it has none. */
const endOfString = (text: string, start: number): number => {
  let end = text.indexOf('"', start + 1)
  for (; end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text[end - 1 - slashes] === "\\") slashes++
    if (slashes % 2 === 0) return end
  }
  return text.length
}

/** Whether a text opens more than `deepest` brackets and braces in one another. What is no JSON is deep or not. */
export const isDeep = (text: string): boolean => {
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    switch (text[i]) {
      case '"':
        i = endOfString(text, i)
        break
      case "[":
      case "{":
        if (++depth > deepest) return true
        break
      case "]":
      case "}":
        depth--
        break
    }
  }
  return false
}
