/** Runs a program in a prompt service, and compares each assembly and rendering with what the plain way gives. */
import { isDeepStrictEqual } from "node:util"
import { Context, Effect, Exit, Layer, Result, Scope } from "effect"
import type { Assembly } from "../../../src/Assembly.ts"
import {
  Annotations,
  type Listener,
  type Provider,
  PromptScope,
  type Rendered,
  SystemPrompt
} from "../../../src/index.ts"
import type { AssembleError, RegistrationError, RenderError, WaterfallError } from "../../../src/PromptError.ts"
import { Cells, copy, Voice } from "./cells.ts"
import * as plain from "./plain.ts"
import type { Entry, Program, Step } from "./program.ts"
import { type Look, Sights } from "./sights.ts"
import { agree, demand, message } from "./wrong.ts"

interface Opened {
  readonly node: PromptScope.PromptScope
  readonly power?: { readonly rebind: PromptScope.Owned["rebind"]; readonly life: Scope.Closeable }
}

interface Living extends plain.Registered {
  readonly scope: number
  readonly life: Scope.Closeable
}

interface Made {
  readonly node: PromptScope.PromptScope
  readonly assembly: Assembly
  readonly plain: Assembly
}

/** The voice of assemblies that providers make for themselves. */
const inner = "inner"

/** For so many open scopes that were rendered lately the same object has to come back. */
const held = 32

const close = (life: Scope.Closeable) => Scope.close(life, Exit.void)

class Machine {
  readonly sights = new Sights()
  readonly #cells = new Cells()
  readonly #scopes = new Map<number, Opened>([[0, { node: PromptScope.global }]])
  readonly #living = new Map<number, Living>()
  readonly #made: Array<Made> = []
  /** What each scope was last rendered to, and what it said; the scope that was rendered last is the last. */
  readonly #rendered = new Map<
    PromptScope.PromptScope,
    { readonly rendered: Rendered.Rendered; readonly said: object }
  >()
  /** How often each provider was called, by voice. */
  readonly #calls = new Map<string, number>()
  readonly #prompt: SystemPrompt["Service"]
  readonly #toolOrder: boolean
  readonly #life: Scope.Scope

  constructor(prompt: SystemPrompt["Service"], toolOrder: boolean, life: Scope.Scope) {
    this.#prompt = prompt
    this.#toolOrder = toolOrder
    this.#life = life
  }

