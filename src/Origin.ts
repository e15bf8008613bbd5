/**
 * Where a part of an assembly comes from: the answer to "why does the model see this?".
 *
 * @since 0.1.0
 */

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * The registration that a nearer one of the same name hides.
 *
 * @since 0.1.0
 * @category models
 */
export interface Shadowed {
  /** Label of the prompt scope of the hidden registration. */
  readonly scope: string
  readonly plugin?: string
}

/**
 * The listener that added or last changed a part.
 *
 * @since 0.1.0
 * @category models
 */
export interface Listened {
  readonly name: string
  /** Label of the prompt scope of the listener. */
  readonly scope: string
  readonly plugin?: string
}

/**
 * Who contributed a section, context, variable or tool.
 *
 * @since 0.1.0
 * @category models
 */
export interface Origin {
  /** Label of the prompt scope that the contribution was registered in. */
  readonly scope: string
  /** The plugin that registered it, where it named itself. */
  readonly plugin?: string
  /** Name of the tool provider, where a tool came from one that has a name. */
  readonly provider?: string
  /** The last listener that added or changed it. What a listener added has the listener's own scope and plugin. */
  readonly listener?: Listened
  /** Registrations of the same name that this one hides, nearest first. Tools append and hide nothing. */
  readonly shadows: ReadonlyArray<Shadowed>
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

const noShadows: ReadonlyArray<Shadowed> = Object.freeze([])

/**
 * An origin, with the absent fields left out, so that equal origins are equal as JSON.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: {
  readonly scope: string
  readonly plugin?: string | undefined
  readonly provider?: string | undefined
  readonly listener?: Listened | undefined
  readonly shadows?: ReadonlyArray<Shadowed> | undefined
}): Origin => {
  const { listener, plugin, provider, shadows } = options
  // Field by field: spreading objects that may be absent takes several times as long.
  const self: { scope: string; plugin?: string; provider?: string; listener?: Listened } = { scope: options.scope }
  if (plugin !== undefined) self.plugin = plugin
  if (provider !== undefined) self.provider = provider
  if (listener !== undefined) self.listener = listener
  return Object.freeze({
    ...self,
    shadows: shadows === undefined || shadows.length === 0 ? noShadows : Object.freeze([...shadows])
  })
}

/**
 * Whether two origins say the same.
 *
 * @since 0.1.0
 * @category destructors
 */
export const equals = (a: Origin, b: Origin): boolean =>
  a === b ||
  (a.scope === b.scope &&
    a.plugin === b.plugin &&
    a.provider === b.provider &&
    a.listener?.name === b.listener?.name &&
    a.listener?.scope === b.listener?.scope &&
    a.listener?.plugin === b.listener?.plugin &&
    a.shadows.length === b.shadows.length &&
    a.shadows.every((one, i) => one.scope === b.shadows[i]!.scope && one.plugin === b.shadows[i]!.plugin))
