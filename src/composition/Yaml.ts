/**
 * Reads YAML 1.2 (so JSON too) into plain values that know their places.
 *
 * The parser's own conversion is not used: it follows cycles, copies what
 * aliases repeat, makes dates and buffers of tags, and knows no place of what it
 * refuses. This walk refuses all that with a place, in time linear in the file.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import {
  type Alias,
  type Document as YamlDocument,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  parseAllDocuments,
  type ParsedNode,
  type Scalar,
  type YAMLMap,
  type YAMLSeq
} from "yaml"
import { explain } from "./BrokenYaml.ts"
import { lineFrom, startOfLine } from "./CodeFrame.ts"
import type { Complaint, Path } from "./Complaint.ts"
import { maxBytes, type SourceFile, tooLarge } from "./SourceFile.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/** A tag that YAML's core schema does not know, such as `!!js`. Its value is read as text and never evaluated. */
interface ForeignTag {
  readonly path: Path
  readonly offset: number
  readonly tag: string
}

export interface Document {
  readonly source: SourceFile
  readonly value: unknown
  readonly complaints: ReadonlyArray<Complaint>
  readonly foreignTags: ReadonlyArray<ForeignTag>
  /** Offset of the value at `path`, or of its key; of the nearest ancestor that exists if it does not. */
  readonly locate: (path: Path, part?: "key" | "value") => number
  /** Offset of a character of the text at `path`, if the file has the text as it is up to there; else of the text. */
  readonly locateIn: (path: Path, index: number) => number
}

/**
 * So many nodes may be repeated by aliases. An honest anchor repeats a few; 20 lines of aliases can stand for gigabytes.
 *
 * @since 0.1.0
 * @category models
 */
export const maxAliasCount = 10_000

type Node = ParsedNode

interface Known {
  readonly value: unknown
  /** Nodes in it, those that aliases repeat included. */
  readonly size: number
}

interface Reading {
  readonly source: SourceFile
  readonly complaints: Array<Complaint>
  readonly foreignTags: Array<ForeignTag>
  /** What each alias stands for: a name may be anchored again further down. */
  readonly targets: Map<Alias, Node>
  readonly anchors: Map<string, Node>
  readonly known: Map<Node, Known>
  readonly open: Set<Node>
  readonly members: Map<YAMLMap, ReadonlyMap<string, Pair<Node, Node | null>>>
  /** Nodes walked or repeated so far. */
  size: number
  repeated: number
}

const coreTags = new Set(["map", "seq", "str", "int", "float", "bool", "null"].map((tag) => `tag:yaml.org,2002:${tag}`))

/** YAML escapes can write half of a surrogate pair, which has no UTF-8 bytes: no prompt can hold it. */
const loneSurrogate = /\p{Cs}/u

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/** A document with what could not be understood in it, or, if its syntax is broken, what is broken. */
export const read = (source: SourceFile): Result.Result<Document, ReadonlyArray<Complaint>> => {
  if (source.text.length > maxBytes) {
    return refuse(source, 0, `${tooLarge} Move long texts into files of their own.`)
  }
  const parsed = parseAllDocuments<Node>(source.text, {
    version: "1.2",
    schema: "core",
    strict: true,
    // Quadratic in the parser (20 000 keys: 10 s); found here instead.
    uniqueKeys: false,
    merge: false,
    // What the parser makes of `!!omap` and `!!set` has nodes that stand nowhere. Here each such tag is a foreign one.
    resolveKnownTags: false,
    prettyErrors: false,
    logLevel: "silent"
  })
  const [document, second] = Array.isArray(parsed) ? parsed : []
  if (document === undefined || (isBlank(document) && second === undefined && document.errors.length === 0)) {
    return refuse(source, 0, emptyMessage)
  }
  const broken = syntaxComplaints(source, document, second)
  if (broken.length > 0) return Result.fail(broken)
  // Only a document with errors has no contents at all.
  if (document.contents === null) return refuse(source, 0, emptyMessage)
  return walk(source, document.contents)
}

const emptyMessage = "the file is empty. Write at least `sections:` or `identity:`."

/** A comment alone is a document whose value is nothing at all, not even a written `null`. */
const isBlank = (document: YamlDocument.Parsed<Node>): boolean =>
  document.contents === null || (isScalar(document.contents) && document.contents.source === "")

const refuse = (source: SourceFile, offset: number, message: string): Result.Result<never, ReadonlyArray<Complaint>> =>
  Result.fail([{ source, offset, path: [], message }])

// -----------------------------------------------------------------------------
// syntax
// -----------------------------------------------------------------------------

