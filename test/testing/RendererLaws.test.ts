import { describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { type Assembly, PromptContext, Rendered, Renderer } from "effect-preamble"
import { RendererLaws } from "effect-preamble/testing"
import { breaks, holds, misused, unjudged } from "./support/reports.ts"

/** A renderer without a memory, which does something to what is usual. */
const changing = (f: (rendered: Rendered.Rendered, assembly: Assembly.Assembly) => Rendered.Rendered) =>
  Layer.succeed(Renderer, {
    render: (assembly) => Effect.map(Effect.fromResult(Rendered.render(assembly)), (usual) => f(usual, assembly))
  })

/** Each section in a tag of its name. */
const tagged = (rendered: Rendered.Rendered): Rendered.Rendered => {
  let text = ""
  const sections = rendered.sections.map((part) => {
    const offset = text.length + part.name.length + 2
    text += `<${part.name}>${part.text}</${part.name}>\n`
    return { ...part, offset }
  })
  return { ...rendered, text, sections }
}

/** Over the usual one, so that it has its memory. */
const over = (f: (rendered: Rendered.Rendered) => Rendered.Rendered) =>
  Layer.effect(
    Renderer,
    Effect.map(Renderer, (usual) => {
      const known = new WeakMap<Rendered.Rendered, Rendered.Rendered>()
      return Renderer.of({
        render: (assembly) =>
          Effect.map(usual.render(assembly), (rendered) => {
            const made = known.get(rendered) ?? f(rendered)
            known.set(rendered, made)
            return made
          })
      })
    })
  ).pipe(Layer.provide(Renderer.layer))

describe("a good renderer", () => {
  it.effect("is the usual one", () => holds(RendererLaws.all(Renderer.layer)))
  it.effect("has a layout of its own", () => holds(RendererLaws.all(over(tagged), { ownLayout: true })))
})

describe("sameText", () => {
  const name = "renderer: same assembly, same text"
  const only = (renderer: Layer.Layer<Renderer>) => [RendererLaws.sameText(renderer)]
  it.effect("finds the time", () =>
    breaks(only(changing((usual) => ({ ...usual, text: `${new Date().toISOString()} ${usual.text}` }))), name, {
      counterexample: '{ assembly: {}, later: "1 ms" }',
      expected: 'the text "2026-01-01T00:00:00.000Z "',
      seen: 'the text "2026-01-01T00:00:00.001Z "'
    })
  )
  it.effect("finds a memory that compares too little", () => {
    const forgetful = Layer.effect(
      Renderer,
      Effect.sync(() => {
        const known = new Map<number, Rendered.Rendered>()
        return Renderer.of({
          render: (assembly) =>
            Effect.map(Effect.fromResult(Rendered.render(assembly)), (rendered) => {
              const held = known.get(assembly.sections.length) ?? rendered
              known.set(assembly.sections.length, held)
              return held
            })
        })
      })
    )
    return breaks(only(forgetful), name, {
      counterexample:
        '{ assembly: { contexts: [{ name: "a", order: 0, text: "x" }] }, before: [{}], later: "at once" }',
      expected:
        'the snapshot "Runtime context, as it is now. It replaces every earlier runtime context in this conversation.\\n\\nx"',
      seen: 'the snapshot ""'
    })
  })
  it.effect("finds a number of the rendering in the snapshot", () => {
    const counting = Layer.effect(
      Renderer,
      Effect.sync(() => {
        let count = 0
        return Renderer.of({
          render: (assembly) =>
            Effect.map(Effect.fromResult(Rendered.render(assembly)), (usual) => ({
              ...usual,
              snapshot: `${++count} ${usual.snapshot}`
            }))
        })
      })
    )
    return breaks(only(counting), name, {
      counterexample: '{ assembly: {}, before: [{}], later: "at once" }',
      expected: 'the snapshot "1 "',
      seen: 'the snapshot "2 "'
    })
  })
})

describe("sameObject", () => {
  const name = "renderer: same object while nothing changes"
  it.effect("finds a copy each time", () =>
    breaks(RendererLaws.all(changing((usual) => usual)), name, {
      counterexample: '{ assembly: {}, again: "the same assembly" }',
      expected: "the same object for the second assembly",
      seen: "another object"
    })
  )
  it.effect("finds a memory by the assembly alone", () => {
    const known = new WeakMap<Assembly.Assembly, Rendered.Rendered>()
    const byAssembly = changing((usual, assembly) => {
      const held = known.get(assembly) ?? usual
      known.set(assembly, held)
      return held
    })
    return breaks(RendererLaws.all(byAssembly), name, {
      counterexample: '{ assembly: {}, again: "one that says the same" }',
      expected: "the same object for the second assembly",
      seen: "another object"
    })
  })
  it.effect("finds a wrapper without a memory", () => {
    const wrapping = Layer.effect(
      Renderer,
      Effect.map(Renderer, (usual) =>
        Renderer.of({ render: (assembly) => Effect.map(usual.render(assembly), (rendered) => ({ ...rendered })) })
      )
    ).pipe(Layer.provide(Renderer.layer))
    return breaks(RendererLaws.all(wrapping), name, {
      counterexample: '{ assembly: {}, again: "the same assembly" }',
      expected: "the same object for the second assembly",
      seen: "another object"
    })
  })
})

describe("partsAddUp", () => {
  const name = "renderer: parts add up"
  it.effect("finds offsets that have not moved", () =>
    breaks(
      RendererLaws.all(
        over((usual) => ({ ...usual, text: `# Prompt\n${usual.text}` })),
        { ownLayout: true }
      ),
      name,
      {
        counterexample: '{ sections: [{ name: "a", order: 0, text: Template("x") }] }',
        expected: 'section "a" at its offset 0: "x"',
        seen: 'there stands "#"'
      }
    )
  )
  it.effect("finds a layout of its own that was not announced", () =>
    breaks(RendererLaws.all(over(tagged)), name, {
      counterexample: '{ sections: [{ name: "a", order: 0, text: Template("x") }] }',
      expected: 'the text "x"',
      seen: 'the text "<a>x</a>\\n"'
    })
  )
  it.effect("finds another heading of the snapshot", () =>
    breaks(
      RendererLaws.all(
        over((usual) => ({
          ...usual,
          snapshot: usual.snapshot.replace(PromptContext.heading, PromptContext.heading.toUpperCase())
        }))
      ),
      name,
      {
        counterexample: '{ contexts: [{ name: "a", order: 0, text: "x" }] }',
        expected:
          'the snapshot "Runtime context, as it is now. It replaces every earlier runtime context in this conversation.\\n\\nx"',
        seen: 'the snapshot "RUNTIME CONTEXT, AS IT IS NOW. IT REPLACES EVERY EARLIER RUNTIME CONTEXT IN THIS CONVERSATION.\\n\\nx"'
      }
    )
  )
  it.effect("finds sections that are not in order", () =>
    breaks(
      RendererLaws.all(
        over((usual) => {
          const parts = usual.sections.toReversed()
          let offset = 0
          const sections = parts.map((part) => {
            const moved = { ...part, offset }
            offset += part.text.length + Rendered.separator.length
            return moved
          })
          return { ...usual, sections, text: parts.map((part) => part.text).join(Rendered.separator) }
        })
      ),
      name,
      {
        counterexample: '{ sections: [{ name: "a", order: 0, text: "x" }, { name: "b", order: 0, text: "x" }] }',
        expected: "the sections in the order of the assembly",
        seen: 'section "a" is too late'
      }
    )
  )
})

describe("strict", () => {
  const name = "renderer: strict"
  const only = (renderer: Layer.Layer<Renderer>) => [RendererLaws.strict(renderer)]
  it.effect("finds a missing value that became an empty text", () => {
    const lenient = Layer.succeed(Renderer, {
      render: (assembly) => {
        const values = assembly.variables.map((variable) => ({ ...variable, value: variable.value ?? "" }))
        return Effect.fromResult(Rendered.render({ ...assembly, variables: values }))
      }
    })
    return breaks(only(lenient), name, {
      counterexample: '{ contexts: [{ name: "a", order: 0, text: "{{b}}" }], variables: [{ name: "b" }] }',
      expected:
        'it failed with UndefinedVariable: context "a" of scope "global" needs a value for {{b}} at line 1, column 1 (offset 0): `{{b}}`. The variable is registered without a value: let its provider give one, shadow it in this scope, or drop the reference.',
      seen: "it rendered"
    })
  })
  it.effect("finds what renders nothing where it should fail", () => {
    const silent = Layer.succeed(Renderer, {
      render: (assembly) =>
        Effect.succeed(
          Result.getOrElse(Rendered.render(assembly), () =>
            Result.getOrThrow(Rendered.render({ ...assembly, sections: [], contexts: [] }))
          )
        )
    })
    return breaks(only(silent), name, {
      counterexample: '{ sections: [{ name: "a", order: 0, text: Template("{{a}}") }] }',
      expected:
        'it failed with UnknownVariable: section "a" of scope "global" refers to the unknown variable {{a}} at line 1, column 1 (offset 0): `{{a}}`. Known variables: none. Register it, correct the name, look for a listener that removed it, or set `interpolate: false` if the braces are literal text.',
      seen: "it rendered"
    })
  })
  it.effect("finds what dies", () => {
    const dying = Layer.succeed(Renderer, {
      render: (assembly) => Effect.orDie(Effect.fromResult(Rendered.render(assembly)))
    })
    return breaks(only(dying), name, {
      counterexample: '{ sections: [{ name: "a", order: 0, text: Template("{{a}}") }] }',
      expected:
        'it failed with UnknownVariable: section "a" of scope "global" refers to the unknown variable {{a}} at line 1, column 1 (offset 0): `{{a}}`. Known variables: none. Register it, correct the name, look for a listener that removed it, or set `interpolate: false` if the braces are literal text.',
      seen: 'it died with UnknownVariable: section "a" of scope "global" refers to the unknown variable {{a}} at line 1, column 1 (offset 0): `{{a}}`. Known variables: none. Register it, correct the name, look for a listener that removed it, or set `interpolate: false` if the braces are literal text.'
    })
  })
  it.effect("is not asked of one that judges by itself", () => {
    const picky = Layer.effect(
      Renderer,
      Effect.map(Renderer, (usual) =>
        Renderer.of({
          render: (assembly) =>
            assembly.sections.length > 1 ? Effect.die(new Error("not yet")) : usual.render(assembly)
        })
      )
    ).pipe(Layer.provide(Renderer.layer))
    return holds(RendererLaws.all(picky, { ownStrictness: true }))
  })
})

describe("a renderer that cannot be judged", () => {
  it.effect("always fails", () =>
    unjudged(
      RendererLaws.all(Layer.succeed(Renderer, { render: () => Effect.die(new Error("boom")) }), {
        ownStrictness: true
      }),
      "the renderer failed in all cases; see the law `strict`"
    )
  )
  it.effect("is no Layer", () => misused(RendererLaws.all(null as never), "the renderer must be a Layer, and is null"))
})
