/**
 * The built-in contributions of the global scope: an identity, the deployment's persona,
 * and whether there are contexts at all.
 *
 * @since 0.1.0
 */
import type * as Overlay from "./Overlay.ts"
import * as Persona from "./Persona.ts"
import * as Section from "./Section.ts"
import type { Text } from "./Template.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * What a deployment configures.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /**
   * The first section: a text, true for a neutral sentence, or false (the default) for none.
   *
   * **Provider's cache**: at the top of the prompt; a change costs all of it.
   */
  readonly identity?: Text | boolean | undefined
  /**
   * The deployment's persona: text before and after all guidance. Both default to the empty text, which takes no place.
   *
   * **Provider's cache**: a change of the prefix costs nearly all of the prompt, one of the suffix only the suffix.
   */
  readonly persona?: { readonly prefix?: Text | undefined; readonly suffix?: Text | undefined } | undefined
  /**
   * False turns off all contexts, for every scope. Default true.
   *
   * **Provider's cache**: nothing of the prefix.
   */
  readonly runtimeContext?: boolean | undefined
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * The contributions that the options stand for. The persona is there also when it is empty, so that its names are taken.
 *
 * @since 0.1.0
 * @category constructors
 */
export const contributions = ({
  identity,
  persona,
  runtimeContext
}: Options): Required<Pick<Overlay.Options, "sections" | "suppressors">> => ({
  sections: [
    ...(identity === undefined || identity === false
      ? []
      : [
          {
            name: Persona.names.identity,
            order: Section.orders.HARNESS_IDENTITY,
            text: identity === true ? Persona.neutralIdentity : identity
          }
        ]),
    ...Persona.sections({ prefix: persona?.prefix ?? "", suffix: persona?.suffix })
  ],
  suppressors: runtimeContext === false ? 1 : 0
})
