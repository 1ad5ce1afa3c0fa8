import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

// The shared part of the floors: node:http and nothing else. No routing, no authentication, no checks, no request ids.

export type BareHandler = (request: IncomingMessage, body: Buffer) => Promise<{ status: number; text: string }>

const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
}

const answer = (response: ServerResponse, status: number, text: string): void => {
  const length = Buffer.byteLength(text)
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': length }).end(text)
}

/** Listens on a free port of the loopback and says so, as Noema does. Ends at SIGTERM. */
export const serveBare = (handle: BareHandler): void => {
  const server = createServer((request, response) => {
    readBody(request)
      .then((body) => handle(request, body))
      .then(
        ({ status, text }) => answer(response, status, text),
        (error: unknown) => answer(response, 500, JSON.stringify({ error: String(error) })),
      )
  })
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo
    process.stdout.write(`${JSON.stringify({ msg: 'ready', url: `http://127.0.0.1:${port}/` })}\n`)
  })
  process.once('SIGTERM', () => process.exit())
}
