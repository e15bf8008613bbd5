/**
 * Agent presets of DeepSeek Harness (dsh): files whose top level is a list of rows.
 *
 * Two kinds of row say something about the prompt and are mounted: the persona,
 * in a scope named after the file, and the configuration of the prompt service
 * itself, as global settings. What other plugins would add to a prompt is not in
 * the file and never guessed; their rows are handed back by name. Expressions
 * (`!!js`) are never evaluated: in a row that is mounted they are an error.
 *
 * Rules: behaviour of dsh §5 and §20.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { restMarker } from "../ToolOrder.ts"
import * as Decoding from "./Decoding.ts"
import {
  type ContentsDraft,
  type Draft,
  listAt,
  type Located,
  member,
  type NotMounted,
  personaSections,
  type SectionDraft,
  showTag,
  toName
} from "./Draft.ts"
import { complain, type Complaint, type Path } from "./Complaint.ts"
import type { Document } from "./Yaml.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

const Flag = Schema.optionalKey(Schema.Boolean.annotate({ expected: "true or false" }))
const Text = Schema.optionalKey(Schema.String.annotate({ expected: "text" }))

/** `text` is the older form (up to 0.1.2) of `prefix`. */
const PersonaConfig = Schema.Struct({
  text: Text,
  prefix: Text,
  suffix: Text,
  complete: Flag,
  includeRuntimeContext: Flag
}).annotate({ expected: "a map with prefix or text" })

/** `persona` is the older form (up to 0.1.1) of `personaPrefix`. */
const ServiceConfig = Schema.Struct({
  includeHarnessIdentity: Flag,
  includeRuntimeContext: Flag,
  persona: Text,
  personaPrefix: Text,
  personaSuffix: Text,
  toolOrder: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({ expected: `a list of tool names and ${JSON.stringify(restMarker)}` })
  )
}).annotate({ expected: "a map of settings" })

const personaPlugin = "@deepseek-ai/dsh-persona"
const servicePlugin = "@deepseek-ai/dsh-system-prompt"

interface Row {
  readonly plugin: string
  readonly id: string
  readonly config: unknown
  readonly path: Path
  /** By itself or a group around it. */
  readonly disabled: boolean
  /** Paths of the `disabled` of this row and the groups around it. */
  readonly switches: ReadonlyArray<Path>
}

// -----------------------------------------------------------------------------
// guards
// -----------------------------------------------------------------------------

/** Whether a document is a preset: its top level is a list. */
export const isPreset = (document: Document): boolean => Array.isArray(document.value)

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/** `presets/standard.cordis.yml` is the preset `standard`. */
const nameOf = (file: string): string => {
  const base = file.slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1)
  const name = base.replace(/(?:\.cordis)?\.(?:ya?ml|json)$/i, "")
  return name === "" || name === "-" || name === "global" ? "preset" : name
}

export const fromDocument = (document: Document): Draft => {
  const scope = nameOf(document.source.file)
  const rows = rowsAt(document.value, [], false, [])
  const mounted = rows.filter((row) => !row.disabled && isMountable(row))
  const personas = mounted.filter((row) => row.plugin === personaPlugin)
  const service = mounted.filter((row) => row.plugin === servicePlugin)
  const settings = settingsOf(service)
  const sections = personas.flatMap(sectionsOf)
  const contents: ContentsDraft = {
    ...empty(scope),
    names: sections.map(toName),
    sections,
    suppressContexts: personas.some((row) => member(row.config, "includeRuntimeContext") === false)
  }
  return {
    ...settings,
    document,
    complaints: [
      ...document.complaints,
      ...(rows.length > 0 && !rows.some(isPlugin) ? [complain(document, [], noPreset)] : []),
      ...listAt(document.value, []).flatMap((item) => rowRule(document, item)),
      ...tagRules(document, rows),
      ...personas.flatMap((row) => personaRules(document, row)),
      ...service.flatMap((row) => configRules(document, ServiceConfig, row)),
      ...service
        .slice(1)
        .map((row) => complain(document, row.path, "the prompt service is configured twice. Keep one row."))
    ],
    global: empty("global"),
    scopes: [{ ...contents, path: [], parent: undefined, restrict: undefined }],
    scope: { value: scope, path: [] },
    silences: [],
    notMounted: rows.filter((row) => row.disabled || !isMountable(row)).map((row) => toNotMounted(document, row))
  }
}

/** Packages of plugins have a scope or a kind: `@deepseek-ai/dsh-persona`, `cordis:group`. Nothing else does. */
const isPlugin = (row: Row): boolean => /[/:]/.test(row.plugin)

const noPreset =
  "a list is read as a dsh agent preset, and no row of this one names a plugin. A composition is a map: put the entries under `sections:` or another key."

const isMountable = (row: Row): boolean => row.plugin === personaPlugin || row.plugin === servicePlugin

