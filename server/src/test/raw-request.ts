import { type Agent, request } from 'node:http'

export type RawAnswer = { status: number; headers: Record<string, unknown>; text: string }
type RawRequest = {
  method: string
  path: string
  headers?: Record<string, string | string[]>
  body?: Uint8Array
  agent?: Agent
}

/**
 * Sends a request unchanged: fetch would normalize its path and refuse some of its headers. It uses a new connection
 * without an agent.
 */
export const rawRequest = (base: string, { method, path, headers = {}, body, agent }: RawRequest): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(base)
    const length = body === undefined ? {} : { 'content-length': String(body.length) }
    const sent = request({ hostname, port, method, path, headers: { ...headers, ...length }, agent: agent ?? false })
    sent.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString('utf8'),
        }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
