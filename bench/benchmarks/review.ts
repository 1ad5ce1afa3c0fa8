import { type Bench, type Benchmark, type Comparison, interleave, type Series, type Turn } from '../parts/benchmark.ts'
import { type Noema, startNoema } from '../parts/noema.ts'
import { median } from '../parts/statistics.ts'

const size = 1_000

const makeFields = (index: number) => ({
  number: `INV-2026-${index}`,
  customer: `Customer ${index}`,
  amount: index + 0.5,
})
const bodies = Array.from({ length: 64 }, (_, index) => JSON.stringify({ kind: 'invoice', fields: makeFields(index) }))
const operations = Array.from({ length: size }, (_, index) => ({
  ...{ op: 'record.create', kind: 'invoice' },
  fields: makeFields(index),
}))

const series = (name: string, unit: string, better: Series['better']): Series => ({ name, unit, better, values: [] })

/** Single writes into one of two Brains: `direct`, where they land, or `review`, where they wait. */
const writesTo = (bench: Bench, noema: Noema, brain: string, clients: number) => {
  const p50 = series(brain, 'ms', 'less')
  const perSecond = series(brain, 'writes/s', 'more')
  const headers = { authorization: `Bearer ${noema.key}` }
  const order = { port: noema.port, clients, method: 'POST', headers, paths: [`/v1/brains/${brain}/records`], bodies }
  const turn: Turn = async (counts) => {
    const result = await bench.load.run({ ...order, ...bench.effort })
    if (!counts) return
    p50.values.push(result.p50)
    perSecond.values.push(result.perSecond)
  }
  return { p50, perSecond, turn }
}

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/** Does something again and again for a turn and keeps the middle of its milliseconds. */
const repeated = ({ effort }: Bench, into: Series, once: () => Promise<number>): Turn => {
  const during = async (seconds: number): Promise<number[]> => {
    const times: number[] = []
    for (const until = performance.now() + seconds * 1000; performance.now() < until; ) times.push(await once())
    return times
  }
  return async (counts) => {
    await during(effort.warmUpSeconds)
    const times = await during(effort.seconds)
    if (counts) into.values.push(median(times))
  }
}

/** Stages a change of many items, which does not count, and publishes it. */
const publishOnce = (noema: Noema) => async (): Promise<number> => {
  const path = '/v1/brains/published'
  const { change } = await noema.call<{ change: { id: string } }>('POST', `${path}/batch`, { operations })
  return timed(() => noema.call('POST', `${path}/changes/${change.id}/decide`, { decision: 'approved' }))
}

const run = async (bench: Bench): Promise<Comparison[]> => {
  const noema = await startNoema(await bench.postgres.createDatabase('review'), bench.profileFolder)
  const one = [writesTo(bench, noema, 'review', 1), writesTo(bench, noema, 'direct', 1)] as const
  const many = [writesTo(bench, noema, 'review', 64), writesTo(bench, noema, 'direct', 64)] as const
  const published = series('publishing', 'ms', 'less')
  const batched = series('a batch', 'ms', 'less')
  try {
    for (const brain of ['direct', 'batched']) await noema.call('PUT', `/v1/brains/${brain}`, {})
    for (const brain of ['review', 'published']) await noema.call('PUT', `/v1/brains/${brain}`, { mode: 'review' })
    await interleave(bench.effort.repetitions, [
      ...[...one, ...many].map(({ turn }) => turn),
      repeated(bench, published, publishOnce(noema)),
      repeated(bench, batched, () => timed(() => noema.call('POST', '/v1/brains/batched/batch', { operations }))),
    ])
  } finally {
    await noema.stop()
  }
  const target = { min: 0.67 }
  return [
    { what: 'a write that waits, 1 client: p50', noema: one[0].p50, floor: one[1].p50, target },
    { what: 'writes that wait, 64 clients: writes/s', noema: many[0].perSecond, floor: many[1].perSecond, target },
    { what: `publishing ${size} items: p50`, noema: published, floor: batched, target: { min: 0.5 } },
  ]
}

export const review: Benchmark = {
  name: 'review',
  about: 'What review costs: writes that wait for a decision, and the publication of a change of many items.',
  floor:
    'The same server without review: the same writes into a Brain where they land, and the same items as one batch.',
  run,
}
