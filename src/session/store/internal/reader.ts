/** Reads a log file piece by piece, as far as it goes when the reading begins. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { LogDamaged, StoreFailure } from "../StoreError.ts"
import type { Damage, Line } from "./line.ts"
import { causeOf } from "./platform.ts"
import * as scan from "./scan.ts"

/** What the end of a file says of the whole. */
export interface Ending {
  readonly kind: scan.Kind
  /** The end of the last whole append. */
  readonly committed: scan.Position
  readonly torn: scan.Torn | undefined
}

/** The next whole lines, and the ending after the last of them. */
export interface Piece {
  readonly lines: ReadonlyArray<Line>
  readonly ending: Ending | undefined
}

/** Gives the pieces one after the other. */
export type Reader = Effect.Effect<Piece, LogDamaged | StoreFailure>

/** Large enough that calls do not count, small enough that many readers do not either. */
const pieceBytes = 256 * 1024

/** Reads what the file has now. What is appended later is not seen. */
export const make = Effect.fnUntraced(function* (log: string, file: FileSystem.File) {
  const failure = (cause: unknown) => new StoreFailure({ log, operation: "read", cause })
  const info = yield* Effect.mapError(file.stat, (error) => failure(causeOf(error)))
  const size = Number(info.size)
  let state = scan.start
  let position = 0
  let readTwice = -1

  /**
   * While this reads what a crash has left at the end, a new writer may cut that off and append something else, so that
   * half of this and half of that is read. It is damaged only if it is so the second time too.
   */
  const again = (damage: Damage, lines: ReadonlyArray<Line>): Effect.Effect<Piece, LogDamaged> => {
    if (readTwice === state.committed.offset) return Effect.fail(new LogDamaged({ log, ...damage }))
    readTwice = state.committed.offset
    position = state.committed.offset
    return Effect.succeed({ lines, ending: undefined })
  }

  const take = (bytes: Uint8Array): Effect.Effect<Piece, LogDamaged> => {
    const { damage, lines, scan: next } = scan.push(state, bytes)
    state = next
    position += bytes.length
    return damage === undefined ? Effect.succeed({ lines, ending: undefined }) : again(damage, lines)
  }

  const finish = (): Effect.Effect<Piece, LogDamaged> => {
    const end = scan.finish(state)
    if (Result.isFailure(end)) {
      state = scan.rewind(state)
      return again(end.failure, [])
    }
    const { lines, torn } = end.success
    return Effect.succeed({ lines, ending: { kind: state.kind, committed: state.committed, torn } })
  }

  const reader: Reader = Effect.suspend(() => {
    const length = Math.min(pieceBytes, size - position)
    if (length === 0) return finish()
    return file.readAlloc(length, { position: BigInt(position) }).pipe(
      Effect.mapError((error) => failure(causeOf(error))),
      // A file that became shorter ends where it ends now.
      Effect.flatMap(Option.match({ onNone: finish, onSome: take }))
    )
  })
  return reader
})
