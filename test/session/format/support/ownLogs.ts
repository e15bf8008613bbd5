/** The story that the logs of this repository tell, once for each format and once as the first writers wrote it. */
import { plain, type Step, type Story, type Style } from "./story.ts"
import { write } from "./writer.ts"

const quiet: Step = {
  prompt: -1,
  users: 1,
  failures: 0,
  pieces: 3,
  answers: true,
  tools: 0,
  prunes: false,
  compacts: 0,
  titles: false,
  goals: false,
  codes: false,
  unknown: false,
  commands: false
}

/** Everything that a session can go through: retries, calls, pruned results, two compactions, turns that broke off. */
const session: Story = {
  seed: 1,
  turns: [
    {
      end: "completed",
      steers: false,
      steps: [
        { ...quiet, prompt: 0, titles: true, tools: 2, unknown: true },
        { ...quiet, users: 0, failures: 2, pieces: 4, commands: true }
      ]
    },
    {
      end: "interrupted",
      steers: true,
      steps: [
        { ...quiet, prompt: 2, users: 2, goals: true, commands: true },
        { ...quiet, tools: 1, prunes: true, compacts: 6 },
        { ...quiet, prompt: 2, users: 0, answers: false, failures: 1 }
      ]
    },
    { end: "interrupted", steers: false, steps: [] },
    {
      end: "error",
      steers: false,
      steps: [
        { ...quiet, prompt: 1, codes: true, tools: 2, prunes: true, unknown: true },
        { ...quiet, prompt: 3, compacts: 4, titles: true }
      ]
    },
    {
      end: "aborted",
      steers: true,
      steps: [
        { ...quiet, prompt: 4 },
        { ...quiet, pieces: 0, tools: 1, prunes: true }
      ]
    }
  ]
}

const first: Style = { ...plain, legacy: true, ranges: true }

const named: ReadonlyArray<readonly [name: string, version: number, style: Style]> = [
  ["first-writers", 0, first],
  ["session", 0, plain],
  ["session", 1, { ...plain, packs: false, marks: true }],
  ["session", 2, plain],
  ["session", 3, plain],
  ["session", 4, plain],
  ["unnumbered", 0, { ...plain, unnumbered: true }]
]

/** What the files must be. */
export const ownLogs: ReadonlyArray<readonly [file: string, text: string]> = named.map(([name, version, style]) => [
  `${name}.v${version}.jsonl`,
  write(version, style, session)
    .map((line) => `${line}\n`)
    .join("")
])
