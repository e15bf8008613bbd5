/**
 * What the modules import at run time. The pure core knows nothing of Effect's runtime, and the stable core needs
 * nothing but stable modules of `effect`.
 */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const src = fileURLToPath(new URL("../src/", import.meta.url))

// -----------------------------------------------------------------------------
// reading imports
// -----------------------------------------------------------------------------

const names = String.raw`(?:\*(?:\s*as\s+\w+)?|\{[^{}]*\}|\w+(?:\s*,\s*(?:\{[^{}]*\}|\*\s*as\s+\w+))?)`

/** `import … from "x"`, `import "x"`, `export … from "x"` at the beginning of a line; `type` only right after the keyword. */
const declaration = new RegExp(
  String.raw`^(?:import|export)\s*(type\s+(?!from\b))?(?:${names}\s*from\s*)?["']([^"']+)["']`,
  "gm"
)

const dynamic = /\b(?:import|require)\s*\(\s*["'`]?([^"'`)]*)/g

const withoutComments = (text: string): string => text.replaceAll(/^\s*(?:\/\/.*|\/\*[\s\S]*?\*\/)/gm, "")

/**
 * What a module imports at run time. With `verbatimModuleSyntax`, only whole declarations marked `type` vanish:
 * `import { type A } from "x"` stays as `import {} from "x"`.
 */
const importsOf = (text: string): ReadonlyArray<string> => {
  const code = withoutComments(text)
  return [
    ...[...code.matchAll(declaration)].filter((match) => match[1] === undefined).map((match) => match[2]!),
    ...[...code.matchAll(dynamic)].map((match) => match[1]!)
  ]
}

describe("importsOf", () => {
  const cases: ReadonlyArray<readonly [code: string, imports: ReadonlyArray<string>]> = [
    ['import * as A from "a"', ["a"]],
    ['import A from "a"', ["a"]],
    ['import { a, type B } from "a"', ["a"]],
    ['import {\n  a,\n  b as c\n} from "a"', ["a"]],
    ['import A, { b } from "a"', ["a"]],
    ['import A, * as b from "a"', ["a"]],
    ['import "a"', ["a"]],
    ["import 'a'", ["a"]],
    ['import { type A } from "a"', ["a"]],
    ['import type { A } from "a"', []],
    ['import type * as A from "a"', []],
    ['import type A from "a"', []],
    ['import type from "a"', ["a"]],
    ['import type {\n  A\n} from "a"\nimport { b } from "b"', ["b"]],
    ['export * from "a"', ["a"]],
    ['export * as A from "a"', ["a"]],
    ['export { a } from "a"', ["a"]],
    ['export { a, type B } from "a"', ["a"]],
    ['export type { A } from "a"', []],
    ['export type * from "a"', []],
    ['export const a = "a"', []],
    ['export type A = "a"\nexport { b } from "b"', ["b"]],
    ['export interface A { readonly from: "a" }\nexport { b } from "b"', ["b"]],
    ['const a = await import("a")', ["a"]],
    ["const a = import(\n  'a'\n)", ["a"]],
    ['const a = require("a")', ["a"]],
    ["const a = import(name)", ["name"]],
    ['/**\n * import { a } from "a"\n * ```ts\nimport { b } from "b"\n * ```\n */\nimport { c } from "c"', ["c"]],
    ['// import { a } from "a"\nimport { b } from "b" // from "c"', ["b"]],
    ['const text = `import { a } from "a"`', []],
    ['  import { a } from "a"', []]
  ]
  for (const [code, imports] of cases) {
    it(`finds ${JSON.stringify(imports)} in ${JSON.stringify(code)}`, () => {
      assert.deepStrictEqual(importsOf(code), imports)
    })
  }

  it("sees every import of every module of ours: each is a line that ends with the name of a module", () => {
    const files = fs.readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))
    assert.isAbove(files.length, 40)
    for (const file of files) {
      const code = withoutComments(fs.readFileSync(path.join(src, file), "utf8"))
      const lines = code.match(/^(?:.*\bfrom|import) "[^"]+"$/gm) ?? []
      assert.strictEqual([...code.matchAll(declaration)].length, lines.length, file)
    }
  })
})

// -----------------------------------------------------------------------------
// the graph
// -----------------------------------------------------------------------------

/** What a module reaches: our own modules, and the specifiers of others with the path that leads there. */
interface Reached {
  readonly own: ReadonlySet<string>
  readonly foreign: ReadonlyMap<string, ReadonlyArray<string>>
}

const reach = (entry: string, read = (file: string) => fs.readFileSync(path.join(src, file), "utf8")): Reached => {
  const own = new Set<string>()
  const foreign = new Map<string, ReadonlyArray<string>>()
  const visit = (file: string, way: ReadonlyArray<string>): void => {
    if (own.has(file)) return
    own.add(file)
    const here = [...way, file]
    for (const specifier of importsOf(read(file))) {
      if (specifier.startsWith(".")) visit(path.posix.join(path.posix.dirname(file), specifier), here)
      else if (!foreign.has(specifier)) foreign.set(specifier, [...here, specifier])
    }
  }
  visit(entry, [])
  return { own, foreign }
}

describe("reach", () => {
  it("follows our own modules, through folders and cycles, and keeps the way to what is not ours", () => {
    const files: Readonly<Record<string, string>> = {
      "a.ts": 'import { b } from "./in/b.ts"\nimport type { x } from "./x.ts"',
      "in/b.ts": 'export * from "../c.ts"\nimport * as Effect from "effect/Effect"',
      "c.ts": 'import { a } from "./a.ts"\nimport "node:fs"'
    }
    const { own, foreign } = reach("a.ts", (file) => files[file] ?? assert.fail(`read ${file}`))
    assert.deepStrictEqual([...own], ["a.ts", "in/b.ts", "c.ts"])
    assert.deepStrictEqual(Object.fromEntries(foreign), {
      "node:fs": ["a.ts", "in/b.ts", "c.ts", "node:fs"],
      "effect/Effect": ["a.ts", "in/b.ts", "effect/Effect"]
    })
  })
})

