import { describe, it } from "@effect/vitest"
import { Arbitrary, Clock, Context, Effect, pipe, Schema } from "effect"
import { Assembly, type Listener } from "effect-preamble"
import { ListenerLaws } from "effect-preamble/testing"
import { untyped } from "../support/untyped.ts"
import { breaks, holds, unjudged } from "./support/reports.ts"

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
      {
        counterexample: "{ assembly: {} }",
        expected: "no failure",
        seen: 'listener "l" of scope "global" threw: Cannot read properties of undefined (reading \'name\'). Correct the listener, or let it handle its failure.'
      }
    )
  )
  it.effect("finds what changes the assembly itself", () =>
    breaks(
      ListenerLaws.all({
        name: "l",
        edit: (assembly) => {
          return Object.assign(assembly, { tools: [] })
        }
      }),
      name,
      {
        counterexample: "{ assembly: {} }",
        expected: "no failure",
        seen: "listener \"l\" of scope \"global\" threw: Cannot assign to read only property 'tools' of object '#<Object>'. An assembly is frozen: return what an edit of Assembly gives, such as Assembly.addSection."
      }
    )
  )
  it.effect("finds what fails, unless it may", () => {
    const listener: Listener.Input<string> = {
      name: "l",
      edit: (assembly) => (assembly.tools.length > 0 ? Effect.fail("no tools, please") : assembly)
    }
    return Effect.andThen(
      holds(ListenerLaws.all(listener, { mayFail: true })),
      breaks(ListenerLaws.all(listener), name, {
        counterexample: '{ assembly: { tools: [{ name: "bash", description: "", parameters: {} }] } }',
        expected: "no failure",
        seen: 'listener "l" of scope "global" failed: no tools, please. Correct the listener, or let it handle its failure.'
      })
    )
  })
  it.effect("finds what dies, although it may fail", () =>
    breaks(ListenerLaws.all({ name: "l", edit: () => Effect.die(new Error("boom")) }, { mayFail: true }), name, {
      counterexample: "{ assembly: {} }",
      expected: "no defect",
      seen: 'listener "l" of scope "global" died: boom. Correct the listener, or let it handle its failure.'
    })
  )
})

describe("wellFormed", () => {
  const name = "listener: well-formed result"
  it.effect("finds a second section of one name", () =>
    breaks(ListenerLaws.all({ name: "l", edit: Assembly.addSection({ name: "a", order: 0, text: "" }) }), name, {
      counterexample: '{ assembly: { sections: [{ name: "a", order: 0, text: "" }] } }',
      expected: "a well-formed assembly",
      seen: 'listener "l" of scope "global" returned an invalid assembly at $.sections[1].name: duplicate name "a". Replace the part that has it, or choose another name.'
    })
  )
  it.effect("finds a field of its own", () =>
    breaks(ListenerLaws.all({ name: "l", edit: (assembly) => untyped({ ...assembly, hidden: ["bash"] }) }), name, {
      counterexample: "{ assembly: {} }",
      expected: "a well-formed assembly",
      seen: 'listener "l" of scope "global" returned an invalid assembly at $.hidden: an assembly has no such field. Carry data of your own with Assembly.annotate.'
    })
  )
  it.effect("finds a forgotten return", () =>
    breaks(ListenerLaws.all({ name: "l", edit: () => untyped(undefined) }), name, {
      counterexample: "{ assembly: {} }",
      expected: "a well-formed assembly",
      seen: 'listener "l" of scope "global" returned an invalid assembly at $: expected an assembly, got undefined. Return the assembly you want.'
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
      {
        counterexample: "{ assembly: {} }",
        expected: "one run of the rest at most",
        seen: 'listener "l" of scope "global" broke the contract of next: next() called more than once. The rest of the waterfall runs at most once, while the listener runs. Correct the listener, or let it handle its failure.'
      }
    )
  )
  it.effect("finds a retry", () =>
    breaks(
      ListenerLaws.all({ name: "l", around: (assembly, next) => Effect.retry(next(assembly), { times: 1 }) }),
      name,
      {
        counterexample: '{ assembly: {}, rest: "fails" }',
        expected: "one run of the rest at most",
        seen: 'listener "l" of scope "global" broke the contract of next: the effect of next() run more than once. The rest of the waterfall runs at most once, while the listener runs. Correct the listener, or let it handle its failure.'
      }
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
      {
        counterexample: '{ assembly: { tools: [{ name: "bash", description: "", parameters: {} }] } }',
        expected: "one run of the rest at most",
        seen: 'listener "l" of scope "global" broke the contract of next: next() called more than once. The rest of the waterfall runs at most once, while the listener runs. Correct the listener, or let it handle its failure.'
      }
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
      {
        counterexample: '{ assembly: {}, later: "1 ms" }',
        expected: "the result of the first run",
        seen: 'variables[0] was {"name":"now","value":"1767225600000"}, and then {"name":"now","value":"1767225600001"}'
      }
    )
  )
  it.effect("finds a coin", () =>
    breaks(
      ListenerLaws.all({
        name: "l",
        edit: (assembly) => (Math.random() < 0.5 ? assembly : Assembly.removeTool(assembly, "bash"))
      }),
      name,
      {
        counterexample:
          '{ assembly: { tools: [{ name: "bash", description: "", parameters: {} }] }, later: "at once" }',
        expected: "the result of the first run",
        seen: 'tools[0] was {"name":"bash","description":"","parameters":{}}, and then nothing'
      }
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
      {
        counterexample: '{ assembly: {}, later: "at once" }',
        expected: "the result of the first run",
        seen: 'contexts[0] was {"name":"welcome","order":-1000000000,"text":"Welcome.","interpolate":true}, and then nothing'
      }
    )
  })
})

