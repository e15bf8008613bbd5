/**
 * Where we differ from the peer on purpose. Each entry accepts exactly one difference: the code that names it works out,
 * from what the peer did, what we are to do instead, and the two must then be equal. What no program can show, because
 * it is about types, time or other packages, is listed with the reason.
 */

export interface Deviation {
  /** The row of the table of differences in the design; none for what follows from other rules of it. */
  readonly row: number | undefined
  /** What the peer does, and why we do not. */
  readonly why: string
  /** Whether random programs meet it, or a program written for it. */
  readonly shown: "random" | "directed"
}

export const deviations = {
  "one snapshot": {
    row: 1,
    why: "What a provider registers during an assembly takes part in it there; here from the next one on.",
    shown: "directed"
  },
  "hidden variables": {
    row: 2,
    why: "Providers of shadowed variables are called there, and can fail the assembly; here only the winners are.",
    shown: "random"
  },
  "two complete sections": {
    row: 3,
    why: "They are refused after variables and tools were evaluated there, so a failing provider hides them; here before.",
    shown: "random"
  },
  "borrowed contributions": {
    row: 4,
    why: "A registered object that changes afterwards changes the prompt there; here it was copied.",
    shown: "directed"
  },
  "context ties": {
    row: 5,
    why: "Contexts of one order keep the order of registration there; here they are sorted by name.",
    shown: "random"
  },
  "listener order": {
    row: 6,
    why: "Listeners run in the order of registration there; here by their own order, then by name.",
    shown: "random"
  },
  "names of listeners": {
    row: 6,
    why: "Listeners and tool providers are anonymous there; here an empty name is refused, and so is a second listener of one name in an overlay.",
    shown: "random"
  },
  "variable order": {
    row: 7,
    why: "Variables come in the order in which they were first written there; here sorted by name.",
    shown: "random"
  },
  "tools of one name": {
    row: 7,
    why: "They come in the order of registration there; here by chain position, provider name and JSON.",
    shown: "random"
  },
  "first failure": {
    row: 7,
    why: "When several providers fail, the one registered first is reported there; here the first in order of names.",
    shown: "random"
  },
  "contexts as data": {
    row: 8,
    why: "The text of a context is always a template there; here `interpolate: false` makes data of it.",
    shown: "random"
  },
  "effectful providers": {
    row: 9,
    why: "A provider that returns a promise puts the promise into the prompt there; here providers may be Effects.",
    shown: "directed"
  },
  "failing providers": {
    row: 10,
    why: "What a provider throws comes out as it is there; here as a `ProviderFailure` that names the owner.",
    shown: "random"
  },
  "failing listeners": {
    row: 10,
    why: "What a listener throws comes out as it is there; here as a `ListenerFailure` that names the listener.",
    shown: "random"
  },
  "next twice": {
    row: 11,
    why: "A second `next()` runs whichever listeners are left there; here it fails.",
    shown: "directed"
  },
  "results of listeners": {
    row: 12,
    why: "Whatever a listener leaves behind is the assembly there; here it is refused unless it is well-formed.",
    shown: "random"
  },
  "extra fields": {
    row: 12,
    why: "Fields of a tool that a listener adds ride along there; here only those that a model may see pass.",
    shown: "random"
  },
  "change listeners": {
    row: 14,
    why: "A listener of changes that throws fails the registration there; here changes are a stream that nobody waits for.",
    shown: "directed"
  },
  "known names": {
    row: 16,
    why: "A visible tool that its provider leaves out of `knownNames` is unknown to `toolOrder` there; here it is known.",
    shown: "random"
  },
  "closed parents": {
    row: 17,
    why: "A closed scope can still become a parent, or get a new one, there; here that fails with `ScopeClosed`.",
    shown: "random"
  },
  identity: {
    row: 20,
    why: "A fixed sentence says which product it is there; here there is none unless configured.",
    shown: "directed"
  },
  "aborted signals": {
    row: 21,
    why: "An assembly goes on although its signal was aborted there; here it is interrupted like every Effect.",
    shown: "directed"
  },
  "order and origin": {
    row: 22,
    why: "Assembled sections and contexts have a name and a text there; here also their order and origin.",
    shown: "directed"
  },
  "required tools": {
    row: 23,
    why: "Guidance of a hidden tool stays there; here a section with `requires` goes with its tools.",
    shown: "random"
  },
  "required tools of a complete section": {
    row: 23,
    why: "There is no `requires` there; here it is refused on a complete section, which stays whatever the tools are.",
    shown: "random"
  },
  "templates as data": {
    row: undefined,
    why: "There are no Template values there; here one that is declared data with `interpolate: false` is refused.",
    shown: "random"
  },
  "empty names": {
    row: undefined,
    why: "An empty name is accepted there, and found only by a development check; here it is refused when it is registered.",
    shown: "random"
  },
  "values of a wrong type": {
    row: undefined,
    why: "They reach the model there, or break the rendering; here they are a `ProviderFailure` that names the owner.",
    shown: "directed"
  },
  "parameters that are no JSON": {
    row: undefined,
    why: "All that can be cloned passes there, `NaN` too; here parameters are JSON, or it is an `InvalidToolSchema`.",
    shown: "directed"
  },
  "reserved names": {
    row: undefined,
    why: "A tool with the reserved name is refused after all providers were called there; here when its provider is.",
    shown: "random"
  },
  "snapshot heading": {
    row: undefined,
    why: "The line over the contexts is worded anew.",
    shown: "random"
  }
} as const satisfies Record<string, Deviation>

export type Name = keyof typeof deviations

/** Rows of the table of differences that are not compared, and why not. */
export const notCompared: Readonly<Record<number, string>> = {
  13: "Ending a registration: by a disposer there, by a scope here. That is a matter of types; what ending does is compared.",
  15: "Calling tools, which is another package there.",
  18: "Restoring a projection from a session log, which is another package there.",
  19: "Reading old session logs, which is another package there."
}
