/**
 * Texts, and values of variables.
 *
 * @since 0.1.0
 */
import type * as Template from "../../Template.ts"
import { type Arb, choose, literal } from "../internal/generate.ts"
import * as texts from "../internal/texts.ts"

/**
 * Text without braces.
 *
 * @since 0.1.0
 * @category texts
 */
export const plainText: Arb<string> = texts.plain

/**
 * Text with braces of all kinds, but no `{{`: it renders to itself.
 *
 * @since 0.1.0
 * @category texts
 */
export const grouplessText: Arb<string> = texts.groupless

/**
 * References to variables (see `variableName`) and text between them, nothing malformed.
 *
 * @since 0.1.0
 * @category texts
 */
export const referringText: Arb<string> = texts.referring(texts.variables)

/**
 * Braces in all arrangements, with little between them. Many do not render.
 *
 * @since 0.1.0
 * @category texts
 */
export const bracedText: Arb<string> = texts.braced

/**
 * Any text; nearly half have braces, and of these many do not render.
 *
 * @since 0.1.0
 * @category texts
 */
export const text: Arb<string> = choose(plainText, plainText, plainText, referringText, bracedText, bracedText)

/**
 * References between literal parts with any braces.
 *
 * @since 0.1.0
 * @category texts
 */
export const template: Arb<Template.Template> = texts.template(text, texts.variables)

/**
 * Values of variables. Many would do harm if they were read again, or taken for a pattern.
 *
 * @since 0.1.0
 * @category texts
 */
export const value: Arb<string> = choose(plainText, bracedText, literal("", "}}", "{{b}}", "$&", "__proto__"))
