import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { type Bench, type Benchmark, interleave, type Turn } from '../parts/benchmark.ts'
import { readParent } from '../parts/child.ts'
import type { Comparison } from '../parts/comparison.ts'
import { createTexts } from '../parts/make-text.ts'
import { type Noema, startNoema } from '../parts/noema.ts'
import { createRequests, createSeries } from '../parts/subject.ts'

/** Enough that they are not all embedded before the end. */
const batches = 8
const textsInBatch = 1_000
const clients = 16

const body = JSON.stringify({
  kind: 'invoice',
  fields: { number: 'INV-2026-000001', customer: 'Customer', amount: 12 },
})

/** The process that embeds for a server. */
const findEmbeddingProcess = (server: number): number | undefined =>
  readdirSync('/proc')
    .map(Number)
    .find((pid) => {
      try {
        return readParent(pid) === server && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('embedding-process')
      } catch {
        return false
      }
    })

/** Gives a Brain more texts than are embedded in the time that is measured, and answers what embeds them. */
const startEmbedding = async (noema: Noema): Promise<number> => {
  const makeText = createTexts(7)
  await noema.call('PUT', '/v1/brains/library', {})
  for (let batch = 0; batch < batches; batch++) {
    const operations = Array.from({ length: textsInBatch }, () => ({ op: 'document.put', text: makeText(180) }))
    await noema.call('POST', '/v1/brains/library/batch', { operations })
  }
  for (let left = 600; left > 0; left--) {
    const pid = findEmbeddingProcess(noema.pid)
    const { degraded } = await noema.call<{ degraded?: { reason: string }[] }>(
      'GET',
      '/v1/brains/library/search?q=bace&mode=lexical',
    )
    if (pid !== undefined && !degraded?.some(({ reason }) => reason === 'not_yet_indexed')) return pid
    await wait(100)
  }
  throw new Error('nothing is embedded')
}

const run = async (bench: Bench): Promise<Comparison[]> => {
  const database = await bench.postgres.createDatabase('embedding')
  const noema = await startNoema(database, bench.profileFolder)
  const headers = { authorization: `Bearer ${noema.key}` }
  const paths = ['/v1/brains/writes/records']
  const order = { ports: [noema.port], clients, method: 'POST', headers, paths, bodies: [body] }
  const [busy, idle] = ['busy', 'idle'].map((name) => createRequests(bench, name, { unit: 'writes', order }))
  const embedded = createSeries('busy', 'texts/s', 'more')
  if (!busy || !idle) return []
  try {
    await noema.call('PUT', '/v1/brains/writes', {})
    const embedding = await startEmbedding(noema)
    const countVectors = async (): Promise<number> => {
      const { rows } = await database.pool.query('select count(*)::integer as count from passage_vectors')
      return rows[0].count
    }
    const turn =
      (signal: 'SIGSTOP' | 'SIGCONT', requests: typeof busy): Turn =>
      async (counts) => {
        process.kill(embedding, signal)
        const before = await countVectors()
        await requests.turn(counts)
        const { seconds, warmUpSeconds } = bench.effort
        if (counts && requests === busy)
          embedded.values.push(((await countVectors()) - before) / (seconds + warmUpSeconds))
      }
    await interleave(bench.effort.repetitions, [turn('SIGSTOP', idle), turn('SIGCONT', busy)])
    process.kill(embedding, 'SIGCONT')
  } finally {
    await noema.stop()
  }
  return [
    { what: `${clients} clients: writes/s`, noema: busy.perSecond, floor: idle.perSecond, target: { min: 0.5 } },
    { what: `${clients} clients: p99`, noema: busy.p99, floor: idle.p99 },
    { what: 'embedded meanwhile', noema: embedded },
  ]
}

export const embedding: Benchmark = {
  name: 'embedding',
  about: 'Single records written into one Brain over HTTP while the texts of another are embedded.',
  floor: 'The same writes on the same node while the process that embeds is stopped.',
  run,
}
