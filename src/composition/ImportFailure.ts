/**
 * Why a module cannot be imported, and where in it. What is thrown says the first; only its stack says the second, if
 * anything does.
 *
 * @since 0.1.0
 */
import { sentence } from "../internal/excerpt.ts"
import { describeCause } from "../Owner.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/** An import that failed: of a file, which has this URL too, by the module with that one. */
interface Import {
  readonly file: string
  readonly url: string
  readonly importer: string
  /** The version of Node, if it is Node that imports. */
  readonly node: string | undefined
}

/** The oldest Node that imports TypeScript as it is, as `package.json` says. */
export const oldestNode = "22.19"

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/** What something thrown says of itself, on one line. */
export const describe = (thrown: unknown): string => describeCause(thrown).split("\n", 1)[0] ?? ""

/** Why a module cannot be imported, and the most exact place that is known. */
export const reasonOf = (thrown: unknown, from: Import): string => {
  const said = describe(thrown)
  if (from.node !== undefined && /^Unknown file extension "\.[cm]?ts"/.test(said)) {
    return `${sentence(said)} This is Node ${from.node}, which imports no TypeScript. Use Node ${oldestNode} or later, or name a JavaScript file.`
  }
  const place = placeIn(thrown, from)
  return place === undefined && said.includes(from.file) ? said : `${said} (${place ?? from.file})`
}

/** Where a stack has the module, or else a file that it imports. Total: what is thrown may be anything. */
const placeIn = (thrown: unknown, { importer, url }: Import): string | undefined => {
  try {
    const stack: unknown = typeof thrown === "object" && thrown !== null ? Reflect.get(thrown, "stack") : undefined
    if (typeof stack !== "string") return undefined
    // Node begins the stack of what it cannot parse with the place.
    const heading = /^((?:file:\/\/|\/|[A-Za-z]:\\).*:\d+)\n/.exec(stack)?.[1]
    if (heading !== undefined) return toPath(heading)
    const frames = stack.split("\n").flatMap(toFrame)
    const frame =
      frames.find(({ file }) => file === url) ??
      frames.find(({ file }) => file !== importer && !file.includes("/node_modules/"))
    return frame === undefined ? undefined : toPath(`${frame.file}${frame.at}`)
  } catch {
    return undefined
  }
}

/**
 * The place in a file that a line of a stack names, if it is a frame. A stack has the message in it, which may be of any
 * length: one expression that looks for the URL too would begin anew at each of them.
 */
const toFrame = (line: string): ReadonlyArray<{ readonly file: string; readonly at: string }> => {
  const start = /^ +at /.test(line) ? line.indexOf("file://") : -1
  const [, file, at] = (start < 0 ? null : /^(\S+?)(:\d+:\d+)\)?$/.exec(line.slice(start))) ?? []
  return file === undefined || at === undefined ? [] : [{ file, at }]
}

const toPath = (place: string): string =>
  place.startsWith("file://") ? decodeURIComponent(new URL(place).pathname).replace(/^\/(?=[A-Za-z]:)/, "") : place
