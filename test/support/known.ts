/** The pure assembly over overlays whose values are known, for tests in which making them cannot fail. */
import { Result } from "effect"
import * as Assembly from "../../src/Assembly.ts"
import * as Overlay from "../../src/Overlay.ts"
import type { AssembleError, RenderError } from "../../src/PromptError.ts"
import * as Rendered from "../../src/Rendered.ts"

/** An overlay of the global scope, or of the one with that label. */
export const overlay = (options: Overlay.Options, scope = "global"): Overlay.Overlay =>
  Result.getOrThrow(Overlay.make(scope, options))

type Options = Parameters<typeof Assembly.assemble>[1]

/** The assembly of a chain, farthest first. */
export const assemble = (chain: ReadonlyArray<Overlay.Overlay>, options?: Options): Assembly.Assembly =>
  Result.getOrThrow(Assembly.assemble(chain, options))

/** Why there is no assembly of a chain. */
export const refused = (chain: ReadonlyArray<Overlay.Overlay>, options?: Options): AssembleError =>
  Result.getOrThrow(Result.flip(Assembly.assemble(chain, options)))

/** The prompt that an assembly renders to. */
export const prompt = (assembly: Assembly.Assembly): string => Result.getOrThrow(Rendered.render(assembly)).text

/** Why an assembly does not render. */
export const unrendered = (assembly: Assembly.Assembly): RenderError =>
  Result.getOrThrow(Result.flip(Rendered.render(assembly)))
