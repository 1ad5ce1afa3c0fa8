import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One delivery as it arrived. */
export type Delivery = {
  path: string
  headers: IncomingHttpHeaders
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects and fails where that is not there
  body: any
  /** `performance.now()` when its first bytes came. */
  at: number
}

/** A status, or a function of the response. */
type Answer = number | ((response: ServerResponse, delivery: Delivery) => void)

const hmac = (algorithm: 'hex' | 'base64', key: string | Buffer, text: string) =>
  createHmac('sha256', key).update(text).digest(algorithm)

/** Checks whether a delivery has both signatures of this secret, computed from the documentation alone. */
export const isSignedBy = ({ headers, text }: Delivery, secret: string): boolean => {
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`
  const standard = `v1,${hmac('base64', Buffer.from(secret.replace('whsec_', ''), 'base64'), content)}`
  return (
    headers['x-service-signature'] === `sha256=${hmac('hex', secret, text)}` &&
    String(headers['webhook-signature']).split(' ').includes(standard)
  )
}

/** A receiver of webhooks: it stores deliveries, and answers with the test's status (204 by default). */
export const startReceiver = async ({ answer = 204 }: { answer?: Answer } = {}) => {
  const deliveries: Delivery[] = []
  const waiting = new Set<() => void>()
  const state = { answer }
  const server = createServer(async (request, response) => {
    const at = performance.now()
    const chunks: Buffer[] = await request.toArray().catch(() => [])
    const text = Buffer.concat(chunks).toString()
    const delivery = { path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text || 'null'), at }
    deliveries.push(delivery)
    if (typeof state.answer === 'number') response.writeHead(state.answer).end('thanks')
    else state.answer(response, delivery)
    for (const look of waiting) look()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    deliveries,
    /** Sets the answer to the next deliveries. */
    answers: (next: Answer) => {
      state.answer = next
    },
    /** Waits until so many deliveries have come. */
    received: (count: number): Promise<Delivery[]> =>
      new Promise((resolve) => {
        const look = () => {
          if (deliveries.length < count) return
          waiting.delete(look)
          resolve(deliveries)
        }
        waiting.add(look)
        look()
      }),
    close: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>
