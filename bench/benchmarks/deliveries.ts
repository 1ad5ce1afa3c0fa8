import { Pool } from 'undici'
import { createSigner, newSigningSecret } from '../../server/src/shared/outbound/signing.ts'
import { type Bench, type Benchmark, interleave, type Turn } from '../parts/benchmark.ts'
import type { Comparison } from '../parts/comparison.ts'
import { createPostgresCpu } from '../parts/costs.ts'
import { type Noema, startNoema } from '../parts/noema.ts'
import { createRate, createSeries } from '../parts/subject.ts'
import { addWatchedBrain, atRate, type Receiver, startReceiverServer } from '../parts/tenants.ts'

const perBrain = 25
const backlog = 60
const deliveries = 2 * perBrain * backlog
const eventsPerSecond = 20

/** Two Brains get many events in one write each, and their webhooks deliver them all. */
const createBacklogs = async (noema: Noema, receiver: Receiver) => {
  const paths = await Promise.all(['one', 'two'].map((brain) => addWatchedBrain(noema, brain, perBrain, receiver)))
  const operations = Array.from({ length: backlog }, (_, n) => ({ op: 'record.create', kind: 'k', fields: { n } }))
  return async (): Promise<number> => {
    await receiver.reset()
    await Promise.all(paths.map((path) => noema.call('POST', `${path}/batch`, { operations })))
    return (await receiver.arrived(deliveries)).count
  }
}

/** A body as webhooks send them, of an event that happened now. */
const makeBody = (): string => {
  const record = { id: 'rec_01m2bj8xxtqdhhp5bgdvd69trw', kind: 'k' }
  const data = { record, operation: 'created', fields: ['n'], links: [], stateVersion: 1 }
  const event = { cursor: 'A'.repeat(48), type: 'record.accepted', occurredAt: new Date().toISOString(), data }
  return JSON.stringify({ webhook: 'whk_01m2bj8xxtqdhhp5bgdvd69trw', previousCursor: 'A'.repeat(48), event })
}

/** Signs and sends: no database, no checks, nothing is stored. */
const createSender = (receiver: Receiver) => {
  const pool = new Pool(`http://127.0.0.1:${receiver.port}`, { allowH2: false })
  const sign = createSigner({ current: newSigningSecret(), next: null })
  const send = async (body: string): Promise<void> => {
    const headers = sign({ id: 'A'.repeat(48), at: new Date(), body })
    const answer = await pool.request({ path: '/hook', method: 'POST', headers, body })
    await answer.body.dump()
  }
  return { send, close: () => pool.close() }
}

/** The time from events, so many a second, to their receivers. */
const createDelays = ({ effort }: Bench, name: string, receiver: Receiver, cause: () => Promise<unknown>) => {
  const [p50, p99] = [createSeries(name, 'ms', 'less'), createSeries(name, 'ms', 'less')]
  const turn: Turn = async (counts) => {
    const events = Math.ceil(eventsPerSecond * (effort.warmUpSeconds + effort.seconds))
    await receiver.reset()
    await atRate(events, eventsPerSecond, cause)
    const received = await receiver.arrived(events * perBrain)
    if (!counts) return
    p50.values.push(received.p50)
    p99.values.push(received.p99)
  }
  return { p50, p99, turn }
}

const run = async (bench: Bench): Promise<Comparison[]> => {
  const database = await bench.postgres.createDatabase('deliveries')
  const settings = { NOEMA_WEBHOOK_ALLOW: '127.0.0.1:*', NOEMA_EMBEDDINGS: 'off' }
  const noema = await startNoema(database, bench.profileFolder, settings)
  const receiver = await startReceiverServer()
  const { send, close } = createSender(receiver)
  try {
    const readPostgres = await createPostgresCpu(database)
    const readCpu = () => ({
      ...{ server: noema.cpuMilliseconds(), PostgreSQL: readPostgres(), receiver: receiver.cpuMilliseconds() },
    })
    const mine = createRate('Noema', 'deliveries', await createBacklogs(noema, receiver), readCpu)
    const floor = createRate('bare client', 'deliveries', async () => {
      const sender = async () => {
        for (let sent = 0; sent < backlog; sent++) await send(makeBody())
      }
      await Promise.all(Array.from({ length: 2 * perBrain }, sender))
      return deliveries
    })
    const live = await addWatchedBrain(noema, 'live', perBrain, receiver)
    const write = () => noema.call('POST', `${live}/records`, { kind: 'k', fields: { n: 1 } })
    const sendAll = () => {
      const body = makeBody()
      return Promise.all(Array.from({ length: perBrain }, () => send(body)))
    }
    const delays = createDelays(bench, 'Noema', receiver, write)
    const bareDelays = createDelays(bench, 'bare client', receiver, sendAll)
    const turns = [mine, floor, delays, bareDelays].map(({ turn }) => turn)
    await interleave(bench.effort.repetitions, turns)
    const what = `${eventsPerSecond} events/s to ${perBrain} webhooks, event to receiver`
    return [
      {
        ...{
          what: `out of a backlog, ${2 * perBrain} webhooks: deliveries/s`,
          noema: mine.perSecond,
          cores: mine.cores(),
        },
        floor: floor.perSecond,
      },
      { what: `${what}: p50`, noema: delays.p50, floor: bareDelays.p50 },
      { what: `${what}: p99`, noema: delays.p99, floor: bareDelays.p99 },
    ]
  } finally {
    await close()
    for (const server of [receiver, noema]) await server.stop()
  }
}

export const webhookDeliveries: Benchmark = {
  name: 'deliveries',
  about:
    'Events delivered to webhooks of Brains, each webhook in the order of the stream: how many a second out of a backlog, and how soon after their commit.',
  floor:
    'A bare undici client with as many senders: the same bodies, signed and sent. No database, no order of events, no checks of addresses, nothing is stored.',
  run,
}
