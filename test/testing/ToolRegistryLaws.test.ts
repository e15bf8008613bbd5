import { describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { PromptScope, SystemPrompt, ToolError, ToolRegistry } from "effect-preamble"
import { ToolRegistryLaws } from "effect-preamble/testing"
import { untyped } from "../support/untyped.ts"
import { breaks, holds, misused, unjudged } from "./support/reports.ts"

type Service = ToolRegistry["Service"]

/** The real registry with a fault of its own, anew in each build. */
const faulty = (
  fault: (registry: Service, prompt: SystemPrompt["Service"]) => Partial<Service>
): Layer.Layer<ToolRegistry, never, SystemPrompt> =>
  Layer.effect(
    ToolRegistry,
    Effect.gen(function* () {
      const registry = yield* ToolRegistry
      return ToolRegistry.of({ ...registry, ...fault(registry, yield* SystemPrompt) })
    })
  ).pipe(Layer.provide(ToolRegistry.layer))

/** Whatever is wrong with a registry, the model says so, too. */
const others = (registry: Layer.Layer<ToolRegistry, never, SystemPrompt>) =>
  ToolRegistryLaws.all(registry).filter((law) => law.name !== "tool registry: follows the model")

const text = (...lines: ReadonlyArray<string>): string => lines.join("\n")

const anyCall = { tool: "", arguments: {}, scope: PromptScope.global, annotations: Context.empty() }

/** As a step of a counterexample. */
const registered = (name: string): string =>
  text(
    "    {",
    '      _tag: "Register",',
    "      scope: 0,",
    `      contribution: { _tag: "Tool", options: { name: "${name}", parameters: "path", handler: "answers" } }`,
    "    }"
  )

describe("the registry", () => {
  it.effect("keeps all laws", () => holds(ToolRegistryLaws.all(ToolRegistry.layer)))
  it.effect("keeps them with a harmless layer around it", () => holds(ToolRegistryLaws.all(faulty(() => ({})))))
})

describe("callsShown", () => {
  it.effect("finds a call that takes nearly the right name", () =>
    breaks(
      [
        ToolRegistryLaws.callsShown(
          faulty(({ call }) => ({ call: (view, tool, args) => call(view, tool.toLowerCase(), args) }))
        )
      ],
      "tool registry: shown is callable",
      {
        counterexample: text("{", "  steps: [", registered("bash"), "  ],", "  scope: 1", "}"),
        expected: "ToolNotFound",
        seen: text(
          '"Bash", where the model was shown "bash": {',
          '  _tag: "Answered",',
          "  ran: [0],",
          '  answer: { registration: 0, arguments: { path: "a" }, scope: "global", current: "global" }',
          "}"
        )
      }
    )
  )
  it.effect("finds a call that does not take a name that is shown", () =>
    breaks(
      others(
        faulty(({ call }) => {
          const inherited: Readonly<Record<string, unknown>> = {}
          return {
            call: (view, tool, args) =>
              inherited[tool] === undefined
                ? call(view, tool, args)
                : Effect.fail(new ToolError.ToolNotFound({ tool, known: view.tools.map(({ schema }) => schema.name) }))
          }
        })
      ),
      "tool registry: shown is callable",
      {
        counterexample: text("{", "  steps: [", registered("__proto__"), "  ],", "  scope: 1", "}"),
        expected: "a tool that is found",
        seen: text(
          '"__proto__", where the model was shown "__proto__": {',
          '  _tag: "Refused",',
          "  ran: [],",
          '  failure: { tag: "ToolNotFound", names: ["__proto__"], known: ["__proto__"] }',
          "}"
        )
      }
    )
  )
})

describe("hides", () => {
  it.effect("finds an error that tells of what is registered elsewhere", () =>
    breaks(
      others(
        faulty(({ call, register }) => {
          const registered = new Set<string>()
          return {
            register: (options) => Effect.tap(register(options), () => Effect.sync(() => registered.add(options.name))),
            call: (view, tool, args) =>
              Effect.catchTag(call(view, tool, args), "ToolNotFound", (error) =>
                Effect.fail(registered.has(tool) ? new ToolError.ToolNotFound({ ...error, nearest: tool }) : error)
              )
          }
        })
      ),
      "tool registry: hidden does not exist",
      {
        counterexample: text(
          "{",
          "  steps: [",
          '    { _tag: "Open", label: "agent", parent: 0 },',
          `${registered("bash")},`,
          '    { _tag: "Register", scope: 1, contribution: { _tag: "Restriction", options: { allow: [] } } }',
          "  ],",
          "  scope: 1",
          "}"
        ),
        expected:
          'there is no tool "bash". There are no tools to call. ({ _tag: "ToolNotFound", tool: "bash", known: [] })',
        seen: 'there is no tool "bash". Did you mean "bash"? There are no tools to call. ({ _tag: "ToolNotFound", tool: "bash", known: [], nearest: "bash" })'
      }
    )
  )
  it.effect("finds a call that runs and denies it", () =>
    breaks(
      [
        ToolRegistryLaws.hides(
          faulty(({ call }, prompt) => ({
            call: (view, tool, args) =>
              Effect.catchTag(call(view, tool, args), "ToolNotFound", (error) =>
                prompt.assemble.pipe(
                  PromptScope.provide(PromptScope.global),
                  Effect.flatMap((all) => call(all, tool, args)),
                  Effect.ignore,
                  Effect.andThen(Effect.fail(error))
                )
              )
          }))
        )
      ],
      "tool registry: hidden does not exist",
      {
        counterexample: text(
          "{",
          "  steps: [",
          '    { _tag: "Open", label: "agent", parent: 0 },',
          '    { _tag: "Open", label: "agent", parent: 1 },',
          `${registered("read")},`,
          "    {",
          '      _tag: "Register",',
          "      scope: 1,",
          '      contribution: { _tag: "Restriction", options: { deny: ["read"] } }',
          "    }",
          "  ],",
          "  scope: 2",
          "}"
        ),
        expected: 'nothing runs for "read"',
        seen: "registration 0 ran"
      }
    )
  )
})

describe("restrictionsEnd", () => {
  it.effect("finds a restriction that outlives its Effect scope", () =>
    breaks(
      others(
        faulty(({ restrict }) => ({
          restrict: (options) => Effect.flatMap(Scope.make(), (forever) => Scope.provide(restrict(options), forever))
        }))
      ),
      "tool registry: restrictions end",
      {
        counterexample: text(
          "{",
          "  steps: [",
          registered("__proto__"),
          "  ],",
          "  scope: 1,",
          '  restriction: { list: "allow", tools: [] },',
          '  ends: "its Effect scope"',
          "}"
        ),
        expected: 'once its Effect scope has ended, "__proto__"',
        seen: "no tools"
      }
    )
  )
  it.effect("finds a restriction that outlives its prompt scope", () =>
    breaks(
      others(
        faulty(({ restrict }, prompt) => {
          let count = 0
          return {
            restrict: Effect.fnUntraced(function* ({ allow, deny = [] }) {
              const scope = yield* PromptScope.Current
              yield* restrict({ allow, deny })
              const passes = (name: string) => !deny.includes(name) && (allow === undefined || allow.includes(name))
              yield* Effect.orDie(
                prompt.listener({
                  name: `restriction ${count++}`,
                  edit: (assembly, context) =>
                    PromptScope.chain(context.scope).includes(scope)
                      ? {
                          ...assembly,
                          tools: assembly.tools.filter(
                            ({ origin, schema }) => passes(schema.name) || origin.scope === context.scope.label
                          )
                        }
                      : assembly
                })
              ).pipe(PromptScope.provide(PromptScope.global))
            })
          }
        })
      ),
      "tool registry: restrictions end",
      {
        counterexample: text(
          "{",
          "  steps: [",
          registered("bash"),
          "  ],",
          "  scope: 1,",
          '  restriction: { list: "allow", tools: [] },',
          '  ends: "its prompt scope"',
          "}"
        ),
        expected: 'once its prompt scope has ended, "bash"',
        seen: "no tools"
      }
    )
  )
  it.effect("finds a restriction that hides nothing", () =>
    breaks(
      others(
        faulty(({ restrict }) => ({
          restrict: ({ allow }) => (allow === undefined ? Effect.asVoid(Effect.scope) : restrict({ allow }))
        }))
      ),
      "tool registry: restrictions end",
      {
        counterexample: text(
          "{",
          "  steps: [",
          registered("bash"),
          "  ],",
          "  scope: 1,",
          '  restriction: { list: "deny", tools: ["bash"] },',
          '  ends: "its Effect scope"',
          "}"
        ),
        expected: "while it is there, no tools",
        seen: '"bash"'
      }
    )
  )
})

describe("keepsOwn", () => {
  it.effect("finds a scope that cannot register once it is restricted", () =>
    breaks(
      others(
        faulty(({ register, restrict }) => {
          const restricted = new Set<PromptScope.PromptScope>()
          return {
            restrict: (options) =>
              Effect.flatMap(PromptScope.Current, (scope) =>
                Effect.tap(restrict(options), () => Effect.sync(() => restricted.add(scope)))
              ),
            register: (options) =>
              Effect.flatMap(PromptScope.Current, (scope) =>
                restricted.has(scope) ? Effect.asVoid(Effect.scope) : register(options)
              )
          }
        })
      ),
      "tool registry: own tools stay",
      {
        counterexample: '{ steps: [], scope: 1, own: ["a"], restrictedFirst: true }',
        expected: 'its own tools: "a"',
        seen: "no tools"
      }
    )
  )
  it.effect("finds own tools that are shown and do not run", () =>
    breaks(
      others(
        faulty(({ register }) => ({
          register: (options) =>
            Effect.flatMap(PromptScope.Current, (scope) =>
              register(scope === PromptScope.global ? options : { ...options, handler: undefined })
            )
        }))
      ),
      "tool registry: own tools stay",
      {
        counterexample: '{ steps: [], scope: 1, own: ["bash"], restrictedFirst: false }',
        expected: '"own bash"',
        seen: text(
          "{",
          '  _tag: "Refused",',
          "  ran: [],",
          '  failure: { tag: "ToolWithoutHandler", kind: "tool", entry: "bash", scope: "law" }',
          "}"
        )
      }
    )
  )
})

describe("restrictionsAddUp", () => {
  it.effect("finds a restriction that replaces the one before", () =>
    breaks(
      others(
        faulty(({ restrict }) => {
          const last = new Map<PromptScope.PromptScope, Scope.Closeable>()
          return {
            restrict: Effect.fnUntraced(function* (options) {
              const scope = yield* PromptScope.Current
              const life = yield* Scope.fork(yield* Effect.scope)
              yield* Scope.provide(restrict(options), life)
              const before = last.get(scope)
              if (before !== undefined) yield* Scope.close(before, Exit.void)
              last.set(scope, life)
            })
          }
        })
      ),
      "tool registry: restrictions add up",
      {
        counterexample: text(
          "{",
          "  steps: [",
          registered("bash"),
          "  ],",
          "  scope: 1,",
          '  upper: { list: "deny", tools: [] },',
          '  lower: { list: "allow", tools: [] },',
          '  of: "one scope",',
          '  made: "lower first"',
          "}"
        ),
        expected: 'no tools; under the upper alone "bash", under the lower alone no tools',
        seen: '"bash"'
      }
    )
  )
  it.effect("finds a restriction that replaces that of the scope above", () =>
    breaks(
      [
        ToolRegistryLaws.restrictionsAddUp(
          faulty(({ restrict }) => {
            const made: Array<{ readonly scope: PromptScope.PromptScope; readonly life: Scope.Closeable }> = []
            return {
              restrict: Effect.fnUntraced(function* (options) {
                const scope = yield* PromptScope.Current
                const life = yield* Scope.fork(yield* Effect.scope)
                yield* Scope.provide(restrict(options), life)
                for (const one of made) if (one.scope === scope.parent) yield* Scope.close(one.life, Exit.void)
                made.push({ scope, life })
              })
            }
          })
        )
      ],
      "tool registry: restrictions add up",
      {
        counterexample: text(
          "{",
          "  steps: [",
          registered("B"),
          "  ],",
          "  scope: 1,",
          '  upper: { list: "allow", tools: [] },',
          '  lower: { list: "deny", tools: [] },',
          '  of: "two scopes",',
          '  made: "upper first"',
          "}"
        ),
        expected: 'no tools; under the upper alone no tools, under the lower alone "B"',
        seen: '"B"'
      }
    )
  )
})

describe("guardsRefuse", () => {
  it.effect("finds guards that let through what they fail at", () =>
    breaks(
      others(
        faulty(({ guard }) => ({
          guard: (options) =>
            guard({
              ...options,
              check: (call) => {
                const given = options.check(call)
                return Effect.isEffect(given) ? Effect.catchCause(given, () => Effect.succeed(undefined)) : given
              }
            })
        }))
      ),
      "tool registry: guards only refuse",
      {
        counterexample: text("{", "  steps: [", registered("bash"), "  ],", "  scope: 1,", '  guard: "fails"', "}"),
        expected: 'for "bash", GuardFailure, and nothing that runs after the guard',
        seen: text(
          "{",
          '  _tag: "Answered",',
          "  ran: [1, 0],",
          '  answer: { registration: 0, arguments: { path: "a" }, scope: "global", current: "global" }',
          "}; without the guard {",
          '  _tag: "Answered",',
          "  ran: [0],",
          '  answer: { registration: 0, arguments: { path: "a" }, scope: "global", current: "global" }',
          "}"
        )
      }
    )
  )
  it.effect("finds guards that nobody asks", () =>
    breaks(others(faulty(() => ({ guard: () => Effect.asVoid(Effect.scope) }))), "tool registry: guards only refuse", {
      counterexample: text("{", "  steps: [", registered("bash"), "  ],", "  scope: 1,", '  guard: "passes"', "}"),
      expected: 'for "bash", the same as without the guard, once that was asked',
      seen: text(
        "{",
        '  _tag: "Answered",',
        "  ran: [0],",
        '  answer: { registration: 0, arguments: { path: "a" }, scope: "global", current: "global" }',
        "}; without the guard {",
        '  _tag: "Answered",',
        "  ran: [0],",
        '  answer: { registration: 0, arguments: { path: "a" }, scope: "global", current: "global" }',
        "}"
      )
    })
  )
  it.effect("finds guards that are asked for what does not exist", () =>
    breaks(
      [
        ToolRegistryLaws.guardsRefuse(
          faulty(({ call, guard }) => {
            const refusing: Array<string> = []
            return {
              guard: (options) =>
                Effect.tap(guard(options), () =>
                  Effect.sync(() => {
                    const said = options.check(anyCall)
                    if (typeof said === "string") refusing.push(said)
                  })
                ),
              call: (view, tool, args) => {
                const [reason] = refusing
                return reason === undefined
                  ? call(view, tool, args)
                  : Effect.fail(new ToolError.ToolRefused({ kind: "guard", entry: "", scope: "global", tool, reason }))
              }
            }
          })
        )
      ],
      "tool registry: guards only refuse",
      {
        counterexample: '{ steps: [], scope: 1, guard: "refuses" }',
        expected: 'for "bash", the same as without the guard',
        seen: text(
          "{",
          '  _tag: "Refused",',
          "  ran: [],",
          "  failure: {",
          '    tag: "ToolRefused",',
          '    kind: "guard",',
          '    entry: "",',
          '    scope: "global",',
          '    names: ["bash"],',
          '    reason: "registration 0"',
          "  }",
          '}; without the guard { _tag: "Refused", ran: [], failure: { tag: "ToolNotFound", names: ["bash"], known: [] } }'
        )
      }
    )
  )
})

describe("followsModel", () => {
  it.effect("finds what no other law says", () =>
    breaks(
      ToolRegistryLaws.all(faulty(({ view }) => ({ view: (scope) => ({ ...view(scope), hidden: [] }) }))),
      "tool registry: follows the model",
      {
        counterexample: text(
          "{",
          "  steps: [",
          '    { _tag: "Open", label: "agent", parent: 0 },',
          `${registered("read")},`,
          "    {",
          '      _tag: "Register",',
          "      scope: 1,",
          '      contribution: { _tag: "Restriction", options: { allow: [], deny: ["read"] } }',
          "    },",
          '    { _tag: "View", scope: 1 }',
          "  ]",
          "}"
        ),
        expected: text(
          "in step 4, {",
          '  _tag: "Viewed",',
          "  tools: [],",
          "  hidden: [",
          "    {",
          '      name: "read",',
          '      origin: { scope: "global", shadows: [] },',
          '      by: [{ list: "deny", scope: "agent" }]',
          "    }",
          "  ]",
          "}"
        ),
        seen: '{ _tag: "Viewed", tools: [], hidden: [] }'
      }
    )
  )
})

describe("a registry that cannot be judged", () => {
  it.effect("does not build", () => {
    const laws = ToolRegistryLaws.all(Layer.effect(ToolRegistry, Effect.fail("offline")))
    return unjudged(
      laws.filter((law) => law.name !== "tool registry: follows the model"),
      "the registry did not build in any case; see the law `followsModel`"
    )
  })
  it.effect("is reported by one law where it does not build", () =>
    breaks(
      ToolRegistryLaws.all(Layer.effect(ToolRegistry, Effect.fail("offline"))),
      "tool registry: follows the model",
      { counterexample: "{ steps: [] }", expected: "no failure", seen: "it failed with string: offline" }
    )
  )
  it.effect("is no Layer", () =>
    misused(ToolRegistryLaws.all(untyped({})), "the registry must be a Layer, and is an object")
  )
})
