import { connect, type Socket } from 'node:net'
import type { LoadOrder, LoadResult } from './load.ts'
import { percentile } from './statistics.ts'

// A closed loop of clients in a process of its own: each keeps one connection and sends its next request when the last
// is answered. Plain sockets and prepared bytes, so that little of the machine goes to the client.

type Tally = { latencies: number[]; last: number; answered: number; bytes: number; refused: string | undefined }

/** Reads one answer at a time off a socket: calls back at its last byte with its status and length. */
const readAnswers = (socket: Socket, answered: (status: number, bytes: number, head: string) => void): void => {
  let head: Buffer | undefined
  let missing = 0
  let status = 0
  let length = 0
  let text = ''
  const count = (bytes: number) => {
    missing -= bytes
    if (missing === 0) answered(status, length, text)
  }
  socket.on('data', (chunk) => {
    if (missing > 0) return count(chunk.length)
    const bytes = head ? Buffer.concat([head, chunk]) : chunk
    const end = bytes.indexOf('\r\n\r\n')
    head = end === -1 ? bytes : undefined
    if (end === -1) return
    text = bytes.toString('latin1', 0, Math.min(bytes.length, end + 500))
    status = Number(text.slice(9, 12))
    const contentLength = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1]
    if (contentLength === undefined) throw new Error(`an answer without content-length cannot be measured: ${text}`)
    length = Number(contentLength)
    missing = length
    count(bytes.length - end - 4)
  })
}

const encodeRequests = ({ method, paths, headers, bodies }: LoadOrder): Buffer[] =>
  Array.from({ length: Math.max(paths.length, bodies.length) }, (_, index) => {
    const body = bodies[index % bodies.length]
    const lines = [
      `${method} ${paths[index % paths.length]} HTTP/1.1`,
      'host: 127.0.0.1',
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      ...(body === undefined ? [] : ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`]),
    ]
    return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`)
  })

type Next = () => Buffer | string

/** Requests in turn, for all who share them. */
const inTurn = (requests: readonly Buffer[]): Next => {
  let turns = 0
  return () => requests[turns++ % requests.length] ?? ''
}

/** The next request for each port: of all requests together, or of those whose path has that port. */
const toNexts = (order: LoadOrder): Next[] => {
  const { ports, paths, isDivided } = order
  const requests = encodeRequests(order)
  const all = inTurn(requests)
  if (!isDivided) return ports.map(() => all)
  return ports.map((_, at) =>
    inTurn(requests.filter((_request, index) => (index % paths.length) % ports.length === at)),
  )
}

type Times = { countFrom: number; until: number; maxAnswered: number }

/** One client, until its time is over. Its last request is waited for, so every write sent is a write acknowledged. */
const runClient = (port: number, next: Next, { countFrom, until, maxAnswered }: Times, tally: Tally) =>
  new Promise<void>((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let sentAt = 0
    const send = () => {
      sentAt = performance.now()
      socket.write(next())
    }
    socket.once('connect', send)
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the server closed a connection')))
    readAnswers(socket, (status, bytes, head) => {
      const now = performance.now()
      tally.answered++
      tally.last = now - sentAt
      if (status < 200 || status > 299) tally.refused ??= head
      if (now >= countFrom && now <= until) {
        tally.latencies.push(now - sentAt)
        tally.bytes += bytes
      }
      if (now < until && tally.answered < maxAnswered && tally.refused === undefined) return send()
      socket.removeAllListeners('close').destroy()
      resolve()
    })
  })

const run = async (order: LoadOrder): Promise<LoadResult> => {
  const nexts = toNexts(order)
  const countFrom = performance.now() + order.warmUpSeconds * 1000
  const until = countFrom + order.seconds * 1000
  const times = { countFrom, until, maxAnswered: order.count ?? Number.POSITIVE_INFINITY }
  const tally: Tally = { latencies: [], last: 0, answered: 0, bytes: 0, refused: undefined }
  const clients = Array.from({ length: order.clients }, (_, place) => {
    const at = place % order.ports.length
    return runClient(order.ports[at] ?? 0, nexts[at] ?? (() => ''), times, tally)
  })
  await Promise.all(clients)
  const counted = Math.min(performance.now(), until) - countFrom
  // One that took longer than all the time that counts is counted all the same, or there would be no figure.
  if (tally.latencies.length === 0) tally.latencies.push(tally.last)
  if (tally.refused !== undefined) throw new Error(`a request was refused: ${tally.refused}`)
  const sorted = Float64Array.from(tally.latencies).sort()
  return {
    answered: tally.answered,
    perSecond: (sorted.length * 1000) / counted,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    bytes: tally.bytes / sorted.length,
  }
}

process.on('message', (order: LoadOrder) => {
  run(order).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})
