import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

export default defineConfig({
  resolve: {
    alias: [
      { find: /^effect-preamble$/, replacement: fileURLToPath(new URL("./src/index.ts", import.meta.url)) },
      { find: /^effect-preamble\/(\w+)$/, replacement: fileURLToPath(new URL("./src/$1/index.ts", import.meta.url)) }
    ]
  },
  test: {
    include: ["test/**/*.test.ts"],
    // Nothing here is left over from one file to the next, and loading all anew for each takes a third of the time.
    isolate: false,
    maxWorkers: "100%",
    // Some tests start processes: on a busy machine these take their time. What takes longer than this hangs, or grows with
    // the square of what it is given.
    testTimeout: 60_000
  }
})
