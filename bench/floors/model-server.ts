import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

// A language model that says what a script says: it speaks chat completions, streamed or not, asks its first tool twice and
// then answers. So a run of it is five steps: model, tool, model, tool, model. It takes no time of its own, and while it was
// told to hang it does not answer at all.

type Message = { role: string }
type Asked = { model?: string; stream?: boolean; messages: Message[]; tools?: { function: { name: string } }[] }

const toolCalls = 2
const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }

const readJson = async (request: IncomingMessage): Promise<Asked> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

const say = ({ messages, tools = [] }: Asked) => {
  const answered = messages.filter(({ role }) => role === 'tool').length
  const name = tools[0]?.function.name
  if (name === undefined || answered >= toolCalls)
    return { finish: 'stop', delta: { role: 'assistant', content: 'Ada wrote the first program.' } }
  const call = { index: 0, id: `call_${answered}`, type: 'function' }
  const args = JSON.stringify(name === 'ask_human' ? { question: 'Which Ada?' } : { query: `ada ${answered}` })
  return {
    finish: 'tool_calls',
    delta: { role: 'assistant', content: null, tool_calls: [{ ...call, function: { name, arguments: args } }] },
  }
}

let isHanging = false

const server = createServer((request, response) => {
  if (request.url === '/hang' || request.url === '/answer') {
    isHanging = request.url === '/hang'
    return void response.end()
  }
  if (isHanging) return
  void readJson(request).then((asked) => {
    const { finish, delta } = say(asked)
    const about = { id: 'chatcmpl-1', created: 1, model: asked.model ?? 'scripted' }
    if (!asked.stream) {
      const { tool_calls, ...message } = delta
      const calls = tool_calls?.map(({ index: _index, ...call }) => call)
      const choice = {
        index: 0,
        message: { ...message, ...(calls ? { tool_calls: calls } : {}) },
        finish_reason: finish,
      }
      response.setHeader('content-type', 'application/json')
      return response.end(JSON.stringify({ ...about, object: 'chat.completion', choices: [choice], usage }))
    }
    response.setHeader('content-type', 'text/event-stream')
    const chunks = [
      { ...about, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: null }] },
      { ...about, object: 'chat.completion.chunk', choices: [{ index: 0, delta: {}, finish_reason: finish }] },
      { ...about, object: 'chat.completion.chunk', choices: [], usage },
    ]
    return response.end(`${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`)
  })
})

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ msg: 'ready', url: `http://127.0.0.1:${port}/` })}\n`)
})
process.once('SIGTERM', () => process.exit())
