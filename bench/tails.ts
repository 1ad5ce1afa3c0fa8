import { type IncomingMessage, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createPostgresCpu } from './parts/costs.ts'
import { startLoadClient } from './parts/load.ts'
import { type Noema, startNoema } from './parts/noema.ts'
import { startScratchPostgres } from './parts/scratch-postgres.ts'

// What live tails cost while nothing happens on their Brain: time of PostgreSQL and of the server, and what the writes of a
// neighbour wait. See README.md. Run: node bench/tails.ts [--tails 0,500,2000] [--seconds 10]

const { values } = parseArgs({
  options: { tails: { type: 'string', default: '0,500,2000' }, seconds: { type: 'string', default: '10' } },
})
const counts = values.tails.split(',').map(Number)
const seconds = Number(values.seconds)

const openTail = ({ port, key }: Noema, path: string) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { accept: 'text/event-stream', authorization: `Bearer ${key}` }
    request({ port, host: '127.0.0.1', path: `${path}/events`, headers, agent: false }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`a tail was answered ${response.statusCode}`))
      response.on('error', () => undefined)
      response.once('data', () => resolve(response.resume()))
    })
      .on('error', reject)
      .end()
  })

const openTails = async (noema: Noema, path: string, count: number): Promise<IncomingMessage[]> => {
  const tails: IncomingMessage[] = []
  while (tails.length < count) {
    const more = Array.from({ length: Math.min(50, count - tails.length) }, () => openTail(noema, path))
    tails.push(...(await Promise.all(more)))
  }
  return tails
}

const postgres = await startScratchPostgres()
const database = await postgres.createDatabase('tails')
const noema = await startNoema(database, undefined, {
  NOEMA_EMBEDDINGS: 'off',
  NOEMA_MAX_STREAMS: '9000/9000/9000',
})
const client = startLoadClient()
try {
  for (const brain of ['tailed', 'neighbour']) await noema.call('PUT', `/v1/brains/${brain}`, {})
  const readPostgres = await createPostgresCpu(database)
  const order = {
    ...{ ports: [noema.port], clients: 4, seconds, warmUpSeconds: 2, method: 'POST' },
    headers: { authorization: `Bearer ${noema.key}` },
    paths: ['/v1/brains/neighbour/records'],
    bodies: [JSON.stringify({ kind: 'k', fields: { n: 1 } })],
  }
  for (const count of counts) {
    const tails = await openTails(noema, '/v1/brains/tailed', count)
    const spent = () => [readPostgres(), noema.cpuMilliseconds() ?? 0]
    const before = spent()
    const began = performance.now()
    await delay(seconds * 1000)
    const passed = (performance.now() - began) / 100
    const [postgresShare, serverShare] = spent().map((now, index) => ((now - (before[index] ?? 0)) / passed).toFixed(1))
    const writes = await client.run(order)
    process.stdout.write(
      `${count} idle tails: PostgreSQL ${postgresShare} % of a core, server ${serverShare} %; ` +
        `a neighbour's writes p50 ${writes.p50.toFixed(1)} ms, p99 ${writes.p99.toFixed(1)} ms, ${Math.round(writes.perSecond)}/s\n`,
    )
    for (const tail of tails) tail.destroy()
  }
} finally {
  client.stop()
  await noema.stop()
  await postgres.stop()
}