const syntaxComplaints = (
  source: SourceFile,
  document: YamlDocument.Parsed<Node>,
  second: YamlDocument.Parsed<Node> | undefined
): ReadonlyArray<Complaint> => {
  const complaints: Array<Complaint> = []
  const seen = new Set<number>()
  for (const error of document.errors) {
    const offset = Math.min(error.pos[0], source.text.length)
    const { line } = source.positionOf(offset)
    // What follows the first error of a line is mostly its echo.
    if (!seen.has(line)) complaints.push({ source, offset, path: [], message: explain(source, error, offset) })
    seen.add(line)
  }
  if (second !== undefined) {
    const offset = source.text.lastIndexOf("---", second.range[0])
    const message = "a second document begins here. A composition is one document: remove it, or write two files."
    complaints.push({ source, offset: offset < 0 ? second.range[0] : offset, path: [], message })
  }
  const { version, explicit } = document.directives.yaml
  if (explicit === true && version !== "1.2") {
    const message = `a composition is YAML 1.2, where "no" is text. Remove the directive %YAML ${version}.`
    complaints.push({ source, offset: Math.max(0, source.text.indexOf("%YAML")), path: [], message })
  }
  return complaints
}

// -----------------------------------------------------------------------------
// values
// -----------------------------------------------------------------------------

const walk = (source: SourceFile, contents: Node): Result.Result<Document, ReadonlyArray<Complaint>> => {
  const reading: Reading = {
    source,
    complaints: [],
    foreignTags: [],
    targets: new Map(),
    anchors: new Map(),
    known: new Map(),
    open: new Set(),
    members: new Map(),
    size: 0,
    repeated: 0
  }
  const value = toValue(reading, contents, [])
  const { complaints, foreignTags, repeated } = reading
  // Half of a bomb means nothing.
  if (repeated > maxAliasCount) return Result.fail(complaints)
  return Result.succeed({
    source,
    value,
    complaints,
    foreignTags,
    locate: (path, part = "value") => {
      const { at, key } = find(reading, contents, path)
      return part === "key" && key !== undefined ? key.range[0] : at
    },
    locateIn: (path, index) => {
      const { at, node } = find(reading, contents, path)
      return (isScalar(node) ? writtenAt(source.text, node, index) : undefined) ?? at
    }
  })
}

const complain = (reading: Reading, node: Node, path: Path, message: string): void => {
  reading.complaints.push({ source: reading.source, offset: node.range[0], path, message })
}

/** A complaint about a value that is replaced by some other one, so that no one else complains about that. */
const giveUp = (reading: Reading, node: Node, path: Path, message: string): void => {
  reading.complaints.push({ source: reading.source, offset: node.range[0], path, message, final: true })
}

const toValue = (reading: Reading, node: Node | null, path: Path): unknown => {
  if (node === null) return null
  if (isAlias(node)) return followAlias(reading, node, path)
  if (node.anchor !== undefined) reading.anchors.set(node.anchor, node)
  if (node.tag !== undefined && node.tag !== "!" && !coreTags.has(node.tag)) {
    reading.foreignTags.push({ path, offset: tagOffset(reading.source, node.range[0]), tag: node.tag })
  }
  const before = reading.size++
  reading.open.add(node)
  const value = isMap(node)
    ? toRecord(reading, node, path)
    : isSeq(node)
      ? toList(reading, node, path)
      : toScalar(reading, node, path)
  reading.open.delete(node)
  if (node.anchor !== undefined) reading.known.set(node, { value, size: reading.size - before })
  return value
}

/** A node begins behind its tag and anchor; the complaint is about the tag. */
const tagOffset = (source: SourceFile, offset: number): number => {
  const before = source.text.slice(Math.max(0, offset - 200), offset)
  const written = /!\S*\s*(?:&\S+\s*)?$/.exec(before)
  return written === null ? offset : offset - before.length + written.index
}

const followAlias = (reading: Reading, alias: Alias.Parsed, path: Path): unknown => {
  const target = reading.anchors.get(alias.source)
  if (target === undefined) {
    giveUp(reading, alias, path, `the alias *${alias.source} has no anchor &${alias.source} above it.`)
    return null
  }
  const known = reading.known.get(target)
  if (known === undefined || reading.open.has(target)) {
    giveUp(reading, alias, path, `the alias *${alias.source} is cyclic: it stands inside its own anchor.`)
    return null
  }
  reading.targets.set(alias, target)
  const within = reading.repeated <= maxAliasCount
  reading.repeated += known.size
  reading.size += known.size
  if (reading.repeated <= maxAliasCount) return known.value
  if (within)
    giveUp(
      reading,
      alias,
      path,
      `aliases repeat more than the limit of ${maxAliasCount} values. Write the values out, or in a file.`
    )
  return null
}

const toScalar = (reading: Reading, node: Scalar.Parsed, path: Path): unknown => {
  const { value } = node
  if (typeof value === "string") {
    if (loneSurrogate.test(value)) complain(reading, node, path, surrogateMessage)
    return value
  }
  if (value === null || typeof value === "number" || typeof value === "boolean") return value
  return node.source
}

const surrogateMessage =
  "half of a surrogate pair is no character and has no UTF-8 bytes. Write the whole character, or both halves (\\ud83d\\ude00)."

const toList = (reading: Reading, node: YAMLSeq.Parsed, path: Path): ReadonlyArray<unknown> =>
  node.items.map((item, index) => toMember(reading, item, [...path, index]))

