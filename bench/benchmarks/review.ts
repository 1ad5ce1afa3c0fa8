import { type Bench, type Benchmark, interleave } from '../parts/benchmark.ts'
import type { Comparison } from '../parts/comparison.ts'
import { invoiceBodies, makeBatch } from '../parts/invoices.ts'
import { type Noema, startNoema } from '../parts/noema.ts'
import { createRequests, createTimed, timed } from '../parts/subject.ts'

const size = 1_000

/** Single writes into one of two Brains: `direct`, where they land, or `review`, where they wait. */
const writesTo = (bench: Bench, noema: Noema, brain: string, clients: number) => {
  const headers = { authorization: `Bearer ${noema.key}` }
  const paths = [`/v1/brains/${brain}/records`]
  const order = { ports: [noema.port], clients, method: 'POST', headers, paths, bodies: invoiceBodies }
  return createRequests(bench, brain, { unit: 'writes', order })
}

/** Stages a change of many items, which does not count, and publishes it. */
const publishOnce = (noema: Noema) => async (): Promise<number> => {
  const path = '/v1/brains/published'
  const { change } = await noema.call<{ change: { id: string } }>('POST', `${path}/batch`, makeBatch(size))
  return timed(() => noema.call('POST', `${path}/changes/${change.id}/decide`, { decision: 'approved' }))
}

const run = async (bench: Bench): Promise<Comparison[]> => {
  const noema = await startNoema(await bench.postgres.createDatabase('review'), bench.profileFolder)
  const one = [writesTo(bench, noema, 'review', 1), writesTo(bench, noema, 'direct', 1)] as const
  const many = [writesTo(bench, noema, 'review', 64), writesTo(bench, noema, 'direct', 64)] as const
  const published = createTimed(bench, 'publishing', publishOnce(noema))
  const batched = createTimed(bench, 'a batch', () =>
    timed(() => noema.call('POST', '/v1/brains/batched/batch', makeBatch(size))),
  )
  try {
    for (const brain of ['direct', 'batched']) await noema.call('PUT', `/v1/brains/${brain}`, {})
    for (const brain of ['review', 'published']) await noema.call('PUT', `/v1/brains/${brain}`, { mode: 'review' })
    const turns = [...one, ...many, published, batched].map(({ turn }) => turn)
    await interleave(bench.effort.repetitions, turns)
  } finally {
    await noema.stop()
  }
  const target = { min: 0.67 }
  return [
    { what: 'a write that waits, 1 client: p50', noema: one[0].p50, floor: one[1].p50, target },
    { what: 'writes that wait, 64 clients: writes/s', noema: many[0].perSecond, floor: many[1].perSecond, target },
    { what: `publishing ${size} items: p50`, noema: published.p50, floor: batched.p50, target: { min: 0.5 } },
  ]
}

export const review: Benchmark = {
  name: 'review',
  about: 'What review costs: writes that wait for a decision, and the publication of a change of many items.',
  floor:
    'The same server without review: the same writes into a Brain where they land, and the same items as one batch.',
  run,
}