const assertOnly = ({ foreign }: Reached, allowed: (specifier: string) => boolean): void => {
  for (const [specifier, way] of foreign) assert.isTrue(allowed(specifier), way.join(" → "))
}

/** Modules of `effect` that are data and functions of data: none of them runs, schedules or reads anything. */
const data = [
  "Brand",
  "Context",
  "Equal",
  "Formatter",
  "Function",
  "JsonPatch",
  "Option",
  "Order",
  "Predicate",
  "Result",
  "Schema"
]

const pure = [
  "Template",
  "VariableName",
  "Section",
  "PromptContext",
  "Variable",
  "ToolProvider",
  "Listener",
  "ToolSchema",
  "ToolOrder",
  "Overlay",
  "Plan",
  "Assembly",
  "Difference",
  "Rendered",
  "PromptError",
  "Owner",
  "Origin",
  "Persona",
  "BuiltIns",
  "Trace",
  "Guard",
  "RegisteredTool",
  "Restriction",
  "ToolError",
  "ToolView"
]

describe("the pure core", () => {
  for (const name of pure) {
    it(`${name} reaches nothing of effect but data`, () => {
      const reached = reach(`${name}.ts`)
      assertOnly(reached, (specifier) => data.some((name) => specifier === `effect/${name}`))
      for (const file of reached.own) {
        assert.match(file, /^(?:internal\/)?\w+\.ts$/u)
        assert.isFalse(services.includes(path.basename(file, ".ts")), `${name} reaches ${file}`)
      }
    })
  }

  /** What may not be reached from there, since it holds or runs something. */
  const services = [
    "Overlays",
    "Waterfall",
    "Renderer",
    "Spans",
    "SystemPrompt",
    "ToolRegistry",
    "ToolCall",
    "Plugin",
    "PromptScope",
    "AssembleContext"
  ]

  it("is all of the core but the services and what needs them", () => {
    const modules = fs.readdirSync(src).filter((file) => file.endsWith(".ts"))
    const others = modules.map((file) => path.basename(file, ".ts")).filter((name) => !pure.includes(name))
    // `Provider` is a type.
    assert.sameMembers(others, [...services, "Provider", "Variables", "index"])
  })

  it("is what the services stand on: they do reach the runtime", () => {
    assert.isTrue(reach("SystemPrompt.ts").foreign.has("effect/Effect"))
    assert.isTrue(reach("SystemPrompt.ts").own.has("internal/compose.ts"))
  })
})

describe("the pure core of sessions", () => {
  const names = [
    "Event",
    "Message",
    "OpenCalls",
    "RequestContext",
    "RequestHeader",
    "RuntimeContextProjection",
    "SessionError",
    "SessionHeader",
    "SessionLog",
    "Surface",
    "SystemPromptProjection",
    "ToolChange",
    "Compaction"
  ]
  for (const name of names) {
    it(`${name} reaches nothing of effect but data`, () => {
      const reached = reach(`session/${name}.ts`)
      const allowed = [...data, "SchemaIssue"]
      assertOnly(reached, (specifier) => allowed.some((name) => specifier === `effect/${name}`))
    })
  }
})

describe("the stable core", () => {
  const effect = path.dirname(createRequire(import.meta.url).resolve("effect/package.json"))

  /** What a module of `effect` says of itself, in the comment at its top. */
  const stability = (specifier: string): string | undefined => {
    const file = path.join(effect, "src", `${specifier.slice("effect/".length)}.ts`)
    const [header] = fs.existsSync(file)
      ? (/^(?:\/\/\/.*\n\s*)?\/\*\*[\s\S]*?\*\//u.exec(fs.readFileSync(file, "utf8")) ?? [])
      : []
    return header === undefined ? undefined : /@stability (\w+)/u.exec(header)?.[1]
  }

  it("modules of effect say whether they are stable", () => {
    assert.strictEqual(stability("effect/Effect"), "stable")
    assert.strictEqual(stability("effect/Arbitrary"), "unstable")
    assert.strictEqual(stability("effect/Path"), "unstable")
    for (const folder of ["effect/ai", "effect/cli", "effect/http"]) assert.isUndefined(stability(folder))
  })

  it("reaches nothing but stable modules of effect: no YAML, no platform, nothing of Node", () => {
    const { own, foreign } = reach("index.ts")
    for (const [specifier, way] of foreign) {
      assert.match(specifier, /^effect\/\w+$/u, way.join(" → "))
      assert.strictEqual(stability(specifier), "stable", way.join(" → "))
    }
    for (const name of [...pure, "SystemPrompt", "Plugin"]) {
      if (name !== "Owner") assert.isTrue(own.has(`${name}.ts`), `${name} is not in the barrel`)
    }
    for (const file of own) assert.notMatch(file, /^(?:composition|cli|session|ai|mcp|testing)\//u)
  })

  it("uses nothing that only Node or a browser has", () => {
    for (const file of reach("index.ts").own) {
      const code = withoutComments(fs.readFileSync(path.join(src, file), "utf8"))
      assert.notMatch(code, /\b(?:process|Buffer|window|document|__dirname|setTimeout|setInterval|fetch)\b[.(]/u, file)
    }
  })
})
