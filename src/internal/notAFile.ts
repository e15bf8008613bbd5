/** What must not be read to its end. */
import type * as FileSystem from "effect/FileSystem"

/**
 * What is there in place of a file, in words. A device may never end; a pipe that nobody writes to may not even open, and
 * no signal ends a process that waits for it.
 */
export const notAFile = (type: FileSystem.File.Type): string | undefined => {
  if (type === "File") return undefined
  return type === "Directory" ? "a folder" : "not a file but a pipe or a device, which may never end"
}
