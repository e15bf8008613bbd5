/**
 * Text that the peer must not scan: `interpolate: false`, and the literal parts of a Template. Neither has a form in
 * rc.8, but values are never scanned, so each literal part becomes a reference to a variable of a reserved name.
 */
import type { Template } from "../../src/index.ts"

const reserved = /\{\{peer_literal_(\d+)\}\}/g

export class Literals {
  readonly #all: Array<string> = []

  /** A text for the peer that renders as this one is to. */
  encode(text: Template.Text, interpolate = true): string {
    if (typeof text !== "string") {
      return text.segments.map((one) => (one._tag === "Literal" ? this.#hide(one.text) : `{{${one.name}}}`)).join("")
    }
    return interpolate ? text : this.#hide(text)
  }

  /** The text that a reader sees, with references as `{{name}}`. */
  decode(text: string): string {
    return text.replaceAll(reserved, (_, index: string) => this.#all[Number(index)] ?? "")
  }

  /** The values of the references that stand for literal parts. */
  get variables(): Record<string, string> {
    return Object.fromEntries(this.#all.map((text, index) => [`peer_literal_${index}`, text]))
  }

  #hide(text: string): string {
    return `{{peer_literal_${this.#all.push(text) - 1}}}`
  }
}
