/**
 * Families of files of any size: deep, long, or with very many of one thing. Work that grows faster than a file shows on
 * these first.
 */

type Family = (size: number) => string

const times = (count: number, item: (i: number) => string, between = "\n"): string =>
  Array.from({ length: Math.max(1, Math.floor(count)) }, (_, i) => item(i)).join(between)

/** Repeats up to the size. */
const fill = (piece: string, size: number): string => piece.repeat(Math.max(1, Math.floor(size / piece.length)))

const inTool = (yaml: string): string => `tools:\n  - { name: t, description: d, parameters: ${yaml} }\n`

const entry = (text: string): string => `sections:\n  - name: s\n    order: 0\n    text: ${text}\n`

const nested: Readonly<Record<string, Family>> = {
  "open brackets": (size) => fill("[", size),
  "open braces": (size) => fill("{", size),
  "open maps": (size) => fill("{a: ", size),
  brackets: (size) => `identity: ${fill("[", size / 2)}${fill("]", size / 2)}`,
  "brackets in a tool": (size) => inTool(`{ a: ${fill("[", size / 2)}${fill("]", size / 2)} }`),
  "JSON in a tool": (size) => inTool(fill('{"a":', size / 2) + "1" + fill("}", size / 10)),
  dashes: (size) => fill("- ", size),
  "dashes in a tool": (size) => `tools:\n  - name: t\n    description: d\n    parameters:\n      ${fill("- ", size)}x`,
  questions: (size) => fill("? ", size),
  indented: (size) => times(Math.sqrt(size), (i) => `${" ".repeat(i)}a:`),
  "indented groups of a preset": (size) =>
    times(Math.sqrt(size) / 4, (i) => `${"  ".repeat(i)}- name: cordis:group\n${"  ".repeat(i)}  config:`),
  anchors: (size) => fill("[&a ", size),
  tags: (size) => fill("!!seq [", size),
  "escaped quotes": (size) => entry(`"${fill('\\"', size)}"`),
  "maps as keys": (size) => `${fill("{", size / 2)}${fill("}", size / 2)}`
}

