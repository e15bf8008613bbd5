/** Names of the built-in sections, which are taken in the global overlay. */
export const builtInNames = Object.freeze({
  identity: "harness:identity",
  prefix: "deployment:persona-prefix",
  suffix: "deployment:persona-suffix"
})

export const isBuiltIn = (name: string): boolean => Object.values<string>(builtInNames).includes(name)