const empty = (scope: string): ContentsDraft => ({
  scope,
  names: [],
  textFiles: [],
  sections: [],
  contexts: [],
  variables: [],
  tools: [],
  plugins: [],
  suppressContexts: false
})

const text = (value: unknown): string => (typeof value === "string" ? value : "")

const rowsAt = (value: unknown, path: Path, disabled: boolean, switches: ReadonlyArray<Path>): ReadonlyArray<Row> =>
  listAt(value, path).flatMap((item) => {
    const config = member(item.value, "config")
    const off = disabled || member(item.value, "disabled") === true
    const above = [...switches, [...item.path, "disabled"]]
    const plugin = text(member(item.value, "name"))
    if (Array.isArray(config) && (plugin === "cordis:group" || member(item.value, "group") === true)) {
      return rowsAt(config, [...item.path, "config"], off, above)
    }
    return [{ plugin, id: text(member(item.value, "id")), config, path: item.path, disabled: off, switches: above }]
  })

const toNotMounted = (document: Document, row: Row): NotMounted => ({
  id: row.id,
  plugin: row.plugin,
  line: document.source.positionOf(document.locate(row.path)).line,
  reason: row.disabled ? "disabled" : "unknown"
})

const stringUnder = (row: Row, key: string): Located<string> | undefined => {
  const value = member(row.config, key)
  return typeof value === "string" ? { value, path: [...row.path, "config", key] } : undefined
}

const sectionsOf = (row: Row): ReadonlyArray<Located<SectionDraft>> =>
  personaSections(
    [...row.path, "config"],
    stringUnder(row, "prefix") ?? stringUnder(row, "text"),
    stringUnder(row, "suffix"),
    member(row.config, "complete") === true
  )

const settingsOf = (rows: ReadonlyArray<Row>) => {
  const row = rows[0]
  const flag = (key: string): boolean => (row === undefined ? true : member(row.config, key) !== false)
  const order = row === undefined ? undefined : member(row.config, "toolOrder")
  const names = Decoding.attempt(Schema.Array(Schema.String), order)
  return {
    identity: flag("includeHarnessIdentity"),
    runtimeContext: flag("includeRuntimeContext"),
    personaPrefix: row && (stringUnder(row, "personaPrefix") ?? stringUnder(row, "persona")),
    personaSuffix: row && stringUnder(row, "personaSuffix"),
    sortToolKeys: false,
    toolOrder: row && names && { value: names, path: [...row.path, "config", "toolOrder"] }
  }
}

// -----------------------------------------------------------------------------
// rules
// -----------------------------------------------------------------------------

const RowShape = Schema.Struct({ name: Schema.NonEmptyString.annotate({ expected: "the name of a plugin" }) }).annotate(
  {
    expected: "a row { id, name, config }"
  }
)

/** Keys that a row has beside its name are dsh's affair. */
const rowRule = (document: Document, row: Located<unknown>): ReadonlyArray<Complaint> => {
  if (Decoding.attempt(RowShape, row.value) !== undefined) return []
  const map = typeof row.value === "object" && row.value !== null && !Array.isArray(row.value)
  const shown = map ? { name: member(row.value, "name") } : row.value
  return Decoding.complaintsOf(document, RowShape, shown, row.path)
}

const configRules = (
  document: Document,
  schema: typeof PersonaConfig | typeof ServiceConfig,
  row: Row
): ReadonlyArray<Complaint> =>
  row.config === undefined ? [] : Decoding.complaintsOf(document, schema, row.config, [...row.path, "config"])

const personaRules = (document: Document, row: Row): ReadonlyArray<Complaint> => {
  const both = member(row.config, "text") !== undefined && member(row.config, "prefix") !== undefined
  const neither = member(row.config, "text") === undefined && member(row.config, "prefix") === undefined
  const path = [...row.path, "config"]
  return [
    ...configRules(document, PersonaConfig, row),
    ...(both
      ? [
          complain(document, [...path, "text"], "a persona has `prefix` or the older `text`, not both.", {
            part: "key"
          })
        ]
      : []),
    ...(neither ? [complain(document, path, "a persona needs `prefix` (or the older `text`). Add it here.")] : [])
  ]
}

const keyOf = (path: Path): string => JSON.stringify(path)

const tagRules = (document: Document, rows: ReadonlyArray<Row>): ReadonlyArray<Complaint> => {
  if (document.foreignTags.length === 0) return []
  const used = new Set(
    rows
      .filter((row) => isMountable(row) && !row.disabled)
      .flatMap((row) => [[...row.path, "config"], [...row.path, "name"], ...row.switches].map(keyOf))
  )
  return document.foreignTags
    .filter((tag) => tag.path.some((_, i) => used.has(keyOf(tag.path.slice(0, i + 1)))))
    .map((tag) => ({
      source: document.source,
      offset: tag.offset,
      path: tag.path,
      message: `${showTag(tag.tag)} is never evaluated, and this row is mounted. Write the value itself.`
    }))
}
