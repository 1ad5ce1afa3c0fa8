import { setTimeout as delay } from 'node:timers/promises'
import { Pool } from 'undici'
import { createSigner, newSigningSecret } from '../../server/src/shared/outbound/signing.ts'
import { selectDueKeys } from '../../server/src/storage/lease-queries.ts'
import type { Noema } from '../parts/noema.ts'
import type { ScratchDatabase } from '../parts/scratch-postgres.ts'
import { addWatchedBrain, atRate, type Receiver, say } from './parts.ts'

// Webhooks of Brains: the time from commit to receiver while a Brain is written to, deliveries a second out of a backlog
// beside a bare client that signs and sends the same bodies, and what idle webhooks cost.

const perBrain = 25
const backlog = 400
const idle = 10_000

const measureLatency = async (noema: Noema, receiver: Receiver) => {
  const path = await addWatchedBrain(noema, 'live', perBrain, receiver)
  for (const [writes, perSecond] of [
    [300, 100],
    [200, 20],
    [1_500, 100],
  ] as const) {
    await receiver.reset()
    const cpuBefore = noema.cpuMilliseconds() ?? Number.NaN
    const began = performance.now()
    await atRate(writes, perSecond, () => noema.call('POST', `${path}/records`, { kind: 'k', fields: { n: 1 } }))
    const rate = Math.round(writes / ((performance.now() - began) / 1000))
    const { count, p50, p99 } = await receiver.arrived(writes * perBrain)
    const cpu = ((noema.cpuMilliseconds() ?? Number.NaN) - cpuBefore) / writes
    say(
      `25 webhooks at ${rate} writes/s: ${count} deliveries, event to receiver p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms; ${cpu.toFixed(1)} ms of CPU for a write and its deliveries`,
    )
  }
}

/** Two Brains get hundreds of events in one write each, and 50 webhooks deliver them all. */
const measureRate = async (noema: Noema, receiver: Receiver, round: number): Promise<number> => {
  const paths = [
    await addWatchedBrain(noema, `one-${round}`, perBrain, receiver),
    await addWatchedBrain(noema, `two-${round}`, perBrain, receiver),
  ]
  const operations = Array.from({ length: backlog }, (_, n) => ({ op: 'record.create', kind: 'k', fields: { n } }))
  await receiver.reset()
  const began = performance.now()
  await Promise.all(paths.map((path) => noema.call('POST', `${path}/batch`, { operations })))
  const { count } = await receiver.arrived(2 * perBrain * backlog)
  return count / ((performance.now() - began) / 1000)
}

/** The same number of the same bodies by as many senders, each waiting for its answer: no database, no checks. */
const measureBare = async (noema: Noema, receiver: Receiver): Promise<number> => {
  const { events } = await noema.call<{ events: { cursor: string }[] }>('GET', '/v1/brains/live/events?limit=100')
  const pool = new Pool(`http://127.0.0.1:${receiver.port}`, { allowH2: false })
  const sign = createSigner({ current: newSigningSecret(), next: null })
  const began = performance.now()
  const sender = async () => {
    for (let n = 0; n < backlog; n++) {
      const event = events[n % events.length]
      const id = event?.cursor ?? ''
      const body = JSON.stringify({ webhook: 'whk_01m2bj8xxtqdhhp5bgdvd69trw', previousCursor: id, event })
      const answer = await pool.request({
        path: '/hook',
        method: 'POST',
        headers: sign({ id, at: new Date(), body }),
        body,
      })
      await answer.body.dump()
    }
  }
  await Promise.all(Array.from({ length: 2 * perBrain }, sender))
  const rate = (2 * perBrain * backlog) / ((performance.now() - began) / 1000)
  await pool.close()
  return rate
}

/** What webhooks cost that have nothing to send. */
export const measureIdleWebhooks = async (noema: Noema, { db, pool }: ScratchDatabase) => {
  await noema.call('PUT', '/v1/brains/idle', {})
  const cpuOver = async (seconds: number) => {
    const before = noema.cpuMilliseconds() ?? Number.NaN
    await delay(seconds * 1000)
    return ((noema.cpuMilliseconds() ?? Number.NaN) - before) / seconds
  }
  await delay(3_000)
  const without = await cpuOver(20)
  await pool.query(
    `insert into brain_webhooks (brain_id, id, url, secret, created_at, created_by, examined_position)
     select brain_id, 'whk_idle_' || number, 'https://hooks.example.com/', '\\x00', now(), 'key_bench', position
     from brains, generate_series(1, $1) as number where handle = 'idle'`,
    [idle],
  )
  await pool.query('vacuum analyze brain_webhooks')
  say(
    `server without idle webhooks ${without.toFixed(1)} ms of CPU a second, with ${idle}: ${(await cpuOver(20)).toFixed(1)}`,
  )
  const page = { now: new Date(), after: undefined, limit: 1_000 }
  const began = performance.now()
  await selectDueKeys(db, { table: 'brain_webhooks', key: 'brain_id' }, page)
  say(`what is due (each second): ${(performance.now() - began).toFixed(2)} ms with the round trip`)
  const { rows } = await pool.query(`explain (analyze, format json)
    select brain_id from brain_webhooks as webhook join brains as brain using (brain_id)
    where webhook.due_at is null and brain.position > webhook.examined_position and brain_id > 0
    group by brain_id order by brain_id limit 1000`)
  say(`what was overlooked (each ten): ${rows[0]['QUERY PLAN'][0]['Execution Time'].toFixed(2)} ms`)
}

export const measureBrainWebhooks = async (noema: Noema, receiver: Receiver): Promise<void> => {
  await measureLatency(noema, receiver)
  for (let round = 0; round < 3; round++) {
    const rate = await measureRate(noema, receiver, round)
    const bare = await measureBare(noema, receiver)
    say(
      `backlog over ${2 * perBrain} webhooks: ${Math.round(rate)} deliveries/s; bare client ${Math.round(bare)}/s, ratio ${(rate / bare).toFixed(2)}`,
    )
  }
}
