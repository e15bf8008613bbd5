/**
 * Turns that ended because the process did: nobody wrote so, and the log shows it by how the next turn began.
 */
import { isArray, isNatural, isObject, type PlainEvent } from "./plain.ts"

/** Follows the turns of a log. */
export class Restart {
  #turn: number | undefined
  #inStep = false
  /** Whether the event before put a message into the inbox of the next turn. */
  #spliced = false

  /**
   * Takes note of an event. The number of the turn that has to be closed before it, if there is one: a turn is open
   * without an open step, somebody wrote to the next turn, and that turn begins at once.
   */
  observe(event: PlainEvent): number | undefined {
    const data = isObject(event.data) ? event.data : {}
    const open = this.#turn
    const spliced = this.#spliced
    this.#spliced = false
    switch (event.type) {
      case "turn/start":
        this.#turn = isNatural(data["turn"]) ? data["turn"] : undefined
        if (open !== undefined && spliced && !this.#inStep && this.#turn === open + 1) return open
        this.#inStep = false
        break
      case "turn/end":
        this.#turn = undefined
        this.#inStep = false
        break
      case "step/start":
        this.#inStep = true
        break
      case "step/end":
        this.#inStep = false
        break
      case "agent/inbox/spliced": {
        const inserted = data["inserted"]
        this.#spliced = data["target"] === "next-turn" && isArray(inserted) && inserted.length > 0
        break
      }
    }
    return undefined
  }
}
