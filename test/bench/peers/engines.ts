/**
 * Template engines, each with the whole prompt as one template, compiled beforehand where it can
 * be, strict where it can be, without escaping.
 */
import { PromptTemplate } from "@langchain/core/prompts"
import { Eta } from "eta"
import Handlebars from "handlebars"
import { Liquid } from "liquidjs"
import Mustache from "mustache"
import nunjucks from "nunjucks"

export type Values = Readonly<Record<string, string>>

export interface Engine {
  readonly name: string
  /** For people. */
  readonly what: string
  readonly render: (values: Values) => string | Promise<string>
}

const reference = /\{\{([a-z][a-z0-9_]*)\}\}/g

const mustache = (template: string): Engine => {
  const writer = new Mustache.Writer()
  const config = { escape: (value: string) => value }
  writer.parse(template)
  return {
    name: "mustache",
    what: "mustache, parsed (not strict)",
    render: (values) => writer.render(template, values, undefined, config)
  }
}

const handlebars = (template: string): Engine => {
  const compiled = Handlebars.compile<Values>(template, { noEscape: true, strict: true })
  return { name: "handlebars", what: "handlebars, compiled, strict", render: (values) => compiled(values) }
}

const eta = (template: string): Engine => {
  const engine = new Eta({ autoEscape: false, autoTrim: false })
  const compiled = engine.compile(template.replace(reference, "<%= it.$1 %>"))
  return { name: "eta", what: "eta, compiled (not strict)", render: (values) => engine.render(compiled, values) }
}

const liquid = (template: string): Engine => {
  const engine = new Liquid({ strictVariables: true })
  const parsed = engine.parse(template)
  return {
    name: "liquidjs",
    what: "liquidjs, parsed, strict",
    render: (values) => String(engine.renderSync(parsed, values))
  }
}

const nunjucksEngine = (template: string): Engine => {
  const environment = new nunjucks.Environment(null, { autoescape: false, throwOnUndefined: true })
  const compiled = nunjucks.compile(template, environment)
  return { name: "nunjucks", what: "nunjucks, compiled, strict", render: (values) => compiled.render(values) }
}

const langchain = (template: string, format: "mustache" | "f-string"): Engine => {
  const written = format === "mustache" ? template : template.replace(reference, "{$1}")
  const compiled = PromptTemplate.fromTemplate(written, { templateFormat: format })
  return {
    name: `langchain-${format}`,
    what: `LangChain PromptTemplate, ${format}`,
    render: (values) => compiled.format({ ...values })
  }
}

const replace = (template: string): Engine => ({
  name: "replace",
  what: "`replace` with a regular expression, strict",
  render: (values) =>
    template.replace(reference, (group, name: string) => {
      const value = values[name]
      if (value === undefined) throw new Error(`no value for ${group}`)
      return value
    })
})

/** No engine: the pieces are there, and are joined. Nothing that makes a new flat string is much faster. */
const join = (template: string): Engine => {
  const pieces = template.split(reference)
  const names = pieces.filter((_, i) => i % 2 === 1)
  return {
    name: "join",
    what: "limit: `Array.join` of split pieces",
    render: (values) => {
      for (let i = 0; i < names.length; i++) pieces[2 * i + 1] = values[names[i]!]!
      return pieces.join("")
    }
  }
}

export const all = (template: string): ReadonlyArray<Engine> => [
  handlebars(template),
  eta(template),
  nunjucksEngine(template),
  replace(template),
  liquid(template),
  mustache(template),
  langchain(template, "mustache"),
  langchain(template, "f-string"),
  join(template)
]
