/**
 * Names and orders. There are few of each, so that they collide.
 *
 * @since 0.1.0
 */
import { absent, type Arb, choose, literal } from "../internal/generate.ts"
import { variables } from "../internal/texts.ts"

/**
 * Names of sections and contexts. Code units, collation and prototypes disagree about their order.
 *
 * @since 0.1.0
 * @category names and orders
 */
export const name: Arb<string> = literal("a", "b", "B", "a-1", "é", "e\u0301", "{{a}}", "constructor", "__proto__")

/**
 * Names of plugins, or none.
 *
 * @since 0.1.0
 * @category names and orders
 */
export const plugin: Arb<string | undefined> = choose<string | undefined>(absent, literal("core", "extra"))

/**
 * Orders of sections, contexts and listeners: finite, also huge, negative and fractional. Half of all are 0 or 1, so that
 * they tie.
 *
 * @since 0.1.0
 * @category names and orders
 */
export const order: Arb<number> = choose<number>(literal(0, 1), literal(0, -1, 0.5, 1000, -1e9, Number.MAX_VALUE))

/**
 * Names of variables.
 *
 * @since 0.1.0
 * @category names and orders
 */
export const variableName: Arb<string> = literal(...variables)

/**
 * Names of tools.
 *
 * @since 0.1.0
 * @category names and orders
 */
export const toolName: Arb<string> = literal("bash", "read", "a", "B", "__proto__")

/**
 * Labels of prompt scopes. They repeat: two scopes of one label are two.
 *
 * @since 0.1.0
 * @category names and orders
 */
export const label: Arb<string> = literal("agent", "preset", "agent", "global")
