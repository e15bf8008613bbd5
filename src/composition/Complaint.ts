/**
 * A problem of a composition before it is shown: its place is an offset into a file.
 *
 * @since 0.1.0
 */
import { byCodeUnits } from "../internal/codeUnits.ts"
import { clipMiddle } from "../internal/excerpt.ts"
import { InvalidComposition, maxProblems, type Problem } from "./InvalidComposition.ts"
import { placeAt, type SourceFile } from "./SourceFile.ts"
import type { Document } from "./Yaml.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/** What the path to a value is made of: keys, and indices from 0. */
export type Path = ReadonlyArray<string | number>

export interface Complaint {
  readonly source: SourceFile
  readonly offset: number
  readonly path: Path
  readonly message: string
  readonly tag?: string
  /** The value could not be read, so there is nothing more to say about it. */
  readonly final?: true
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/** A complaint about a value in a document, or about its key. */
export const complain = (
  document: Document,
  path: Path,
  message: string,
  options: { readonly tag?: string | undefined; readonly part?: "key" | "value" } = {}
): Complaint => ({
  source: document.source,
  offset: document.locate(path, options.part),
  path,
  message,
  ...(options.tag === undefined ? undefined : { tag: options.tag })
})

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

const plainKey = /^[\w-]+$/

/** A path as authors write it: `scopes.child.sections[0].order`; other keys are quoted. */
export const showPath = (path: Path): string =>
  path.reduce<string>((shown, key) => {
    if (typeof key === "number") return `${shown}[${key}]`
    if (!plainKey.test(key)) return `${shown}[${JSON.stringify(key)}]`
    return shown === "" ? key : `${shown}.${key}`
  }, "")

/** A message quotes the file, and its names may be as long as the file. */
const maxMessage = 2_000

const maxPath = 400

const toProblem = ({ message, offset, path, source, tag }: Complaint): Problem => {
  const { frame, ...place } = placeAt(source, offset)
  return {
    ...place,
    path: clipMiddle(showPath(path), maxPath),
    message: clipMiddle(message, maxMessage),
    ...(tag === undefined ? undefined : { tag }),
    frame
  }
}

const keyOf = (path: Path): string => JSON.stringify(path)

/** What is said of a value that could not be read is about whatever stands in its place. */
const withoutEchoes = (complaints: ReadonlyArray<Complaint>): ReadonlyArray<Complaint> => {
  const unread = complaints.filter((one) => one.final === true)
  if (unread.length === 0) return complaints
  const paths = new Map(unread.map((one) => [one.source, new Set<string>()]))
  for (const one of unread) paths.get(one.source)?.add(keyOf(one.path))
  return complaints.filter(
    ({ final, path, source }) =>
      final === true ||
      !Array.from({ length: path.length + 1 }, (_, i) => path.slice(0, i)).some((above) =>
        paths.get(source)?.has(keyOf(above))
      )
  )
}

/** All complaints as one error: those of `main` first, then other files by name, each file from top to bottom. */
export const toError = (main: SourceFile, complaints: ReadonlyArray<Complaint>): InvalidComposition => {
  const sorted = [...withoutEchoes(complaints)].sort(
    (a, b) =>
      Number(a.source !== main) - Number(b.source !== main) ||
      byCodeUnits(a.source.file, b.source.file) ||
      a.offset - b.offset ||
      byCodeUnits(a.message, b.message)
  )
  return new InvalidComposition({
    file: main.file,
    total: sorted.length,
    problems: sorted.slice(0, maxProblems).map(toProblem)
  })
}
