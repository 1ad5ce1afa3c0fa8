import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** A request as the far end got it: the URL is still encoded. */
export type SeenRequest = { method: string; url: string; headers: IncomingHttpHeaders; body: string }

/** `data` or `error` are sent in their envelope; `break` drops the connection without an answer, `hang` never answers. */
export type ScriptedAnswer =
  | { status?: number; data: unknown; headers?: Record<string, string> }
  | { status: number; error: Record<string, unknown>; headers?: Record<string, string> }
  | { status: number; text: string; headers?: Record<string, string> }
  | { stream: readonly (string | Uint8Array)[]; ending?: 'end' | 'break' | 'stay' }
  | 'break'
  | 'hang'

const wait = () => new Promise<void>((resolve) => setImmediate(resolve))

const sendStream = async (
  response: ServerResponse,
  { stream, ending = 'end' }: Extract<ScriptedAnswer, { stream: unknown }>,
) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  for (const piece of stream) {
    await new Promise((resolve) => response.write(piece, resolve))
    await wait()
  }
  if (ending === 'end') response.end()
  if (ending === 'break') response.destroy()
}

const send = (response: ServerResponse, answer: ScriptedAnswer) => {
  if (answer === 'hang') return
  if (answer === 'break') return void response.destroy()
  if ('stream' in answer) return void sendStream(response, answer)
  const body =
    'text' in answer ? answer.text : JSON.stringify('data' in answer ? { data: answer.data } : { error: answer.error })
  response.writeHead(answer.status ?? 200, {
    'content-type': 'application/json',
    'x-request-id': 'req_1',
    ...answer.headers,
  })
  response.end(body)
}

/**
 * A service on a local port that answers from a script: an array gives one answer per request, a function is called each
 * time. Closed when the test ends.
 */
export const startScriptedServer = async (
  script: ScriptedAnswer[] | ((request: SeenRequest) => ScriptedAnswer),
): Promise<{ url: string; requests: SeenRequest[] }> => {
  const requests: SeenRequest[] = []
  const server = createServer(async (incoming, response) => {
    const { method = '', url = '', headers } = incoming
    const request = { method, url, headers, body: await text(incoming) }
    requests.push(request)
    const unscripted = { status: 418, error: { kind: 'unscripted', message: `unscripted ${method} ${url}` } }
    send(response, typeof script === 'function' ? script(request) : (script.shift() ?? unscripted))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { url: `http://127.0.0.1:${port}`, requests }
}

/** A base URL without a listener. */
export const closedUrl = async (): Promise<string> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
}
