/** Random programs of registrations, endings and assemblies, several of which are on their way at once. */
import { isDeepStrictEqual } from "node:util"
import { assert } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Result, Scope } from "effect"
import {
  type AssembleContext,
  Annotations,
  type Listener,
  PromptScope,
  Rendered,
  SystemPrompt,
  ToolRegistry,
  Waterfall
} from "../../../src/index.ts"
import { registeredAs } from "../../../src/internal/toolLink.ts"
import { type Random } from "../../support/random.ts"
import { untyped } from "../../support/untyped.ts"
import {
  Gate,
  Voice,
  type Made,
  type Way,
  type Slot,
  names,
  texts,
  text,
  values,
  frozenParameters,
  made,
  World,
  toolsOf,
  told,
  answer,
  edited
} from "./contributions.ts"
import { type Failure, assemblySaid, renderedSaid, agree } from "./sights.ts"

// -----------------------------------------------------------------------------
// programs
// -----------------------------------------------------------------------------

/** A waterfall that runs listeners as the usual one does, but not all, or not these. */
const policy = (of: (listeners: ReadonlyArray<Listener.Admitted>) => ReadonlyArray<Listener.Admitted>) =>
  Layer.effect(
    Waterfall,
    Effect.map(Waterfall, (usual) => ({ run: (listeners, base) => usual.run(of(listeners), base) }))
  ).pipe(Layer.provide(Waterfall.layer))

export const policies = {
  usual: Waterfall.layer,
  wrapping: policy((listeners) =>
    listeners.map((one, i) => (i % 2 === 0 ? one : { ...one, run: (given, next) => one.run(given, next) }))
  ),
  reversing: policy((listeners) => listeners.toReversed()),
  choosing: policy((listeners) => listeners.filter(({ order }) => order !== 1))
}

const ways: readonly [Way, ...ReadonlyArray<Way>] = [
  ...(["plain", "plain", "plain", "plain", "plain", "exit", "effect"] as const),
  ...(["yields", "waits", "waits", "waits", "calls", "calls another"] as const)
]

const failures: readonly [Way, ...ReadonlyArray<Way>] = ["throws", "fails", "dies"]

const voices = ["", "", "", "v"].map((voice) => (voice === "" ? Context.empty() : Context.make(Voice, voice)))

export const options = (random: Random) => ({
  ...(random.oneIn(8)
    ? {
        toolOrder: random.pick([
          ["u", "<unlisted-tools>"],
          ["<unlisted-tools>", "w"]
        ])
      }
    : undefined),
  sortToolKeys: random.oneIn(3)
})

type Policy = keyof typeof policies

export const anyPolicy = (random: Random): Policy =>
  random.pick(["usual", "usual", "wrapping", "reversing", "choosing"])

export class Machine {
  readonly labels: Array<string> = []
  readonly #seed: number
  readonly #random: Random
  readonly #life: Scope.Scope
  readonly #prompt: SystemPrompt["Service"]
  readonly #registry: ToolRegistry["Service"]
  readonly #world = new World()
  readonly #scopes = [PromptScope.global]
  readonly #owned: Array<PromptScope.Owned & { readonly own: Scope.Closeable }> = []
  readonly #lives: Array<Scope.Closeable> = []
  /** What a scope was last rendered to, as long as nobody else has rendered it since. */
  readonly #held = new Map<PromptScope.PromptScope, { said: object; rendered: Rendered.Rendered }>()

  constructor(seed: number, random: Random, life: Scope.Scope, services: Context.Context<SystemPrompt | ToolRegistry>) {
    this.#seed = seed
    this.#random = random
    this.#life = life
    this.#prompt = Context.get(services, SystemPrompt)
    this.#registry = Context.get(services, ToolRegistry)
  }

