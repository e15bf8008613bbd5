import { execFileSync } from "node:child_process"

const mkfifo = "mkfifo"

/** A pipe in the file system, which nobody writes to: who opens it waits, and no signal ends that. */
export const makePipe = (path: string): void => void execFileSync(mkfifo, [path])
