/** Random registries of tools, and the rules of views once more, as slow and plain as they can be said. */
import { Arbitrary, Effect, Schema } from "effect"
import { Assembly, PromptScope, SystemPrompt, ToolRegistry } from "../../src/index.ts"
import { tool } from "./support.ts"

/** Near to each other, so that one is often the nearest of another. */
export const names = ["read", "raed", "rea", "write", "writ", "ls", "rm", "read_all"] as const

const below = (n: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: n - 1 }))

const Names = Schema.Array(below(names.length))

const Place = Schema.Struct({ scope: below(4), name: below(names.length) })

const Restriction = Schema.Struct({
  scope: below(4),
  allow: Schema.UndefinedOr(Names),
  deny: Schema.UndefinedOr(Names.check(Schema.isMinLength(3)))
})

/** Scope 0 is the global one; the others are three below it. */
export interface World {
  readonly parents: ReadonlyArray<number>
  readonly tools: ReadonlyArray<typeof Place.Type>
  readonly restrictions: ReadonlyArray<typeof Restriction.Type>
  /** By a listener of that scope. */
  readonly removed: ReadonlyArray<typeof Place.Type>
  /** Tools of a bare provider of that scope. */
  readonly bare: ReadonlyArray<typeof Place.Type>
  /** The scope to look at. */
  readonly target: number
}

const places = (minLength: number, maxLength: number) =>
  Arbitrary.array(Arbitrary.schema(Place), { minLength, maxLength })

export const world: Arbitrary.Arbitrary<World> = Arbitrary.all({
  parents: Arbitrary.schema(Schema.Tuple([below(1), below(2), below(3)])),
  tools: places(8, 16),
  restrictions: Arbitrary.array(Arbitrary.schema(Restriction), { minLength: 2, maxLength: 5 }),
  removed: places(0, 2),
  bare: places(0, 2),
  target: Arbitrary.schema(below(4))
})

// -----------------------------------------------------------------------------
// by the rules
// -----------------------------------------------------------------------------

/** The scope and all above it, nearest first. */
export const chainOf = ({ parents }: Pick<World, "parents">, scope: number): ReadonlyArray<number> =>
  scope === 0 ? [0] : [scope, ...chainOf({ parents }, parents[scope - 1]!)]

const named = (given: ReadonlyArray<number>) => given.map((one) => names[one]!)

/** What the scope inherits, admitted or not. */
const inherited = (self: World, scope: number): ReadonlyArray<string> => {
  const above = new Set(chainOf(self, scope).slice(1))
  return self.tools.filter((one) => above.has(one.scope)).map(({ name }) => names[name]!)
}

/** The restrictions that can be registered: where something is inherited, of what is. */
export const restrictionsOf = (self: World) =>
  self.restrictions.flatMap(({ allow, deny, scope }) => {
    const known = new Set<string>(inherited(self, scope))
    const some = (given: ReadonlyArray<number> | undefined): ReadonlyArray<string> | undefined =>
      given && named(given).filter((name) => known.has(name))
    const lists = { allow: some(allow), deny: some(deny) }
    return scope === 0 || (allow === undefined && deny === undefined) ? [] : [{ scope, ...lists }]
  })

/** Which scope's tool of that name the target is shown, by the rules; none, if it is shown none. */
export const ownerOf = (self: World, name: string): number | undefined => {
  const chain = chainOf(self, self.target)
  const owner = chain.find((scope) => self.tools.some((one) => one.scope === scope && names[one.name] === name))
  if (owner === undefined || owner === self.target) return owner
  const admitted = restrictionsOf(self)
    .filter(({ scope }) => chain.includes(scope))
    .every(({ allow, deny }) => deny?.includes(name) !== true && (allow === undefined || allow.includes(name)))
  return admitted ? owner : undefined
}

const onChain = (self: World, list: World["bare"], name: string): boolean =>
  list.some((one) => names[one.name] === name && chainOf(self, self.target).includes(one.scope))

/** What a call of that name does: it runs the tool of that scope, or fails so. */
export const answerTo = (self: World, name: string): string => {
  if (onChain(self, self.removed, name)) return "ToolNotFound"
  const owner = ownerOf(self, name)
  if (owner !== undefined) return `runs ${name} of ${owner}`
  return onChain(self, self.bare, name) ? "ToolWithoutHandler" : "ToolNotFound"
}

// -----------------------------------------------------------------------------
// registered
// -----------------------------------------------------------------------------

/** Registers all of it over the given services, and makes the assembly of the target. */
export const build = Effect.fnUntraced(function* (self: World) {
  const registry = yield* ToolRegistry
  const prompt = yield* SystemPrompt
  const scopes: Array<PromptScope.PromptScope> = [PromptScope.global]
  for (const parent of self.parents) {
    scopes.push((yield* PromptScope.make(`s${scopes.length}`, { parent: scopes[parent] })).scope)
  }
  const within = (scope: number) => PromptScope.provide(scopes[scope]!)
  const registered = new Set<string>()
  for (const { name, scope } of self.tools) {
    const key = `${names[name]!} of ${scope}`
    if (registered.has(key)) continue
    registered.add(key)
    yield* within(scope)(registry.register(tool(names[name]!, { says: `runs ${key}` })))
  }
  for (const { scope, ...lists } of restrictionsOf(self)) yield* within(scope)(registry.restrict(lists))
  for (const [nth, { name, scope }] of self.removed.entries()) {
    const listener = { name: `l${nth}`, edit: Assembly.removeTool(names[name]!) }
    yield* within(scope)(prompt.listener(listener))
  }
  for (const { name, scope } of self.bare) {
    yield* within(scope)(prompt.tools([{ name: names[name]!, description: "bare", parameters: {} }]))
  }
  return { assembly: yield* within(self.target)(prompt.assemble), scope: scopes[self.target]! }
})