  run() {
    return Effect.gen({ self: this }, function* () {
      // Labels repeat.
      for (const label of ["x", "y", "x"]) yield* this.#open(label, PromptScope.global)
      yield* this.#open("zz", this.#scopes[1]!)
      const global = PromptScope.provide(PromptScope.global)
      for (const name of names) yield* global(this.#prompt.variable(name, "0"))
      for (const name of ["g0", "g1", "g2"]) {
        const slot = this.#texting()
        slot.way = "plain"
        yield* global(this.#prompt.section({ name, order: 0, text: this.#provider(slot) }))
      }
      for (let i = 0; i < 12; i++) yield* this.#add()
      for (let i = 0; i < 26; i++) yield* this.#step(i)
      if (this.#world.calls > 0) this.labels.push("called the service")
    })
  }

  #step(i: number): Effect.Effect<unknown> {
    const kind = this.#random.below(20)
    if (kind < 6) return this.#set()
    if (kind < 8) return this.#add()
    if (kind < 9) return this.#end()
    if (kind < 10) return this.#move()
    return kind < 13 ? this.#overtake(i) : this.#look(i)
  }

  // ---------------------------------------------------------------------------
  // what changes
  // ---------------------------------------------------------------------------

  #open(label: string, parent: PromptScope.PromptScope) {
    return Effect.gen({ self: this }, function* () {
      const own = yield* Scope.fork(this.#life)
      const made = yield* PromptScope.make(label, { parent }).pipe(Scope.provide(own))
      this.#owned.push({ ...made, own })
      this.#scopes.push(made.scope)
    }).pipe(Effect.exit)
  }

  #move() {
    return Effect.gen({ self: this }, function* () {
      const one = this.#owned[this.#random.below(this.#owned.length)]!
      const parent = this.#anyScope()
      if (this.#random.oneIn(3)) yield* Scope.close(one.own, Exit.void)
      else yield* Effect.exit(one.rebind(parent))
      if (this.#random.oneIn(2)) yield* this.#open("x", parent)
    })
  }

  #anyScope = () => this.#scopes[this.#random.below(this.#scopes.length)]!

  /** Most look at one scope again and again. */
  #seen = () => (this.#random.oneIn(2) ? this.#scopes[this.#seed % 5]! : this.#anyScope())

  #slot(give: (slot: Slot, context: AssembleContext) => unknown): Slot {
    const random = this.#random
    const slot: Slot = {
      way: random.pick(ways),
      value: random.below(1024),
      give: (context) => give(slot, context)
    }
    this.#world.slots.push(slot)
    return slot
  }

  #texting = () => this.#slot((slot, context) => text(told(slot.value, context)))

  #provider(slot: Slot) {
    const forget = (scope: PromptScope.PromptScope) => this.#held.delete(scope)
    return (context: AssembleContext) => untyped(answer(this.#world, slot, this.#prompt, context, this.#scopes, forget))
  }

  #set = () =>
    Effect.sync(() => {
      for (let n = this.#random.below(3); n >= 0; n--) set(this.#world, this.#random)
    })

  #end(): Effect.Effect<void> {
    const own = this.#lives[this.#random.below(this.#lives.length)]
    return own === undefined ? Effect.void : Scope.close(own, Exit.void)
  }

  #add() {
    return Effect.gen({ self: this }, function* () {
      const own = yield* Scope.fork(this.#life)
      this.#lives.push(own)
      const registered: Effect.Effect<void, unknown, Scope.Scope> = this.#register(this.#random.below(18))
      yield* Effect.exit(registered.pipe(PromptScope.provide(this.#anyScope()), Scope.provide(own)))
    })
  }

  #register(kind: number) {
    const [prompt, random, registry] = [this.#prompt, this.#random, this.#registry]
    const place = { order: random.below(2), name: `s${random.below(5)}` }
    if (kind < 3) {
      const value = random.oneIn(4) ? random.pick(texts) : this.#provider(this.#texting())
      return prompt.section({ ...place, text: value, ...(random.oneIn(6) ? { requires: ["t"] } : undefined) })
    }
    if (kind < 4) return prompt.context({ ...place, text: this.#provider(this.#texting()) })
    if (kind < 7) {
      const slot = this.#slot((slot, context) => values[told(slot.value, context) % values.length])
      return prompt.variable(random.pick(names), random.oneIn(4) ? "k" : this.#provider(slot))
    }
    if (kind < 8) {
      const slot = this.#slot((slot, context) => toolsOf(this.#world, slot.value, context))
      return prompt.tools(this.#provider(slot), random.oneIn(2) ? { name: "p" } : undefined)
    }
    if (kind === 8) return prompt.suppressContexts
    if (kind === 9) return prompt.persona({ prefix: random.pick(texts), suffix: "end" })
    if (kind < 12) {
      const tool = { name: random.pick(["t", "u", "r"]), description: "d0", parameters: frozenParameters }
      return random.oneIn(4) ? registry.restrict({ deny: ["t"] }) : registry.register(tool)
    }
    return this.#listen()
  }

  #listen() {
    const random = this.#random
    const slot = this.#slot(() => undefined)
    const salt = `k${this.#world.slots.length}_`
    const options = { order: random.below(3), name: `l${random.below(9)}`, global: random.oneIn(5) }
    if (random.oneIn(5)) {
      return this.#prompt.listener({
        ...options,
        around: (assembly, next, context) =>
          Effect.map(next(edited(slot, assembly, context, salt)), (after) => edited(slot, after, context, `${salt}_`))
      })
    }
    return this.#prompt.listener({
      ...options,
      edit: (assembly, context) => {
        const run = () => edited(slot, assembly, context, salt)
        if (slot.way === "effect") return Effect.sync(run)
        const gate = Context.get(context.annotations, Gate)
        return slot.way === "waits" && gate !== undefined ? Effect.map(Deferred.await(gate), run) : run()
      }
    })
  }

  // ---------------------------------------------------------------------------
  // what is compared
  // ---------------------------------------------------------------------------

  #for(scope: PromptScope.PromptScope, annotations: Context.Context<never>) {
    const at = <A, E>(effect: Effect.Effect<A, E>) =>
      effect.pipe(PromptScope.provide(scope), Effect.provideService(Annotations, annotations), Effect.result)
    return {
      assembled: at(this.#prompt.assemble),
      rendered: at(this.#prompt.render),
      traced: at(Effect.map(this.#prompt.trace, ({ assembly }) => assembly))
    }
  }

  #look(i: number) {
    return Effect.gen({ self: this }, function* () {
      const scope = this.#seen()
      const { assembled, rendered, traced } = this.#for(scope, voices[this.#random.below(voices.length)]!)
      const observed = yield* assembled
      const expected = yield* traced
      for (const one of [observed, expected]) {
        if (Result.isSuccess(one) && this.#random.oneIn(2)) yield* Effect.exit(this.#prompt.renderAssembly(one.success))
      }
      this.#judge(`${this.#seed}/${i}`, scope, observed, yield* rendered, expected)
      for (const slot of this.#world.slots) if (failures.includes(slot.way)) slot.way = "plain"
    })
  }

  /** Several assemblies wait while others are made and things change; some are interrupted. */
  #overtake(i: number) {
    return Effect.gen({ self: this }, function* () {
      const random = this.#random
      const pending = []
      for (let n = random.below(3); n >= 0; n--) {
        const scope = this.#seen()
        const gate = Deferred.makeUnsafe<void>()
        const voice = voices[random.below(voices.length)]!
        const { assembled, rendered, traced } = this.#for(scope, Context.add(voice, Gate, gate))
        const start = <A>(effect: Effect.Effect<A>) => Effect.forkChild(effect, { startImmediately: true })
        const fibers = [yield* start(assembled), yield* start(rendered), yield* start(traced)] as const
        const waits = fibers[0].pollUnsafe() === undefined
        if (waits) this.labels.push("waited")
        this.#held.delete(scope)
        pending.push({ fibers, gate, scope, waits })
        if (random.oneIn(2)) yield* this.#set()
        if (random.oneIn(3)) yield* this.#look(i)
        if (random.oneIn(4)) yield* this.#add()
        if (random.oneIn(6)) yield* this.#end()
      }
      for (const { fibers, gate, scope, waits } of random.oneIn(2) ? pending.toReversed() : pending) {
        if (random.oneIn(4)) {
          yield* Fiber.interruptAll(fibers)
          if (waits) this.labels.push("interrupted")
          continue
        }
        yield* Deferred.succeed(gate, undefined)
        const assembled = yield* Fiber.join(fibers[0])
        const rendered = yield* Fiber.join(fibers[1])
        this.#held.delete(scope)
        this.#judge(`${this.#seed}/${i} overtaken`, scope, assembled, rendered, yield* Fiber.join(fibers[2]))
        this.#held.delete(scope)
      }
    })
  }

  #judge(
    what: string,
    scope: PromptScope.PromptScope,
    observed: Result.Result<Made, Failure>,
    rendered: Result.Result<Rendered.Rendered, Failure>,
    traced: Result.Result<Made, Failure>
  ): void {
    agree(`${what}: assembly`, assemblySaid(observed), assemblySaid(traced))
    if (Result.isSuccess(observed) && Result.isSuccess(traced)) this.#judgeLinks(what, observed.success, traced.success)
    const said = renderedSaid(rendered)
    agree(`${what}: rendering`, said, renderedSaid(Result.flatMap(traced, (assembly) => Rendered.render(assembly))))
    this.labels.push(Result.isSuccess(rendered) ? "rendered" : rendered.failure._tag)
    if (Result.isFailure(rendered)) return
    const before = this.#held.get(scope)
    if (before !== undefined && !scope.closed) {
      const isSame = isDeepStrictEqual(before.said, said)
      this.labels.push(isSame ? "the same" : "another")
      if (isSame) assert.strictEqual(rendered.success, before.rendered, `${what}: nothing changed`)
    }
    this.#held.set(scope, { said, rendered: rendered.success })
  }

  /** What a registered tool was registered as is the same, whoever made the assembly. */
  #judgeLinks(what: string, { tools }: Made, traced: Made): void {
    for (const [at, tool] of tools.entries()) {
      const link = registeredAs(tool)
      assert.strictEqual(link, registeredAs(traced.tools[at]!), `${what}: ${tool.schema.name}`)
      if (link !== undefined) this.labels.push(tool.origin.listener === undefined ? "registered tool" : "edited tool")
    }
  }
}

const set = (world: World, random: Random): void => {
  const slot = world.slots[random.below(world.slots.length)]!
  if (random.oneIn(30)) slot.way = random.pick(failures)
  else if (random.oneIn(3)) slot.way = random.pick(ways)
  else slot.value = random.oneIn(2) ? random.below(1024) : slot.value ^ random.pick([2, 4, 6])
  if (!random.oneIn(6)) return
  world.own.description = `${random.below(2)}`
  world.own.parameters.note.deep = random.below(2)
  world.ownList.length = 0
  world.ownList.push(...random.pick([[world.own], [world.own, made[0]!], [made[1]!]]))
}
