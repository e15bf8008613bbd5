import { Context, Effect, Layer, Ref, Schema } from "effect"

export class NoSuchFile extends Schema.TaggedError<NoSuchFile>()("NoSuchFile", { path: Schema.String }) {
  override get message(): string {
    return `there is no file ${this.path}`
  }
}

/** The files that the agent works on. */
export class Workspace extends Context.Service<
  Workspace,
  {
    readonly directory: string
    readonly read: (path: string) => Effect.Effect<string, NoSuchFile>
    readonly write: (path: string, text: string) => Effect.Effect<void>
    /** Paths that were written to. */
    readonly changed: Effect.Effect<ReadonlyArray<string>>
  }
>()("app/Workspace") {
  static readonly layerMemory = (directory: string, files: Readonly<Record<string, string>>) =>
    Layer.effect(
      this,
      Effect.gen(function* () {
        const written = yield* Ref.make<ReadonlyMap<string, string>>(new Map())
        const original = new Map(Object.entries(files))
        return Workspace.of({
          directory,
          read: Effect.fn("Workspace.read")(function* (path) {
            const text = (yield* Ref.get(written)).get(path) ?? original.get(path)
            return text ?? (yield* new NoSuchFile({ path }))
          }),
          write: (path, text) => Ref.update(written, (files) => new Map([...files, [path, text]])),
          changed: Effect.map(Ref.get(written), (files) => [...files.keys()])
        })
      })
    )
}
