import { describe, it } from "@effect/vitest"
import { Arbitrary, Clock, Context, Effect, pipe, Schema } from "effect"
import { Assembly, type Listener } from "effect-preamble"
import { ListenerLaws } from "effect-preamble/testing"
import { untyped } from "../support/untyped.ts"
import { breaks, holds } from "./support/reports.ts"

const bash = { name: "bash", description: "Run a command", parameters: {} }

describe("a good listener", () => {
  const good: Readonly<Record<string, Listener.Input<unknown>>> = {
    "changes nothing": { name: "l", edit: (assembly) => assembly },
    "adds a section": { name: "l", edit: Assembly.addSection({ name: "mine", order: 0.7, text: "{{" }) },
    "removes a tool": { name: "l", edit: Assembly.removeTool("bash") },
    "is an effect": { name: "l", edit: (assembly) => Effect.as(Effect.yieldNow, assembly) },
    "passes on": { name: "l", around: (assembly, next) => next(assembly) },
    "changes what comes out": {
      name: "l",
      around: (assembly, next) => Effect.map(next(assembly), Assembly.removeTool("bash"))
    },
    "leaves out the rest": { name: "l", around: (assembly) => Effect.succeed(assembly) },
    "recovers from the rest": {
      name: "l",
      around: (assembly, next) => Effect.catch(next(assembly), () => Effect.succeed(assembly))
    }
  }
  for (const [title, listener] of Object.entries(good)) {
    it.effect(title, () => holds(ListenerLaws.all(listener, { contributions: { tools: [bash] } })))
  }
})

describe("succeeds", () => {
  const name = "listener: does not fail"
  it.effect("finds what throws where something is missing", () =>
    breaks(
      ListenerLaws.all({
        name: "l",
        edit: (assembly) => Assembly.setVariable(assembly, "first", assembly.sections[0]!.name)
      }),
      name,
      { counterexample: "", expected: "", seen: "" }
    )
  )
  it.effect("finds what changes the assembly itself", () =>
    breaks(
      ListenerLaws.all({
        name: "l",
        edit: (assembly) => {
          untyped(assembly.tools).length = 0
          return assembly
        }
      }),
      name,
      { counterexample: "", expected: "", seen: "" }
    )
  )
  it.effect("finds what fails, unless it may", () => {
    const listener: Listener.Input<string> = {
      name: "l",
      edit: (assembly) => (assembly.tools.length > 0 ? Effect.fail("no tools, please") : assembly)
    }
    return Effect.andThen(
      holds(ListenerLaws.all(listener, { mayFail: true })),
      breaks(ListenerLaws.all(listener), name, { counterexample: "", expected: "", seen: "" })
    )
  })
  it.effect("finds what dies of a failing rest", () =>
    breaks(ListenerLaws.all({ name: "l", around: (assembly, next) => Effect.orDie(next(assembly)) }), name, {
      counterexample: "",
      expected: "",
      seen: ""
    })
  )
  it.effect("finds what dies, although it may fail", () =>
    breaks(ListenerLaws.all({ name: "l", edit: () => Effect.die(new Error("boom")) }, { mayFail: true }), name, {
      counterexample: "",
      expected: "",
      seen: ""
    })
  )
})

describe("wellFormed", () => {
  const name = "listener: well-formed result"
  it.effect("finds a second section of one name", () =>
    breaks(ListenerLaws.all({ name: "l", edit: Assembly.addSection({ name: "a", order: 0, text: "" }) }), name, {
      counterexample: "",
      expected: "",
      seen: ""
    })
  )
  it.effect("finds a field of its own", () =>
    breaks(ListenerLaws.all({ name: "l", edit: (assembly) => untyped({ ...assembly, hidden: ["bash"] }) }), name, {
      counterexample: "",
      expected: "",
      seen: ""
    })
  )
  it.effect("finds a forgotten return", () =>
    breaks(ListenerLaws.all({ name: "l", edit: () => untyped(undefined) }), name, {
      counterexample: "",
      expected: "",
      seen: ""
    })
  )
})

describe("callsNextOnce", () => {
  const name = "listener: next at most once"
  it.effect("finds a second call", () =>
    breaks(
      ListenerLaws.all({
        name: "l",
        around: (assembly, next) => Effect.andThen(next(assembly), next(assembly))
      }),
      name,
      { counterexample: "", expected: "", seen: "" }
    )
  )
  it.effect("finds a retry", () =>
    breaks(
      ListenerLaws.all({ name: "l", around: (assembly, next) => Effect.retry(next(assembly), { times: 1 }) }),
      name,
      { counterexample: "", expected: "", seen: "" }
    )
  )
  it.effect("finds a second call whose failure it hides", () =>
    breaks(
      ListenerLaws.all({
        name: "l",
        around: (assembly, next) =>
          Effect.flatMap(next(assembly), (first) =>
            assembly.tools.length === 0 ? Effect.succeed(first) : Effect.catch(next(first), () => Effect.succeed(first))
          )
      }),
      name,
      { counterexample: "", expected: "", seen: "" }
    )
  )
})

