/** A case that says nothing about a law, because its subject failed in a way that is the affair of another law. */
import * as Effect from "effect/Effect"

/** Fail with it instead of passing: a law that no case has judged is not reported as held. */
export class NotJudged {
  /** Why, if it was so in all cases; as a sentence about the subject. */
  readonly why: string

  constructor(why: string) {
    this.why = why
  }
}

export const notJudged = (why: string): Effect.Effect<never, NotJudged> => Effect.fail(new NotJudged(why))
