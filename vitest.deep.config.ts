/** `npm run test:deep`: the random comparisons and the fuzzers, with far more runs than in `npm test`. */
import { defineConfig, mergeConfig } from "vitest/config"
import config from "./vitest.config.ts"

export default mergeConfig(config, defineConfig({ test: { env: { PREAMBLE_DEEP: "1" } } }))
