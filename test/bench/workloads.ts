/**
 * What is assembled: seeded workloads as plain data, which each side registers in its own way.
 *
 * Texts are words with references in between; orders are unique, since the peer breaks ties in
 * another way. `step` is the variable that changes from step to step.
 */
import { seeded, type Random } from "../support/random.ts"

export interface Text {
  readonly name: string
  readonly order: number
  readonly text: string
  /** It is given by a function, which is called for each assembly; `anew` if that makes another string of the same text. */
  readonly dynamic: boolean | "anew"
}

export const provider = ({ text, dynamic }: Text): string | (() => string) => {
  if (dynamic === false) return text
  const [head, tail] = [text.slice(0, 40), text.slice(40)]
  return dynamic === true ? () => text : () => head + tail
}

export interface Tool {
  readonly name: string
  readonly description: string
  readonly parameters: { readonly [key: string]: Json }
}

export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** The contributions of one scope. */
export interface Contributions {
  readonly sections: ReadonlyArray<Text>
  readonly contexts: ReadonlyArray<Text>
  /** Each a function; the value of `step` comes from outside. */
  readonly variables: ReadonlyArray<{ readonly name: string; readonly value: string }>
  /** One list for each provider. */
  readonly tools: ReadonlyArray<ReadonlyArray<Tool>>
  /** How many listeners give the assembly on as it is. */
  readonly listeners: number
}

/** Contributions of a chain of scopes: the global one first. */
export interface Workload {
  readonly name: string
  readonly chain: readonly [Contributions, ...ReadonlyArray<Contributions>]
  readonly toolOrder?: ReadonlyArray<string>
}

export interface Size {
  readonly name: string
  readonly sections: number
  readonly sectionBytes: number
  readonly references: number
  readonly tools: number
  readonly toolBytes: number
  readonly variables: number
  readonly contexts: number
  readonly contextBytes: number
  /** Scopes of the chain, the global one included. */
  readonly depth: number
  readonly listeners: number
}

export const sizes = {
  S: {
    name: "S",
    sections: 9,
    sectionBytes: 465,
    references: 6,
    tools: 8,
    toolBytes: 500,
    variables: 4,
    contexts: 0,
    contextBytes: 0,
    depth: 1,
    listeners: 0
  },
  M: {
    name: "M",
    sections: 31,
    sectionBytes: 985,
    references: 24,
    tools: 30,
    toolBytes: 940,
    variables: 8,
    contexts: 6,
    contextBytes: 600,
    depth: 3,
    listeners: 4
  },
  L: {
    name: "L",
    sections: 301,
    sectionBytes: 1015,
    references: 240,
    tools: 300,
    toolBytes: 2000,
    variables: 20,
    contexts: 50,
    contextBytes: 300,
    depth: 8,
    listeners: 16
  }
} as const satisfies Record<string, Size>

/** The variable whose value changes from step to step. */
export const step = "step"

const words =
  "the agent must read files before it edits them and run tests after each change when a command fails say what failed keep answers short do not guess paths ask only if the task cannot go on without it prefer small steps".split(
    " "
  )

const prose = (random: Random, bytes: number): string => {
  let text = ""
  while (text.length < bytes) text += `${words[random.below(words.length)]!} `
  return text.slice(0, bytes)
}

/** Text of that length with the references spread over it. */
export const textOf = (random: Random, bytes: number, references: ReadonlyArray<string>): string => {
  if (references.length === 0) return prose(random, bytes)
  const taken = references.reduce((sum, name) => sum + name.length + 6, 0)
  const between = Math.max(8, Math.floor((bytes - taken) / (references.length + 1)))
  return references.map((name) => `${prose(random, between)} {{${name}}} `).join("") + prose(random, between)
}

/** A JSON Schema of a tool, about that long as JSON. */
export const toolOf = (random: Random, name: string, bytes: number): Tool => {
  const properties: Record<string, Json> = {}
  const tool = (): Tool => ({
    name,
    description: prose(seeded(1), Math.min(200, Math.floor(bytes / 3))),
    parameters: { type: "object", properties, required: ["path0"], additionalProperties: false }
  })
  for (let i = 0; JSON.stringify(tool()).length < bytes; i++) {
    properties[`path${i}`] =
      i % 3 === 2
        ? { type: "array", items: { type: "string", enum: ["read", "write", "run"] }, minItems: 1 }
        : { type: "string", description: prose(random, 60) }
  }
  return tool()
}

const batched = <A>(all: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size))

const range = (n: number): ReadonlyArray<number> => Array.from({ length: n }, (_, i) => i)

export const nothing: Contributions = { sections: [], contexts: [], variables: [], tools: [], listeners: 0 }

const variableName = (i: number): string => (i === 0 ? step : `variable_${i}`)

export const workload = (size: Size): Workload => {
  const random = seeded(size.sections)
  const names = range(size.variables).map(variableName)
  // The first section refers to `step`; the others to all variables in turn.
  const references = range(size.sections).map((i) =>
    range(
      Math.ceil((size.references * (i + 1)) / size.sections) - Math.ceil((size.references * i) / size.sections)
    ).map((k) => (i === 0 && k === 0 ? step : names[(i + k) % names.length]!))
  )
  const global: Contributions = {
    sections: references.map((used, i) => ({
      name: `section-${i}`,
      order: 10 * (i + 1),
      text: textOf(random, size.sectionBytes, used),
      dynamic: false
    })),
    contexts: range(size.contexts).map((i) => ({
      name: `context-${i}`,
      order: 10 * (i + 1),
      text: textOf(random, size.contextBytes, i % 3 === 0 ? [names[(i + 1) % names.length]!] : []),
      dynamic: i % 2 === 1
    })),
    variables: names.map((name, i) => ({ name, value: `value of ${name} ${i}` })),
    tools: batched(
      range(size.tools).map((i) => toolOf(random, `tool_${(i * 7919) % size.tools}`, size.toolBytes)),
      10
    ),
    listeners: size.listeners
  }
  // Each scope below hides a section and a variable of the global one.
  const below = range(size.depth - 1).map((i): Contributions => ({
    ...nothing,
    sections: [{ ...global.sections[i + 1]!, text: textOf(random, size.sectionBytes, [names[0]!]) }],
    variables: [{ name: names[(i + 1) % names.length]!, value: `value in scope ${i + 1}` }]
  }))
  return { name: size.name, chain: [global, ...below] }
}

/** A change of the global contributions. */
export const withGlobal = (self: Workload, name: string, change: Partial<Contributions>): Workload => {
  const [global, ...below] = self.chain
  return { ...self, name, chain: [{ ...global, ...change }, ...below] }
}
