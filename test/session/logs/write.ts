/** Writes the logs of this folder anew. */
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { ownLogs } from "../format/support/ownLogs.ts"

for (const [file, text] of ownLogs) writeFileSync(fileURLToPath(new URL(file, import.meta.url)), text)
