import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, FileSystem, Layer, Stream } from "effect"
import * as FileStore from "../../../src/session/store/FileStore.ts"
import { SessionStore } from "../../../src/session/store/SessionStore.ts"
import type { Subject } from "./program.ts"
import { conforms } from "./suite.ts"
import { append, headerOf, platform } from "./support.ts"

const open = (folder: string) =>
  Effect.map(
    Effect.scoped(Layer.build(FileStore.layer({ folder, fsync: false }).pipe(Layer.provide(platform), Layer.fresh))),
    (services) => Context.get(services, SessionStore)
  )

const newFolder = Effect.flatMap(FileSystem.FileSystem, (fs) =>
  Effect.orDie(fs.makeTempDirectoryScoped({ prefix: "store-" }))
).pipe(Effect.provide(platform))

const subject = Effect.gen(function* () {
  const folder = yield* newFolder
  const subject: Subject = { store: yield* open(folder), restart: open(folder) }
  return subject
})

conforms("in files", subject, { writers: "one" })

describe("a folder of logs", () => {
  it.effect("may hold other files, which are passed over", () =>
    Effect.gen(function* () {
      const folder = yield* newFolder
      const fs = yield* FileSystem.FileSystem
      const store = yield* open(folder)
      for (const id of ["a", "b c"]) yield* Effect.scoped(store.create(headerOf(id)))
      for (const name of ["notes.txt", "b c.jsonl", "%zz.jsonl", ".jsonl", "b%20c.jsonl.bak"]) {
        yield* fs.writeFileString(`${folder}/${name}`, "")
      }
      assert.deepStrictEqual(yield* store.list, ["a", "b c"])
    }).pipe(Effect.provide(platform))
  )

  it.effect("gives no session under the id of another, as where files were renamed", () =>
    Effect.gen(function* () {
      const folder = yield* newFolder
      const fs = yield* FileSystem.FileSystem
      const store = yield* open(folder)
      yield* Effect.scoped(Effect.flatMap(store.create(headerOf("a")), (writer) => append(writer, 1)))
      yield* fs.rename(`${folder}/a.jsonl`, `${folder}/b.jsonl`)
      for (const effect of [
        Effect.asVoid(store.open("b")),
        Effect.asVoid(store.inspect("b")),
        Stream.runDrain(store.read("b"))
      ]) {
        const error = yield* Effect.flip(effect)
        assert.strictEqual(error._tag, "InvalidLog")
        assert.include(error.message, 'the log of session "a", and not of "b"')
      }
    }).pipe(Effect.provide(platform))
  )

  it.effect("must be there", () =>
    Effect.gen(function* () {
      const store = yield* open(`${yield* newFolder}/none`)
      const error = yield* Effect.flip(store.list)
      assert.strictEqual(error._tag, "StoreFailure")
      assert.match(error.message, /^could not list .*ENOENT/u)
      assert.strictEqual((yield* Effect.flip(store.create(headerOf("a"))))._tag, "StoreFailure")
    })
  )

  it.effect("has no file for an id with half a character, nor for one that is too long for a name", () =>
    Effect.gen(function* () {
      const store = yield* open(yield* newFolder)
      const create = (id: string) => Effect.scoped(store.create(headerOf(id)))
      const half = yield* Effect.flip(create("a\ud800"))
      assert.strictEqual(half._tag, "StoreFailure")
      assert.include(half.message, "could not name a file after")
      yield* create("a".repeat(236))
      const long = yield* Effect.flip(create("a".repeat(237)))
      assert.match(
        long.message,
        /^could not name a file after .*243 characters, and at most 242 fit\. Give .* shorter id/u
      )
      assert.strictEqual((yield* Effect.flip(store.inspect("é".repeat(40))))._tag, "StoreFailure")
    })
  )

  it.effect("has names that mean nothing else to any system", () =>
    Effect.gen(function* () {
      const folder = yield* newFolder
      const fs = yield* FileSystem.FileSystem
      const store = yield* open(folder)
      const names = new Map([
        ["..", "%2E..jsonl"],
        ["../up", "%2E.%2Fup.jsonl"],
        ["a*\\:?", "a%2A%5C%3A%3F.jsonl"],
        ["CON", "%43ON.jsonl"],
        ["com7.x", "%63om7.x.jsonl"],
        ["com", "com.jsonl"],
        ["console", "console.jsonl"]
      ])
      for (const id of names.keys()) yield* Effect.scoped(store.create(headerOf(id)))
      const found = yield* fs.readDirectory(folder)
      assert.sameMembers(
        found.filter((name) => name.endsWith(".jsonl")),
        [...names.values()]
      )
      assert.sameMembers([...(yield* store.list)], [...names.keys()])
      for (const [id, name] of names) assert.strictEqual(FileStore.fileName(id), name)
    }).pipe(Effect.provide(platform))
  )
})
