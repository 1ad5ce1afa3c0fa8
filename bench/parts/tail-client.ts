import { Agent, type IncomingMessage, request } from 'node:http'
import { percentile } from './statistics.ts'
import type { TailOrder, TailResult } from './tail.ts'

// Tails of a stream and one writer, in a separate process: it writes a record, waits until every tail has its event, and
// writes the next. So it measures the path of one event and not a queue of them.

const agent = new Agent({ keepAlive: true })

const open = (order: TailOrder, onEvent: () => void) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { ...order.headers, accept: 'text/event-stream' }
    const where = { port: order.port, host: '127.0.0.1', path: order.tailPath, headers, agent: false } as const
    request(where, (response) => {
      if (response.statusCode !== 200) reject(new Error(`a tail was answered ${response.statusCode}`))
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        resolve(response)
        const messages = (text + chunk).split('\n\n')
        text = messages.pop() ?? ''
        for (const message of messages) if (/^data: /m.test(message)) onEvent()
      })
      response.on('error', () => undefined)
    })
      .on('error', reject)
      .end()
  })

const write = ({ port, headers, writePath, body }: TailOrder) =>
  new Promise<void>((resolve, reject) => {
    const about = { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const where = { port, host: '127.0.0.1', path: writePath, method: 'POST', headers: about, agent }
    request(where, (response) => {
      const { statusCode = 0 } = response
      response.resume().once('end', () => (statusCode < 300 ? resolve() : reject(new Error(`refused: ${statusCode}`))))
    })
      .on('error', reject)
      .end(body)
  })

const run = async (order: TailOrder): Promise<TailResult> => {
  let missing = 0
  let allHaveIt: () => void = () => undefined
  const onEvent = () => {
    if (--missing === 0) allHaveIt()
  }
  const tails = await Promise.all(Array.from({ length: order.tails }, () => open(order, onEvent)))
  const times: number[] = []
  const countFrom = performance.now() + order.warmUpSeconds * 1000
  const until = countFrom + order.seconds * 1000
  while (performance.now() < until) {
    missing = order.tails
    const arrived = new Promise<void>((resolve) => {
      allHaveIt = resolve
    })
    const sentAt = performance.now()
    await Promise.all([write(order), arrived])
    if (sentAt >= countFrom) times.push(performance.now() - sentAt)
  }
  for (const tail of tails) tail.destroy()
  times.sort((one, other) => one - other)
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99) }
}

process.on('message', (order: TailOrder) => {
  run(order).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})
