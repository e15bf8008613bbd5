import { Console, Effect, Layer } from "effect"
import { agent, layer } from "./agent.ts"
import { call, say, scripted } from "./scripted.ts"
import { Workspace } from "./workspace.ts"

const model = scripted([
  call("1", "read_file", { path: "hello.txt" }),
  call("2", "write_file", { path: "hello.txt", text: "Hello!" }),
  say("I corrected the greeting."),
  // The reviewer has no such tool: the answer is the one that any other unknown name gets.
  call("3", "write_file", { path: "hello.txt", text: "Good evening!" }),
  call("4", "read_file", { path: "hello.text" }),
  say("It is correct now.")
])
const workspace = Workspace.layerMemory("/home/user/project", { "hello.txt": "Helo!" })

const program = Effect.flatMap(agent, ({ answer, opinion }) =>
  Console.log(`--- done\nanswer: ${answer}\nopinion: ${opinion}`)
)
await Effect.runPromise(program.pipe(Effect.provide(layer.pipe(Layer.provide([model, workspace])))))
