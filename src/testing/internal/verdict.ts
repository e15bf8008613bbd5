/** What a case says of a law that it does not keep: how it breaks it, or why it says nothing of it. */
import * as Effect from "effect/Effect"
import type { Broken } from "../Law.ts"

/** Why a case breaks a law, with advice if it is not that of the law. */
export interface Verdict extends Broken {
  readonly advice?: string
}

export const broken = (expected: string, seen: string): Broken => ({ expected, seen })

/**
 * The subject failed in a way that is the affair of another law. Fail with it instead of passing: a law that no case has
 * judged is not reported as held.
 */
export class NotJudged {
  /** Why, if it was so in all cases; as a sentence about the subject. */
  readonly why: string

  constructor(why: string) {
    this.why = why
  }
}

export const notJudged = (why: string): Effect.Effect<never, NotJudged> => Effect.fail(new NotJudged(why))