/** A value that stands under a key or in a list. There `{{ x }}` is a slip, not a map. */
const toMember = (reading: Reading, node: Node | null, path: Path): unknown => {
  if (node === null || !isBraces(node)) return toValue(reading, node, path)
  const written = reading.source.text.slice(node.range[0], node.range[1])
  giveUp(reading, node, path, `unquoted, ${written} is a YAML map and not a string. Quote it: "${written}".`)
  return null
}

const isBraces = (node: Node): boolean => {
  if (!isMap(node) || node.flow !== true || node.items.length !== 1) return false
  const key = node.items[0]!.key
  return isMap(key) && key.flow === true && (node.items[0]!.value ?? null) === null
}

const toRecord = (reading: Reading, node: YAMLMap.Parsed, path: Path): Record<string, unknown> => {
  const record: Record<string, unknown> = {}
  const members = new Map<string, Pair<Node, Node | null>>()
  reading.members.set(node, members)
  for (const pair of node.items) {
    const key = toKey(reading, pair.key, path)
    const first = key === undefined ? undefined : members.get(key)
    if (key === undefined || first !== undefined) {
      if (first !== undefined) complainOfDuplicate(reading, first.key, pair.key, [...path, key!])
      // What stands there is not used, but may hold anchors that are.
      toMember(reading, pair.value, [...path, key ?? "?"])
      continue
    }
    members.set(key, pair)
    const value = toMember(reading, pair.value, [...path, key])
    // Assigning to this one name would set the prototype instead.
    if (key === "__proto__") Object.defineProperty(record, key, { value, enumerable: true })
    else record[key] = value
  }
  return record
}

const toKey = (reading: Reading, node: Node, path: Path): string | undefined => {
  const target = isAlias(node) ? (followAlias(reading, node, path), reading.targets.get(node)) : node
  if (isScalar(target)) {
    if (target === node) toValue(reading, node, path)
    return typeof target.value === "string" ? target.value : target.source
  }
  if (target !== undefined)
    complain(
      reading,
      node,
      path,
      "a key must be text, not a list or a map. Quote it if braces or brackets belong to it."
    )
  return undefined
}

const complainOfDuplicate = (reading: Reading, first: Node, second: Node, path: Path): void => {
  const { line } = reading.source.positionOf(first.range[0])
  const key = JSON.stringify(path.at(-1))
  complain(reading, second, path, `duplicate key ${key}: it is already given on line ${line}. Keep one of them.`)
}

// -----------------------------------------------------------------------------
// places
// -----------------------------------------------------------------------------

interface Found {
  /** Offset of the value, or of the nearest thing to it that there is. */
  readonly at: number
  readonly key: Node | undefined
  /** The value itself, aliases followed; null if there is none. */
  readonly node: Node | null
}

const find = (reading: Reading, contents: Node, path: Path): Found => {
  const resolve = (node: Node | null): Node | null =>
    node !== null && isAlias(node) ? (reading.targets.get(node) ?? node) : node
  let node = resolve(contents)
  let at = contents.range[0]
  let key: Node | undefined
  for (const step of path) {
    let next: Node | null | undefined
    key = undefined
    if (isMap(node)) {
      const pair = reading.members.get(node)?.get(String(step))
      key = pair?.key
      next = pair === undefined ? undefined : pair.value
    } else if (isSeq(node) && typeof step === "number") {
      next = node.items[step]
    }
    if (next === undefined) return { at, key: undefined, node: null }
    at = key?.range[0] ?? next?.range[0] ?? at
    node = resolve(next)
    // A value on the key's own line says more than its key; a block that begins below says less.
    if (node !== null && !isBlockCollection(node) && next !== null && !isEmptyScalar(next)) at = next.range[0]
  }
  return { at, key, node }
}

/**
 * Where a file has the character at `index` of a scalar's text, if everything before it stands there as it is: in a literal
 * block line by line behind the indentation, else without an escape or a line break.
 */
const writtenAt = (source: string, node: Scalar.Parsed, index: number): number | undefined => {
  const text = typeof node.value === "string" ? node.value : ""
  if (node.type === "BLOCK_LITERAL") return writtenInBlock(source, node.range[0], text, index)
  if (node.type === "BLOCK_FOLDED") return undefined
  const start = node.range[0] + (node.type === "PLAIN" ? 0 : 1)
  // An escape is longer than what it stands for, so what follows it does not fit any more.
  return source.startsWith(text.slice(0, index + 1), start) ? start + index : undefined
}

const writtenInBlock = (source: string, header: number, text: string, index: number): number | undefined => {
  const lineStart = startOfLine(text, index)
  const line = lineFrom(text, lineStart)
  let start = source.indexOf("\n", header) + 1
  for (let at = text.indexOf("\n"); at >= 0 && at < index; at = text.indexOf("\n", at + 1)) {
    start = source.indexOf("\n", start) + 1
  }
  const written = lineFrom(source, start)
  const indent = written.length - line.length
  return written.endsWith(line) && written.slice(0, indent).trim() === ""
    ? start + indent + index - lineStart
    : undefined
}

const isBlockCollection = (node: Node): boolean => (isMap(node) || isSeq(node)) && node.flow !== true

const isEmptyScalar = (node: Node): boolean => isScalar(node) && node.range[0] === node.range[1]
