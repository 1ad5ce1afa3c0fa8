import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { anthropicWire } from './anthropic-wire.ts'
import { chatWire } from './chat-wire.ts'
import { googleWire } from './google-wire.ts'
import { responsesWire } from './responses-wire.ts'
import type { Step, Wire } from './step.ts'

/** A request as it arrived. */
export type ModelRequest = {
  method: string
  path: string
  headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects and fails where that is not there
  body: any
  /** True if its connection was closed before the answer was complete. */
  isCut: boolean
}

const wires: [RegExp, Wire][] = [
  [/\/chat\/completions$/, chatWire],
  [/\/responses$/, responsesWire],
  [/\/messages$/, anthropicWire],
  [/:streamGenerateContent/, googleWire],
]

/** The answers without a stream, as a test of a provider asks for them. */
const wholes: [RegExp, (text: string) => object][] = [
  [/\/chat\/completions$/, (content) => ({ choices: [{ index: 0, message: { role: 'assistant', content } }] })],
  [/\/responses$/, (text) => ({ output: [{ type: 'message', content: [{ type: 'output_text', text }] }] })],
  [/\/messages$/, (text) => ({ type: 'message', content: [{ type: 'text', text }] })],
  [/:generateContent$/, (text) => ({ candidates: [{ content: { role: 'model', parts: [{ text }] } }] })],
  [/\/models$/, () => ({ data: [], models: [] })],
]

const writeEvent = (response: ServerResponse, { event, data }: { event?: string; data: unknown }) =>
  response.write(
    `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`,
  )

const refuse = (response: ServerResponse, step: Extract<Step, { status: number }>) => {
  const body = step.body ?? { error: { message: `It is a scripted ${step.status}.`, type: 'scripted' } }
  response.writeHead(step.status, { 'content-type': 'application/json', ...step.headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

const answerWhole = (response: ServerResponse, url: string, step: Step) => {
  if ('status' in step) return refuse(response, step)
  const body = wholes.find(([path]) => path.test(url))?.[1](step.text?.join('') ?? '')
  response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}))
}

const play = (response: ServerResponse, wire: Wire, step: Step) => {
  if ('status' in step) return refuse(response, step)
  const { events, end } = wire(step)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of events) writeEvent(response, event)
  if (step.ending === 'hang') return
  if (step.ending === 'cut') {
    // Earlier output is sent first.
    response.write('', () => response.destroy())
    return
  }
  if (step.ending !== 'early') for (const event of end) writeEvent(response, event)
  response.end()
}

/** The answers to the next requests: the steps in order, or a function of each request. */
export type Script = readonly Step[] | ((request: ModelRequest, index: number) => Step | Promise<Step>)

/** A server of models that follows a script, in the API of the request's path. After the script it answers 500. */
export const startScriptedModels = async (given: Script = []) => {
  const requests: ModelRequest[] = []
  const waiting = new Set<() => void>()
  const state = { script: given, from: 0 }
  const look = () => {
    for (const one of waiting) one()
  }
  const findStep = (request: ModelRequest, index: number, otherwise: Step): Step | Promise<Step> =>
    typeof state.script === 'function' ? state.script(request, index) : (state.script[index] ?? otherwise)
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = await incoming.toArray().catch(() => [])
    const { method = '', url = '', headers } = incoming
    const body = JSON.parse(Buffer.concat(chunks).toString() || 'null')
    const request: ModelRequest = { method, path: url, headers, body, isCut: false }
    response.on('close', () => {
      request.isCut = !response.writableFinished
      look()
    })
    const isStreamed = body?.stream === true || url.includes(':stream')
    const wire = isStreamed ? wires.find(([path]) => path.test(url))?.[1] : undefined
    requests.push(request)
    look()
    // Models are listed without a script, too.
    const step = await findStep(request, requests.length - 1 - state.from, method === 'GET' ? {} : { status: 500 })
    if (wire) play(response, wire, step)
    else answerWhole(response, url, step)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  /** Waits until something is true of the requests. */
  const until = (isTrue: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const check = () => {
        if (!isTrue()) return
        waiting.delete(check)
        resolve()
      }
      waiting.add(check)
      check()
    })
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    /** From now on another script, from its beginning. */
    says: (script: Script) => {
      state.script = script
      state.from = requests.length
    },
    received: async (count: number): Promise<ModelRequest[]> => {
      await until(() => requests.length >= count)
      return requests
    },
    /** Waits until the connection of a request was closed before its answer was complete. */
    cutOff: (index: number) => until(() => requests[index]?.isCut === true),
    close: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

export type ScriptedModels = Awaited<ReturnType<typeof startScriptedModels>>