  step(step: Step): Effect.Effect<unknown> {
    this.sights.note(step._tag)
    const cells = this.#cells
    switch (step._tag) {
      case "Text":
        return Effect.sync(() => (cells.texts[step.cell] = step.value))
      case "Value":
        return Effect.sync(() => (cells.values[step.cell] = step.value))
      case "Tools":
        return Effect.sync(() => (cells.tools[step.cell] = step.value))
      case "Edits":
        return Effect.sync(() => (cells.edits[step.cell] = step.value))
      case "Mutate":
        return Effect.sync(() => {
          const tool = cells.own[step.tool]!
          if (step.deep) tool.parameters.note = step.to
          else tool.description = step.to
        })
      case "Open":
        return this.#open(step.id, this.#scope(step.parent))
      case "Close": {
        const { node, power } = this.#scope(step.scope)
        if (power === undefined) return Effect.void
        for (const [id, one] of this.#living) if (this.#scope(one.scope).node === node) this.#living.delete(id)
        return close(power.life)
      }
      case "Rebind":
        return Effect.exit(this.#scope(step.scope).power?.rebind(this.#scope(step.parent).node) ?? Effect.void)
      case "Register":
        return this.#register(step)
      case "End": {
        const life = this.#living.get(step.registration)?.life
        this.#living.delete(step.registration)
        return life === undefined ? Effect.void : close(life)
      }
      default:
        return this.#look(step)
    }
  }

  #look(step: Look): Effect.Effect<unknown> {
    switch (step._tag) {
      case "Assemble":
        return Effect.andThen(
          this.#assemble(this.#scope(step.scope).node, step.voice),
          this.#trace(this.#scope(step.scope).node, step.voice)
        )
      case "Render":
        return this.#render(this.#scope(step.scope).node, step.voice)
      case "Again": {
        const made = this.#made.at(-1 - step.back)
        return made === undefined ? Effect.void : this.#again(made, this.#scope(step.scope).node, step.copy)
      }
      case "Together": {
        const { node } = this.#scope(step.scope)
        return Effect.all(
          ["u", "v"].map((voice) => this.#assemble(node, voice)),
          { concurrency: 2 }
        )
      }
      case "Crowd": {
        const { node } = this.#scope(step.scope)
        return Effect.forEach(Array.from({ length: step.count }), (_, i) =>
          Effect.flatMap(Effect.exit(this.#make(`x${i % 2}`, node)), (made) =>
            Exit.isSuccess(made) ? this.#render(made.value.node, "") : Effect.void
          )
        )
      }
    }
  }

  // ---------------------------------------------------------------------------
  // registering
  // ---------------------------------------------------------------------------

  #scope(id: number): Opened {
    return this.#scopes.get(id) ?? { node: PromptScope.global }
  }

  #make(label: string, parent: PromptScope.PromptScope) {
    return Effect.flatMap(Scope.fork(this.#life), (life) =>
      Effect.map(Scope.provide(PromptScope.make(label, { parent }), life), ({ rebind, scope }): Opened => ({
        node: scope,
        power: { rebind, life }
      }))
    )
  }

  /** Labels repeat. */
  #open(id: number, { node }: Opened): Effect.Effect<unknown> {
    return Effect.exit(Effect.map(this.#make(`x${id % 2}`, node), (opened) => this.#scopes.set(id, opened)))
  }

  #register({ entry, id, scope }: Extract<Step, { _tag: "Register" }>): Effect.Effect<unknown> {
    const constant =
      entry.kind === "tools" ? this.#cells.toolsOf(entry.cell, "") : "way" in entry ? this.#read(entry, "") : undefined
    // It is copied before its author can mutate it.
    const kept = entry.kind === "tools" ? copy(this.#cells.toolsOf(entry.cell, "")) : constant
    return Effect.flatMap(Scope.fork(this.#life), (life) =>
      this.#contribute(entry, id, constant).pipe(
        PromptScope.provide(this.#scope(scope).node),
        Scope.provide(life),
        Effect.exit,
        Effect.map((exit) => {
          if (Exit.isFailure(exit)) return
          const made = plain.skeleton(entry, this.#scope(scope).node.label)
          this.#living.set(id, { id, entry, made, scope, life, constant: kept })
        })
      )
    )
  }

  #contribute(entry: Entry, id: number, constant: unknown): Effect.Effect<void, RegistrationError, Scope.Scope> {
    const prompt = this.#prompt
    switch (entry.kind) {
      case "section":
        return prompt.section({ ...entry, text: this.#provider(entry, id, constant) })
      case "context":
        return prompt.context({ ...entry, text: this.#provider(entry, id, constant) })
      case "variable":
        return prompt.variable(entry.name, this.#provider(entry, id, constant))
      case "tools":
        return prompt.tools(this.#provider(entry, id, constant), { name: entry.name })
      case "listener":
        return prompt.listener(this.#listener(entry))
      case "suppressor":
        return prompt.suppressContexts
    }
  }

  #read(entry: Extract<Entry, { way: unknown }>, voice: string): unknown {
    switch (entry.kind) {
      case "variable":
        return this.#cells.value(entry.cell, voice)
      case "tools":
        return this.#cells.toolsOf(entry.cell, voice)
      default:
        return this.#cells.text(entry.cell, voice)
    }
  }

  #provider(entry: Extract<Entry, { way: unknown }>, id: number, constant: unknown): Provider<never> {
    const call = (voice: string) => {
      const key = `${id} ${voice}`
      this.#calls.set(key, (this.#calls.get(key) ?? 0) + 1)
      // Whatever it is, the assembly has to judge it.
      return this.#read(entry, voice) as never
    }
    switch (entry.way) {
      case "constant":
        return constant as never
      case "function":
        return ({ annotations }) => call(Context.get(annotations, Voice))
      case "effect":
        return Effect.map(Voice, call)
      case "yields":
        return ({ annotations }) => Effect.map(Effect.yieldNow, () => call(Context.get(annotations, Voice)))
      case "nested":
        return ({ annotations, scope }) => {
          const voice = Context.get(annotations, Voice)
          if (voice === inner) return call(voice)
          this.sights.note("nested")
          return Effect.map(Effect.result(this.#observe(scope, inner, this.#prompt.assemble)), (observed) => {
            const expected = this.#expected(scope, inner)
            if (expected !== undefined) agree("assembly of a provider", plain.said(observed), plain.said(expected))
            return call(voice)
          })
        }
    }
  }

  #listener(entry: Extract<Entry, { kind: "listener" }>): Listener.Input<WaterfallError> {
    const { global, how, name, order } = entry
    const options = { name, order, global }
    const edit = plain.editOf(entry, this.#cells)
    switch (how) {
      case "edit":
        return { ...options, edit }
      case "effect":
        return { ...options, edit: (assembly, context) => Effect.sync(() => edit(assembly, context)) }
      case "yields":
        return { ...options, edit: (assembly, context) => Effect.map(Effect.yieldNow, () => edit(assembly, context)) }
      case "around":
        return { ...options, around: (assembly, next, context) => next(edit(assembly, context)) }
      case "post":
        return {
          ...options,
          around: (assembly, next, context) => Effect.map(next(assembly), (after) => edit(after, context))
        }
    }
  }

  // ---------------------------------------------------------------------------
  // comparing
  // ---------------------------------------------------------------------------

  #observe<A, E>(node: PromptScope.PromptScope, voice: string, effect: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return effect.pipe(
      PromptScope.provide(node),
      Effect.provideService(Annotations, voice === "" ? Context.empty() : Context.make(Voice, voice))
    )
  }

  #chain(node: PromptScope.PromptScope): ReadonlyArray<plain.Seen> {
    return PromptScope.chain(node).map((one) => ({
      node: one,
      registered: [...this.#living.values()].filter(({ entry, scope }) =>
        entry.kind === "listener" && entry.global ? one === PromptScope.global : this.#scope(scope).node === one
      )
    }))
  }

  /** What the plain way gives; nothing if only the service itself can tell. */
  #expected(node: PromptScope.PromptScope, voice: string): Result.Result<Assembly, AssembleError> | undefined {
    const chain = this.#chain(node)
    const isPost = chain.some(({ registered }) =>
      registered.some(({ entry }) => entry.kind === "listener" && entry.how === "post")
    )
    return isPost ? undefined : plain.assemble(chain, this.#cells, { voice, toolOrder: this.#toolOrder })
  }

  #assemble(node: PromptScope.PromptScope, voice: string) {
    return Effect.gen({ self: this }, function* () {
      this.#forget(voice)
      const observed = yield* Effect.result(this.#observe(node, voice, this.#prompt.assemble))
      this.#counted(node, voice, Result.isSuccess(observed))
      const expected = this.#expected(node, voice) ?? (yield* this.#traced(node, voice))
      agree("assembly", plain.said(observed), plain.said(expected))
      this.sights.assembled(node, observed)
      if (Result.isFailure(observed) || Result.isFailure(expected)) return undefined
      const made: Made = { node, assembly: observed.success, plain: expected.success }
      this.#made.push(made)
      return made
    })
  }

  #traced(node: PromptScope.PromptScope, voice: string): Effect.Effect<Result.Result<Assembly, AssembleError>> {
    return Effect.result(Effect.map(this.#observe(node, voice, this.#prompt.trace), ({ assembly }) => assembly))
  }

  #trace(node: PromptScope.PromptScope, voice: string) {
    return Effect.map(this.#traced(node, voice), (traced) => {
      const expected = this.#expected(node, voice)
      if (expected !== undefined) agree("trace", plain.said(traced), plain.said(expected))
    })
  }

  /** Half of the renderings are of an assembly made just before, half assemble for themselves. */
  #render(node: PromptScope.PromptScope, voice: string) {
    return Effect.gen({ self: this }, function* () {
      if (voice === "") {
        const made = yield* this.#assemble(node, voice)
        if (made !== undefined) yield* this.#show(node, this.#prompt.renderAssembly(made.assembly), made.plain)
        return
      }
      this.#forget(voice)
      const render = this.#observe(node, voice, this.#prompt.render)
      const expected = this.#expected(node, voice) ?? (yield* this.#traced(node, voice))
      this.#forget(voice)
      yield* this.#show(node, render, expected)
      this.#counted(node, voice, Result.isSuccess(expected))
    })
  }

  #show(
    node: PromptScope.PromptScope,
    render: Effect.Effect<Rendered.Rendered, AssembleError | RenderError>,
    expected: Assembly | Result.Result<Assembly, AssembleError>
  ) {
    return Effect.map(Effect.result(render), (observed) => {
      const said = plain.renderedSaid(observed)
      const assembly = Result.isResult(expected) ? expected : Result.succeed(expected)
      agree("rendering", said, plain.renderedSaid(plain.render(assembly)))
      this.sights.rendered(node, observed)
      if (Result.isFailure(observed)) return
      const before = this.#rendered.get(node)
      const others = [...this.#rendered.keys()].toReversed().indexOf(node)
      if (before !== undefined && !node.closed && others < held && isDeepStrictEqual(before.said, said)) {
        demand(before.rendered === observed.success, () => "nothing that matters changed: it is another object")
      }
      this.#rendered.delete(node)
      this.#rendered.set(node, { rendered: observed.success, said })
    })
  }

  #again({ assembly, node: own, plain: expected }: Made, ambient: PromptScope.PromptScope, isCopy: boolean) {
    const given = isCopy ? { ...assembly } : assembly
    const node = isCopy ? ambient : own
    return this.#show(node, this.#observe(ambient, "", this.#prompt.renderAssembly(given)), expected)
  }

  // ---------------------------------------------------------------------------
  // counting
  // ---------------------------------------------------------------------------

  #forget(voice: string): void {
    for (const key of this.#calls.keys()) if (key.endsWith(` ${voice}`)) this.#calls.delete(key)
  }

  /** Each provider in force was called once, and no other. */
  #counted(node: PromptScope.PromptScope, voice: string, succeeded: boolean): void {
    const inForce = plain.winners(this.#chain(node))
    for (const { entry, id } of this.#living.values()) {
      if (!("way" in entry) || entry.way === "constant") continue
      const calls = this.#calls.get(`${id} ${voice}`) ?? 0
      const expected = inForce.has(id) ? 1 : 0
      demand(succeeded ? calls === expected : calls <= expected, () => `registration ${id} was called ${calls} times`)
    }
  }
}

/** What is wrong with a program, if something is. */
export const run = ({
  steps,
  toolOrder
}: Program): Effect.Effect<{ readonly problem: string | undefined; readonly sights: Sights }> =>
  Effect.scoped(
    Effect.gen(function* () {
      const options = toolOrder ? { toolOrder: plain.toolOrder } : {}
      const services = yield* Effect.orDie(Layer.build(SystemPrompt.layerWith(options)))
      const machine = new Machine(Context.get(services, SystemPrompt), toolOrder, yield* Effect.scope)
      for (const [i, step] of steps.entries()) {
        const exit = yield* Effect.exit(machine.step(step))
        if (Exit.isFailure(exit)) return { problem: `step ${i}: ${message(exit.cause)}`, sights: machine.sights }
      }
      return { problem: undefined, sights: machine.sights }
    })
  )
