import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { endpoints } from '@noema/contracts/api.ts'
import { createValidation } from '../../server/src/http/reference/document-validation.ts'

// A proxy between the checker and the service: aims generated requests at existing objects, and counts the answers.

type Target = {
  port: number
  key: string
  /** The headers of an administrator's browser, for what keys may not do. */
  session: Readonly<Record<string, string>>
  handle: string
  ids: Readonly<Record<string, string>>
}

const routes = endpoints
  .map(({ name, endpoint: { method, path, access } }) => ({
    name,
    method,
    takesKeys: access !== 'session' && access !== 'account' && access !== 'administrator',
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    parameters: (path.match(/\{/g) ?? []).length,
  }))
  // The path with fewer parameters is the nearer one.
  .sort((a, b) => a.parameters - b.parameters)

const findRoute = (method = '', url: string) => {
  const [path = ''] = url.split('?')
  return routes.find((route) => route.method === method && route.pattern.test(path))
}

/** Every second request goes to existing objects: the Brain, and its items. */
const aim = (url: string, { handle, ids }: Target, count: number): string => {
  const [path = '', query] = url.split('?')
  const aimed = path
    .replace(/^\/v1\/brains\/[^/]+(?=\/)/, `/v1/brains/${handle}`)
    .replace(/\/(\w+)\/([^/]+)(?=$|\/\w+$)/, (whole, list: string) => {
      const id = ids[list]
      return id === undefined || count % 2 === 0 ? whole : whole.replace(/\/[^/]+$/, `/${id}`)
    })
  return query === undefined ? aimed : `${aimed}?${query}`
}

const readAll = async (message: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Starts to listen for the checker. `report` returns the counts so far. */
export const startWatch = async (target: Target) => {
  const validation = createValidation()
  const statuses = new Map<number, number>()
  const operations = new Map<string, number>()
  const waiting = new Map<string, () => void>()
  const violations = new Map<string, string>()
  let count = 0
  const judge = (operation: string | undefined, status: number, body: Buffer, type: string) => {
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    if (operation === undefined) return
    const wrong = status >= 500 ? [`answered ${status}`] : []
    if (type.includes('application/json'))
      wrong.push(...validation.ofAnswer(operation, status, JSON.parse(String(body))).map(String))
    for (const one of wrong) violations.set(`${operation} ${status}: ${one}`, String(body).slice(0, 300))
  }
  const forward = async (request: IncomingMessage, reply: ServerResponse) => {
    const body = await readAll(request)
    const path = aim(request.url ?? '/', target, count++)
    const route = findRoute(request.method, path)
    if (route !== undefined) {
      operations.set(route.name, (operations.get(route.name) ?? 0) + 1)
      waiting.get(route.name)?.()
    }
    const { authorization, 'x-organization-id': _other, ...headers } = request.headers
    const credentials = route?.takesKeys === false ? target.session : { authorization: `Bearer ${target.key}` }
    const sent = send({
      ...{ port: target.port, host: '127.0.0.1', method: request.method, path },
      headers: { ...headers, ...(authorization === undefined ? {} : credentials) },
    })
    sent.end(body)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    const status = answer.statusCode ?? 0
    const type = answer.headers['content-type'] ?? ''
    const answered = type.startsWith('text/event-stream') ? Buffer.from(': open\n\n') : await readAll(answer)
    if (type.startsWith('text/event-stream')) answer.destroy()
    const { 'content-length': _length, 'transfer-encoding': _encoding, ...passed } = answer.headers
    reply.writeHead(status, passed).end(answered)
    if (answer.headers['content-encoding'] === undefined) judge(route?.name, status, answered, type)
  }
  const server = createServer((request, reply) => {
    forward(request, reply).catch((error: unknown) => {
      violations.set(`the connection of ${request.method} ${request.url?.slice(0, 80)}: ${error}`, '')
      reply.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    report: () => ({
      count,
      statuses: Object.fromEntries([...statuses].sort(([a], [b]) => a - b)),
      operations,
      violations: [...violations],
    }),
    /** Resolves when an operation is first requested. */
    awaitRequest: (operation: string) => new Promise<void>((resolve) => void waiting.set(operation, resolve)),
    close: () => server.close(),
  }
}
