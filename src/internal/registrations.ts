/** Makes entries of what authors contribute, and registers them: the services of their providers are captured here. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Listener from "../Listener.ts"
import { type Entry, type Provided, type Suppressor, suppressor } from "../Overlay.ts"
import type { Overlays } from "../Overlays.ts"
import * as Persona from "../Persona.ts"
import * as PromptContext from "../PromptContext.ts"
import type { InvalidRegistration, RegistrationError } from "../PromptError.ts"
import type { Provider } from "../Provider.ts"
import * as Section from "../Section.ts"
import type { SystemPrompt } from "../SystemPrompt.ts"
import type { Text } from "../Template.ts"
import * as ToolProvider from "../ToolProvider.ts"
import * as Variable from "../Variable.ts"
import { capture, type Captured, withoutCaptured } from "./capture.ts"
import { give, provideIfEffect } from "./give.ts"
import * as rules from "./rules.ts"

type Registrations = Pick<
  SystemPrompt["Service"],
  "section" | "context" | "variable" | "tools" | "listener" | "suppressContexts" | "persona"
>

type Made = Result.Result<Entry<Provided>, InvalidRegistration>

/** Registers entries together: all of them or none, as one change. */
type RegisterAll = (
  entries: (services: Captured, scope: string) => ReadonlyArray<Made>
) => Effect.Effect<void, RegistrationError, Scope.Scope>

/** What registers into the ambient prompt scope, for as long as that and the surrounding Effect scope live. */
export const registrationsIn = (
  overlays: Overlays["Service"]
): Registrations & { readonly registerAll: RegisterAll } => {
  const registerAll: RegisterAll = (entries) =>
    Effect.flatMap(capture, (services) => overlays.register((scope) => Result.all(entries(services, scope))))

  const register = (entry: (services: Captured, scope: string) => Made) =>
    registerAll((services, scope) => [entry(services, scope)])

  return {
    registerAll,
    section: (options) => register((services, scope) => sectionOf(options, services, scope)),
    context: (options) =>
      register((services, scope) =>
        Result.map(PromptContext.make(options, scope), (self) =>
          Object.freeze({ ...self, text: give(self.text, services) })
        )
      ),
    variable: (name, value, options) =>
      register((services, scope) => Variable.make({ ...options, name, value: give(value, services) }, scope)),
    tools: (tools, options) =>
      register((services, scope) =>
        Result.map(ToolProvider.make({ ...options, tools }, scope), (self) =>
          Object.freeze({ ...self, tools: give(self.tools, services) })
        )
      ),
    listener: (options) => register((services, scope) => Listener.make(options, runOf(options, services), scope)),
    suppressContexts: register(() => Result.succeed(suppressor())),
    persona: (options) =>
      registerAll((services, scope) => [
        ...Persona.sections(options).map((section) => sectionOf(section, services, scope)),
        ...suppressorOf(options, scope)
      ])
  }
}

/** The suppressor of a persona, if it is to have one. */
const suppressorOf = (
  { includeRuntimeContext, plugin }: Persona.Options,
  scope: string
): ReadonlyArray<Result.Result<Suppressor, InvalidRegistration>> => {
  const owner = rules.ownerOf("suppressor", { plugin }, scope)
  const included = rules.flag(owner, "includeRuntimeContext", includeRuntimeContext, true)
  if (Result.isFailure(included)) return [Result.fail(included.failure)]
  return included.success ? [] : [Result.succeed(suppressor(plugin))]
}

/** The entry of a section, with the services that its provider needs. */
export const sectionOf = <E, R>(options: Section.Options<Provider<Text, E, R>>, services: Captured, scope: string) =>
  Result.map(Section.make(options, scope), (self) => Object.freeze({ ...self, text: give(self.text, services) }))

/** The functions are read now: the author's object may change later. */
const runOf = <E, R>({ edit, around }: Listener.Input<E, R>, services: Captured): Listener.Run =>
  Object.freeze<Listener.Run>(
    around === undefined
      ? {
          _tag: "Edit",
          edit: (assembly, context) => {
            const given = edit(assembly, context)
            return given === assembly ? given : provideIfEffect(given, services, context)
          }
        }
      : {
          _tag: "Around",
          around: (assembly, next, context) =>
            // The rest is not the listener's: what it captured stays with it.
            provideIfEffect(
              around(assembly, (given) => withoutCaptured(next(given), services), context),
              services,
              context
            )
        }
  )
