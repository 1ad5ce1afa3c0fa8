import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import type { MemoryAnswer } from './overload/tell-memory.ts'
import { type Noema, startNoema } from './parts/noema.ts'
import { startScratchPostgres } from './parts/scratch-postgres.ts'
import { percentile } from './parts/statistics.ts'
import { addTenant, trustedOrigin } from './webhooks/parts.ts'

// What a node does with more than it can do: so many writes and reads a second are offered over so many connections by one
// tenant, while another reads now and then. Run: node bench/overload.ts [--connections 500] [--per-second 5000] [--seconds 10] [--rest 2]

const { values } = parseArgs({
  options: {
    connections: { type: 'string', default: '500' },
    'per-second': { type: 'string', default: '5000' },
    seconds: { type: 'string', default: '10' },
    rest: { type: 'string', default: '2' },
  },
})
const [connections, perSecond, seconds] = [values.connections, values['per-second'], values.seconds].map(Number) as [
  number,
  number,
  number,
]

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const describe = (times: readonly number[]): string => {
  const sorted = Float64Array.from(times).sort()
  const [p50, p99, max] = [0.5, 0.99, 1].map((share) => percentile(sorted, share).toFixed(0))
  return `p50 ${p50} ms, p99 ${p99} ms, slowest ${max} ms`
}

type Tally = { statuses: Map<number, number>; times: number[]; refusedTimes: number[] }

const encode = (noema: Noema, index: number): string => {
  const head = `host: 127.0.0.1:${noema.port}\r\nauthorization: Bearer ${noema.key}\r\n`
  if (index % 2 === 0) return `GET /v1/brains/bench HTTP/1.1\r\n${head}\r\n`
  const body = `{"kind":"note","fields":{"n":${index}}}`
  return `POST /v1/brains/bench/records HTTP/1.1\r\n${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

/** One connection: it sends when its time has come, and never before the last answer. */
const runConnection = (noema: Noema, place: number, until: number, tally: Tally): Promise<void> =>
  new Promise((resolve) => {
    const every = (connections * 1_000) / perSecond
    let due = performance.now() + (place / connections) * every
    let sentAt = 0
    let turn = place
    const socket = connect({ port: noema.port, host: '127.0.0.1', noDelay: true })
    const send = () => {
      sentAt = performance.now()
      socket.write(encode(noema, turn++))
    }
    const next = () => {
      due += every
      const wait = due - performance.now()
      if (performance.now() > until) socket.end(() => resolve())
      else if (wait > 1) setTimeout(send, wait)
      else send()
    }
    socket.once('connect', () => setTimeout(send, Math.max(0, due - performance.now())))
    socket.on('data', (chunk) => {
      if (!chunk.subarray(0, 5).equals(Buffer.from('HTTP/'))) return
      const status = Number(chunk.toString('latin1', 9, 12))
      tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1)
      const times = status < 300 ? tally.times : tally.refusedTimes
      times.push(performance.now() - sentAt)
      next()
    })
    socket.on('error', () => resolve())
  })

const postgres = await startScratchPostgres()
const database = await postgres.createDatabase('overload')
const told = Promise.withResolvers<MemoryAnswer>()
const noema = await startNoema(
  database,
  undefined,
  { NOEMA_EMBEDDINGS: 'off', NOEMA_TRUSTED_ORIGINS: trustedOrigin },
  {
    nodeArgs: ['--expose-gc', '--import', fileURLToPath(new URL('overload/tell-memory.ts', import.meta.url))],
    onMessage: (message) => told.resolve(message as MemoryAnswer),
  },
)
try {
  await noema.call('PUT', '/v1/brains/bench', {})
  const other = await addTenant(noema, database, 'other')
  const url = `http://127.0.0.1:${noema.port}/livez`
  const prober = new Worker(new URL('./overload/prober.ts', import.meta.url), { workerData: { url } })
  say(
    `${connections} connections, ${perSecond} a second offered; ${noema.residentMegabytes()?.toFixed(0)} MB resident before`,
  )
  const tally: Tally = { statuses: new Map(), times: [], refusedTimes: [] }
  const others: number[] = []
  let refusedOthers = 0
  const until = performance.now() + seconds * 1_000
  const readNowAndThen = async () => {
    while (performance.now() < until) {
      const began = performance.now()
      await other.call('GET', '/v1/whoami').catch(() => refusedOthers++)
      others.push(performance.now() - began)
      await delay(50)
    }
  }
  await Promise.all([
    readNowAndThen(),
    ...Array.from({ length: connections }, (_, place) => runConnection(noema, place, until, tally)),
  ])
  prober.postMessage('tell')
  const [probes] = (await once(prober, 'message')) as [number[]]
  await prober.terminate()
  const answered = [...tally.statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
  say(`answered ${Math.round(tally.times.length / seconds)} a second: ${answered}`)
  say(`answers: ${describe(tally.times)}`)
  if (tally.refusedTimes.length > 0) say(`refusals: ${describe(tally.refusedTimes)}`)
  say(`/livez: ${describe(probes)}`)
  say(`another tenant: ${describe(others)}, ${refusedOthers} refused of ${others.length}`)
  await delay(Number(values.rest) * 1_000)
  say(`${noema.residentMegabytes()?.toFixed(0)} MB resident ${values.rest} seconds later`)
  noema.tell({})
  const { now, collected } = await told.promise
  const tell = (memory: object) =>
    Object.entries(memory)
      .map(([name, megabytes]) => `${name} ${megabytes}`)
      .join(', ')
  say(`megabytes then: ${tell(now)}; after a collection: ${tell(collected)}`)
} finally {
  await noema.stop()
  await postgres.stop()
}
