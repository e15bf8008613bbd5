/**
 * What `npm run test:mutation` runs for each mutant: the tests by example of the core, which are fast and always the
 * same. The laws are left out: a rule that only a random run can find broken has no example that states it.
 */
import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** Where the tests of a module without a test file of its own name are. */
const homes: Readonly<Record<string, ReadonlyArray<string>>> = {
  assemble: ["Assembly", "PromptError"],
  BuiltIns: ["Overlays", "Persona", "PromptContext"],
  compose: ["Assembly"],
  evaluate: ["Trace"],
  held: ["overlayTable"],
  keptList: ["steady", "Tools"],
  Listener: ["rules"],
  parsed: ["rerender", "Rendered"],
  listMemory: ["memory"],
  partList: ["WellFormed", "memory"],
  PromptContext: ["rules"],
  render: ["rerender", "Rendered"],
  Rendered: ["rerender"],
  renderList: ["rerender", "Rendered"],
  sameTool: ["memory", "Assembly"],
  scan: ["Template"],
  Section: ["rules"],
  steady: ["keptList", "Provider"],
  Variable: ["rules"],
  wellFormed: ["WellFormed"]
}

/** Puts the test files first that most likely kill the mutant: a run ends with its first failure. */
class HomeFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const related: ReadonlyArray<string> = this.ctx.config.related ?? []
    const homesOf = related.flatMap((path) => {
      const module = basename(path, ".ts")
      return [module, ...(homes[module] ?? [])]
    })
    const rank = (file: TestSpecification): number => {
      const at = homesOf.indexOf(basename(file.moduleId, ".test.ts"))
      return at === -1 ? homesOf.length : at
    }
    return files.toSorted((a, b) => rank(a) - rank(b) || (a.moduleId < b.moduleId ? -1 : 1))
  }
}

export default defineConfig({
  root,
  resolve: {
    alias: [
      { find: /^effect-preamble$/, replacement: `${root}src/index.ts` },
      { find: /^effect-preamble\/(\w+)$/, replacement: `${root}src/$1/index.ts` }
    ]
  },
  test: {
    include: ["test/*.test.ts", "test/internal/*.test.ts"],
    // The first three read the sources, not what they do; the others ask what many fibres, or the collector of
    // garbage, leave behind.
    exclude: [
      "test/DocComments.test.ts",
      "test/Imports.test.ts",
      "test/docs.test.ts",
      "test/Concurrency.test.ts",
      "test/Renderer.test.ts"
    ],
    // One worker for all files of a run: Stryker's runs follow each other, and each begins with fresh modules.
    isolate: false,
    sequence: { sequencer: HomeFirst }
  }
})