const long: Readonly<Record<string, Family>> = {
  plain: (size) => entry(fill("word ", size)),
  "quoted braces": (size) => entry(`"${fill("{{", size)}"`),
  references: (size) => entry(`"${fill("{{x}}", size)}"`),
  "references and braces": (size) => `variables: { x: y }\n${entry(`"${fill("{{x}}{{ {", size)}}}"`)}`,
  block: (size) => entry(`|-\n${fill("      line\n", size)}`),
  "block of blanks": (size) => entry(`|-\n${fill("      \n", size)}`),
  folded: (size) => entry(`>\n${fill("      line\n\n", size)}`),
  "folded in quotes": (size) => entry(`"${fill("a\n\n      ", size)}"`),
  escapes: (size) => entry(`"${fill("\\u0041", size)}"`),
  "half pairs": (size) => entry(`"${fill("\\ud800", size)}"`),
  "an open quote": (size) => entry(`"${fill("word\n", size)}`),
  "empty lines": (size) => fill("\n", size),
  blanks: (size) => `identity: x\n${fill(" ", size)}`,
  tabs: (size) => `identity: x\n${fill("\t", size)}`,
  "lines of tabs": (size) => `identity:\n${fill("\tx\n", size)}`,
  carriages: (size) => fill("\r", size),
  "a comment": (size) => `# ${fill("x", size)}\nidentity: x`,
  comments: (size) => `${fill("# x\n", size)}identity: x`,
  "a key": (size) => `${fill("k", size)}: x`,
  "a number": (size) => `sections: [{ name: s, order: ${fill("9", size)}, text: x }]`,
  "a tag": (size) => `identity: !${fill("t", size)} x`,
  "tags before nothing": (size) => `identity: ${fill("!", size)}`,
  "an anchor": (size) => `identity: &${fill("a", size)} x`,
  "an alias": (size) => `identity: *${fill("a", size)}`,
  "a band": (size) => `sections: [{ name: s, order: ${fill("TOOL_", size)}, text: x }]`,
  "a name": (size) =>
    `sections: [{ name: ${fill("n", size)}, order: 0, text: x }, { name: ${fill("n", size)}, order: 0, text: x }]`,
  "a scope": (size) => `scopes: { ${fill("s", size)}: { parent: ${fill("p", size)} } }`,
  "a tool": (size) =>
    `tools: [{ name: ${fill("t", size)}, description: ${fill("d", size)}, parameters: { type: object } }]`,
  "a file": (size) => `sections: [{ name: s, order: 0, text: { file: ${fill("f/", size)} } }]`,
  "braces unquoted": (size) => `identity: {{ ${fill("x ", size)} }}`,
  colons: (size) => `identity: ${fill("a: ", size)}`,
  "dots and dashes": (size) => fill("--- ", size),
  "combining marks": (size) => `${fill("e\u0301\u0301\u0301", size)}: x`,
  "a family of emoji": (size) => `identity: ${fill("👨‍👩‍👧‍", size)}\nx`
}

const many: Readonly<Record<string, Family>> = {
  keys: (size) => times(size / 10, (i) => `key${i}: x`),
  "same keys": (size) => fill("key: x\n", size),
  "keys of a tool": (size) => inTool(`{ ${times(size / 12, (i) => `key${i}: x`, ", ")} }`),
  sections: (size) => `sections:\n${times(size / 40, (i) => `  - { name: s${i}, order: 0, text: x }`)}`,
  "same sections": (size) => `sections:\n${fill("  - { name: s, order: 0, text: x }\n", size)}`,
  "bad sections": (size) => `sections:\n${fill("  - { nam: s, ordr: 0, txt: x }\n", size)}`,
  "complete sections": (size) =>
    `sections:\n${times(size / 55, (i) => `  - { name: s${i}, order: 0, text: x, complete: true }`)}`,
  "numbers for sections": (size) => `sections: [${fill("1, ", size)}]`,
  variables: (size) => `variables:\n${times(size / 10, (i) => `  v${i}: x`)}`,
  "bad variables": (size) => `variables:\n${times(size / 10, (i) => `  V${i}: [x]`)}`,
  "unknown variables": (size) => `variables: { a: x }\n${entry(`"${times(size / 10, (i) => `{{v${i}}}`, " ")}"`)}`,
  tools: (size) =>
    `tools:\n${times(size / 60, (i) => `  - { name: t${i}, description: d, parameters: { type: object } }`)}`,
  "same tools": (size) => `tools:\n${fill("  - { name: t, description: d, parameters: { type: object } }\n", size)}`,
  restrictions: (size) =>
    `tools: [{ name: t, description: d, parameters: {} }]\nscopes:\n${times(size / 40, (i) => `  s${i}: { restrict: { deny: [t] } }`)}`,
  "restrictions below each other": (size) =>
    `tools: [{ name: t, description: d, parameters: {} }]\nscopes:\n${times(size / 50, (i) => `  s${i}: { parent: ${i === 0 ? "global" : `s${i - 1}`}, restrict: { deny: [t] } }`)}`,
  "unknown restrictions": (size) =>
    `tools:\n${times(size / 90, (i) => `  - { name: t${i}, description: d, parameters: {} }`)}\nscopes: { s: { restrict: { allow: [${times(size / 20, (i) => `u${i}`, ", ")}] } } }`,
  "tool orders": (size) => `toolOrder: [${times(size / 8, (i) => `t${i}`, ", ")}]`,
  "same tool orders": (size) => `toolOrder: [${fill("t, ", size)}]`,
  "parents forwards": (size) => `scopes:\n${times(size / 25, (i) => `  s${i + 1}: { parent: s${i} }`)}\n  s0: {}`,
  "parents backwards": (size) =>
    `scopes:\n${times(size / 25, (i) => `  s${i}: { parent: s${i + 1} }`)}\n  s${Math.max(1, Math.floor(size / 25))}: {}`,
  "parents in circles": (size) =>
    `scopes:\n${times(size / 50, (i) => `  a${i}: { parent: b${i} }\n  b${i}: { parent: a${i} }`)}`,
  "unknown parents": (size) => `scopes:\n${times(size / 25, (i) => `  s${i}: { parent: t${i} }`)}`,
  anchors: (size) => `variables:\n${times(size / 14, (i) => `  v${i}: &a${i} x`)}`,
  aliases: (size) => `identity: &a x\nvariables:\n${times(size / 12, (i) => `  v${i}: *a`)}`,
  "unknown aliases": (size) => `variables:\n${times(size / 12, (i) => `  v${i}: *b`)}`,
  "alias keys": (size) => `identity: &a x\nvariables:\n${times(size / 8, () => "  *a : x")}`,
  tags: (size) => `variables:\n${times(size / 12, (i) => `  v${i}: !x y`)}`,
  "rows of a preset": (size) => fill('- { id: a, name: "x:y", config: !!js z }\n', size),
  "personas of a preset": (size) => fill('- { name: "@deepseek-ai/dsh-persona", config: { prefix: !!js x } }\n', size),
  documents: (size) => fill("---\nidentity: x\n", size),
  directives: (size) => fill("%YAML 1.2\n", size),
  "broken lines": (size) => fill("a: b: c\n", size),
  plugins: (size) => `plugins: [${times(size / 8, (i) => `p${i}.ts`, ", ")}]`,
  files: (size) => `sections:\n${times(size / 50, (i) => `  - { name: s${i}, order: 0, text: { file: f${i} } }`)}`,
  silences: (size) => `silence:\n${fill("  - { warning: x, at: y, reason: z }\n", size)}`
}

/** A few lines of aliases that stand for very much. */
const bombs: Readonly<Record<string, Family>> = {
  "bomb of lists": (size) =>
    inTool(
      `[&a0 [x, x], ${times(Math.min(size / 60, 60), (i) => `&a${i + 1} [*a${i}, *a${i}, *a${i}, *a${i}]`, ", ")}]`
    ),
  "bomb of maps": (size) =>
    inTool(
      `{ x0: &a0 { a: b }, ${times(Math.min(size / 60, 60), (i) => `x${i + 1}: &a${i + 1} { a: *a${i}, b: *a${i} }`, ", ")} }`
    ),
  "bomb of keys": (size) => `? &a [x, x]\n: x\n${times(size / 8, () => "? *a\n: x")}`,
  "bomb of sections": (size) =>
    `sections: &s\n  - &a { name: s, order: 0, text: ${fill("x", size / 20)} }\n${fill("  - *a\n", size / 2)}scopes: { a: { sections: *s }, b: { sections: *s } }`,
  "merge keys": (size) => `scopes:\n  a: &a { x: y }\n${times(size / 20, (i) => `  s${i}: { <<: *a }`)}`
}

interface Named {
  readonly group: string
  readonly name: string
  readonly make: Family
}

const named = (group: string, families: Readonly<Record<string, Family>>): ReadonlyArray<Named> =>
  Object.entries(families).map(([name, make]) => ({ group, name, make }))

export const families: readonly [Named, ...ReadonlyArray<Named>] = [
  { group: "long", name: "one word", make: (size) => fill("x", size) },
  ...named("nested", nested),
  ...named("long", long),
  ...named("many", many),
  ...named("bomb", bombs)
]
