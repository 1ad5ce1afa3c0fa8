import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { refuseAt } from '../../shared/errors.ts'

// What is wrong with a request before anybody asks what it wants: a proxy and this server must read it in the same way.

/** Throws where a request does not name its host once, as RFC 9112 (3.2) asks, or its body is not UTF-8. */
export const checkRequestForm = ({ rawHeaders, httpVersion, headers }: IncomingMessage): void => {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) throw refuseAt(['Host'], 'Send exactly one Host header.')
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(headers['content-type'] ?? '')?.[1]
  if (charset !== undefined && !/^(utf-?8|us-ascii)$/i.test(charset))
    throw refuseAt(['Content-Type'], 'Send the body as UTF-8; its content-type names another charset.')
}

/** Answers a request that expects what no server gives; Node alone would answer 417 without a word. */
const answerExpectation = (_request: IncomingMessage, response: ServerResponse): void => {
  const message = 'The only Expect header that is understood is 100-continue.'
  const body = JSON.stringify({ error: { kind: 'validation', message, details: [{ path: 'Expect', message }] } })
  response.writeHead(400, {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': randomUUID(),
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  })
  response.end(body)
}

export const refuseExpectations = (server: Server): void => {
  server.on('checkExpectation', answerExpectation)
}
