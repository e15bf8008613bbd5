/**
 * A persona: what a deployment, or one agent, says about who the model is, before
 * (`prefix`) and after (`suffix`) all guidance.
 *
 * The deployment's persona is registered globally, empty unless configured. One that is
 * registered in a scope shadows it there, also with empty texts, and gives it back when
 * it goes.
 *
 * @since 0.1.0
 */
import { builtInNames } from "./internal/builtInNames.ts"
import * as Section from "./Section.ts"
import type { Text } from "./Template.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * What a persona is made from.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly prefix: Text
  /** Default empty: no suffix, not even the deployment's. */
  readonly suffix?: Text | undefined
  /** The prefix becomes the whole prompt. Default false. */
  readonly complete?: boolean | undefined
  /** False turns off all contexts for the scope. Default true. */
  readonly includeRuntimeContext?: boolean | undefined
  /** Who registers it, for errors and origins. */
  readonly plugin?: string | undefined
}

// -----------------------------------------------------------------------------
// constants
// -----------------------------------------------------------------------------

/**
 * Names of the built-in sections. Registering one of them globally is a duplicate; in a scope it shadows.
 *
 * @since 0.1.0
 * @category constants
 */
export const names = builtInNames

/**
 * The neutral sentence that `identity: true` stands for.
 *
 * @since 0.1.0
 * @category constants
 */
export const neutralIdentity = "You are an AI agent. You work for the user with the tools and instructions given here."

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/**
 * The two sections of a persona.
 *
 * @since 0.1.0
 * @category destructors
 */
export const sections = (self: Options): readonly [prefix: Section.Options, suffix: Section.Options] => [
  {
    name: names.prefix,
    order: Section.orders.DEPLOYMENT_PERSONA_PREFIX,
    text: self.prefix,
    complete: self.complete,
    plugin: self.plugin
  },
  {
    name: names.suffix,
    order: Section.orders.DEPLOYMENT_PERSONA_SUFFIX,
    text: self.suffix ?? "",
    plugin: self.plugin
  }
]