describe("deterministic", () => {
  const name = "listener: deterministic"
  it.effect("finds the time", () =>
    breaks(
      ListenerLaws.all({
        name: "l",
        edit: (assembly) =>
          Effect.map(Clock.currentTimeMillis, (now) => Assembly.setVariable(assembly, "now", `${now}`))
      }),
      name,
      { counterexample: "", expected: "", seen: "" }
    )
  )
  it.effect("finds a coin", () =>
    breaks(
      ListenerLaws.all({
        name: "l",
        edit: (assembly) => (Math.random() < 0.5 ? assembly : Assembly.removeTool(assembly, "bash"))
      }),
      name,
      { counterexample: "", expected: "", seen: "" }
    )
  )
  it.effect("finds what happens only once", () => {
    const seen = new Set<string>()
    return breaks(
      ListenerLaws.all({
        name: "l",
        edit: (assembly) => {
          const first = assembly.sections.map((section) => section.name).join()
          if (seen.delete(first)) return assembly
          seen.add(first)
          return Assembly.addContext(assembly, { name: "welcome", order: -1e9, text: "Welcome." })
        }
      }),
      name,
      { counterexample: "", expected: "", seen: "" }
    )
  })
})

describe("keepsComplete", () => {
  const name = "listener: keeps a complete section"
  it.effect("finds what removes it, unless it may", () => {
    const listener: Listener.Input = { name: "l", edit: (assembly) => ({ ...assembly, sections: [] }) }
    return Effect.andThen(
      holds(ListenerLaws.all(listener, { mayTouchComplete: true })),
      breaks(ListenerLaws.all(listener), name, { counterexample: "", expected: "", seen: "" })
    )
  })
  it.effect("finds what changes it", () =>
    breaks(
      ListenerLaws.all({
        name: "l",
        edit: (assembly) =>
          Assembly.mapSection(assembly, "a", (section) => ({ ...section, text: "mine", interpolate: false }))
      }),
      name,
      { counterexample: "", expected: "", seen: "" }
    )
  )
})

describe("keepsOrder", () => {
  const name = "listener: keeps the order"
  it.effect("finds what puts its section last, unless it may", () => {
    const listener: Listener.Input = {
      name: "l",
      edit: (assembly) => {
        const [added] = Assembly.addSection({ ...assembly, sections: [] }, { name: "zzz", order: 1, text: "" }).sections
        return { ...assembly, sections: [...assembly.sections, added!] }
      }
    }
    return Effect.andThen(
      holds(ListenerLaws.all(listener, { mayReorder: true })),
      breaks(ListenerLaws.all(listener), name, { counterexample: "", expected: "", seen: "" })
    )
  })
  it.effect("finds what turns tools round", () =>
    breaks(
      ListenerLaws.all({ name: "l", edit: (assembly) => ({ ...assembly, tools: assembly.tools.toReversed() }) }),
      name,
      { counterexample: "", expected: "", seen: "" }
    )
  )
  it.effect("finds a new order in an old place", () =>
    breaks(
      ListenerLaws.all({
        name: "l",
        edit: (assembly) => ({
          ...assembly,
          contexts: assembly.contexts.map((context) => ({ ...context, order: -context.order }))
        })
      }),
      name,
      { counterexample: "", expected: "", seen: "" }
    )
  )
})

describe("idempotent", () => {
  it.effect("is asked for, and finds what adds up", () => {
    const listener: Listener.Input = {
      name: "l",
      edit: (assembly) =>
        pipe(
          assembly,
          Assembly.mapTool("bash", (tool) => ({ ...tool, description: `${tool.description}!` }))
        )
    }
    const contributions = { tools: [bash] }
    return Effect.gen(function* () {
      yield* holds(ListenerLaws.all(listener, { contributions }))
      yield* breaks(ListenerLaws.all(listener, { contributions, idempotent: true }), "listener: idempotent", {
        counterexample: "",
        expected: "",
        seen: ""
      })
    })
  })
})

describe("annotations", () => {
  const Mode = Context.Reference<string>("test/Mode", { defaultValue: () => "write" })
  const modes = Arbitrary.map(Arbitrary.schema(Schema.Literals(["write", "read"])), (mode) => Context.make(Mode, mode))
  it.effect("are what a runtime tells the listener", () =>
    breaks(
      ListenerLaws.all(
        {
          name: "l",
          edit: (assembly, { annotations }) => (Context.get(annotations, Mode) === "read" ? untyped(null) : assembly)
        },
        { annotations: modes }
      ),
      "listener: well-formed result",
      { counterexample: "", expected: "", seen: "" }
    )
  )
})
