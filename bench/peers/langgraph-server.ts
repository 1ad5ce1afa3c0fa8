import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { serveBare } from '../floors/bare-server.ts'

// A durable agent that a user would otherwise write: a LangGraph graph of a model and a tool over its PostgreSQL checkpointer,
// in the same process as node:http. Each request is a run on a thread of its own and is answered when the run has ended.
// Called with the database's URL, the model's URL and the folder in which the packages are installed.

const [url = '', modelUrl = '', folder = ''] = process.argv.slice(2)
const require = createRequire(join(folder, 'package.json'))
const load = (name: string): Promise<unknown> => import(pathToFileURL(require.resolve(name)).href)

type Message = { role: string; content: string | null; tool_calls?: { id: string }[]; tool_call_id?: string }
type State = { messages: Message[] }
type Graph = {
  addNode(name: string, run: (state: State) => Promise<State>): Graph
  addEdge(from: string, to: string): Graph
  addConditionalEdges(from: string, choose: (state: State) => string): Graph
  compile(options: { checkpointer: unknown }): { invoke(state: State, config: object): Promise<State> }
}
type Packages = {
  StateGraph: new (state: unknown) => Graph
  Annotation: { Root(fields: object): unknown } & ((field: object) => unknown)
  START: string
  END: string
}
type Saver = { setup(): Promise<void> }

const { StateGraph, Annotation, START, END } = (await load('@langchain/langgraph')) as Packages
const { PostgresSaver } = (await load('@langchain/langgraph-checkpoint-postgres')) as {
  PostgresSaver: { fromConnString(url: string): Saver }
}
const checkpointer = PostgresSaver.fromConnString(url)
await checkpointer.setup()

const tools = [{ type: 'function', function: { name: 'search', parameters: { type: 'object', properties: {} } } }]

const askModel = async ({ messages }: State): Promise<State> => {
  const response = await fetch(`${modelUrl}v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'scripted', messages, tools }),
  })
  const { choices } = (await response.json()) as { choices: { message: Message }[] }
  return { messages: choices.map(({ message }) => message) }
}

const callTools = async ({ messages }: State): Promise<State> => ({
  messages: (messages.at(-1)?.tool_calls ?? []).map(({ id }) => ({
    role: 'tool',
    tool_call_id: id,
    content: '{"results":[]}',
  })),
})

const state = Annotation.Root({
  messages: Annotation({ reducer: (held: Message[], more: Message[]) => [...held, ...more], default: () => [] }),
})
const agent = new StateGraph(state)
  .addNode('model', askModel)
  .addNode('tools', callTools)
  .addEdge(START, 'model')
  .addConditionalEdges('model', ({ messages }) => (messages.at(-1)?.tool_calls ? 'tools' : END))
  .addEdge('tools', 'model')
  .compile({ checkpointer })

let runs = 0
serveBare(async (_request, body) => {
  const input: Message = { role: 'user', content: String(JSON.parse(body.toString('utf8')).input) }
  const config = { configurable: { thread_id: `thread-${process.pid}-${runs++}` }, durability: 'sync' }
  const { messages } = await agent.invoke({ messages: [input] }, config)
  return { status: 200, text: JSON.stringify({ data: { text: messages.at(-1)?.content, messages: messages.length } }) }
})