describe("keepsComplete", () => {
  const name = "listener: keeps a complete section"
  it.effect("finds what removes it, unless it may", () => {
    const listener: Listener.Input = { name: "l", edit: (assembly) => ({ ...assembly, sections: [] }) }
    return Effect.andThen(
      holds(ListenerLaws.all(listener, { mayTouchComplete: true })),
      breaks(ListenerLaws.all(listener), name, {
        counterexample: '{ assembly: { sections: [{ name: "a", order: 0, text: "", complete: true }] } }',
        expected: 'section "a" of scope "global" with its text ""',
        seen: "it is gone"
      })
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
      {
        counterexample: '{ assembly: { sections: [{ name: "a", order: 0, text: "", complete: true }] } }',
        expected: 'section "a" of scope "global" with its text ""',
        seen: 'its text is "mine"'
      }
    )
  )
})

describe("keepsOrder", () => {
  const name = "listener: keeps the order"
  it.effect("finds what puts its section last, unless it may", () => {
    const listener: Listener.Input = {
      name: "l",
      edit: (assembly) => {
        const [added] = Assembly.addSection(
          { ...assembly, sections: [] },
          { name: "zzz", order: -2e9, text: "" }
        ).sections
        return { ...assembly, sections: [...assembly.sections, added!] }
      }
    }
    return Effect.andThen(
      holds(ListenerLaws.all(listener, { mayReorder: true })),
      breaks(ListenerLaws.all(listener), name, {
        counterexample: '{ assembly: { sections: [{ name: "a", order: 0, text: "" }] } }',
        expected: 'section "zzz" of order -2000000000 before section "a" of order 0',
        seen: 'section "a" comes first'
      })
    )
  })
  it.effect("finds what turns tools round", () =>
    breaks(
      ListenerLaws.all({ name: "l", edit: (assembly) => ({ ...assembly, tools: assembly.tools.toReversed() }) }),
      name,
      {
        counterexample: `{
  assembly: {
    tools: [
      { name: "read", description: "", parameters: {} },
      { name: "bash", description: "", parameters: {} }
    ]
  }
}`,
        expected: 'tool "bash" before tool "read"',
        seen: 'tool "read" comes first'
      }
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
      {
        counterexample:
          '{ assembly: { contexts: [{ name: "a", order: 0, text: "" }, { name: "b", order: 1, text: "" }] } }',
        expected: 'context "b" of order -1 before context "a" of order 0',
        seen: 'context "a" comes first'
      }
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
        counterexample: '{ assembly: { tools: [{ name: "bash", description: "Run a command", parameters: {} }] } }',
        expected: "the result of the first run",
        seen: 'tools[0] was {"name":"bash","description":"Run a command!","parameters":{}}, and then {"name":"bash","description":"Run a command!!","parameters":{}}'
      })
    })
  })
})

describe("a listener that always fails", () => {
  it.effect("is judged only by the law that says so", () => {
    const laws = ListenerLaws.all({ name: "l", edit: () => Effect.die(new Error("boom")) }, { idempotent: true })
    return unjudged(
      laws.filter((law) => law.name !== "listener: does not fail"),
      "the listener gave no assembly in any case; see the laws `succeeds` and `wellFormed`, or give it `contributions`"
    )
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
      {
        counterexample: '{ assembly: {}, annotations: { "test/Mode": "read" } }',
        expected: "a well-formed assembly",
        seen: 'listener "l" of scope "global" returned an invalid assembly at $: expected an assembly, got null. Return the assembly you want.'
      }
    )
  )
})
