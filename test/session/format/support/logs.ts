/** The logs that are checked in here, and the real ones, where they are. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const read = (folder: string): ReadonlyArray<readonly [file: string, lines: ReadonlyArray<string>]> =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((file) => file.endsWith(".jsonl"))
        .toSorted()
        .map((file) => [file, readFileSync(`${folder}/${file}`, "utf8").split("\n").slice(0, -1)])
    : []

const folder = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

export const ownFolder = folder("../../logs")

export const own = read(ownFolder)

export const real = read(folder("../../../../../shared/fixtures/dsh-logs"))
