import { randomInt } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { mintManagementKey } from '../../operator/operator.ts'
import { createRequester } from '../app.ts'
import { type Service, startService } from './server-process.ts'
import { verify } from './verify.ts'
import { type Place, startClients } from './writers.ts'

// NOEMA_TEST_FAULTS is how many faults a run does (4 in CI; hundreds make a long run), NOEMA_TEST_SEED repeats one.
const faults = Number(process.env.NOEMA_TEST_FAULTS ?? 4)
const seed = Number(process.env.NOEMA_TEST_SEED ?? randomInt(1, 2 ** 31))

/** Numbers in [0, 1) that a seed fixes (mulberry32). */
const randomFrom = (start: number) => {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

let service: Service | undefined
afterEach(async () => {
  await service?.remove()
  service = undefined
})

const startWithBrain = async (): Promise<{ running: Service; place: Place }> => {
  const running = await startService()
  service = running
  const env = { NOEMA_DATA_DIR: running.dataDir }
  const { secret } = await mintManagementKey({ name: 'faults', cwd: running.dataDir, env })
  const place = { url: running.url, brainPath: '/v1/brains/brain', secret }
  const made = await createRequester(running.url())('PUT', place.brainPath, { key: secret, body: {} })
  expect(made.status).toBe(201)
  return { running, place }
}

test(
  `IDM-04 EVT-03 kill -9 of the server and of PostgreSQL loses nothing acknowledged and does nothing twice (seed ${seed})`,
  async () => {
    const { running, place } = await startWithBrain()
    const random = randomFrom(seed)
    const clients = startClients(place, random)
    for (let fault = 0; fault < faults; fault++) {
      await clients.progress(20 + Math.floor(random() * 40))
      if (fault % 2 === 0) {
        await running.end('SIGKILL')
        await running.start()
      } else await running.killPostmaster()
    }
    await clients.progress(20)
    await clients.stop()
    await verify(place, clients.acknowledged)
  },
  120_000 + faults * 10_000,
)

test(`D-82 SIGTERM under load ends the service with 0 in time, and loses nothing acknowledged (seed ${seed})`, async () => {
  const { running, place } = await startWithBrain()
  const clients = startClients(place, randomFrom(seed))
  await clients.progress(60)
  const began = Date.now()
  expect(await running.end('SIGTERM')).toBe(0)
  expect(Date.now() - began).toBeLessThan(30_000)
  expect(running.postmasterPid()).toBeUndefined()
  await running.start()
  await clients.progress(20)
  await clients.stop()
  await verify(place, clients.acknowledged)
})

/** Reads by slug until it is stopped, and collects the receipts of the answers. */
const startReaders = ({ url, brainPath, secret }: Place, readers = 8) => {
  const receipts: string[] = []
  let stopped = false
  const read = async () => {
    const body = { kind: 'k', where: { slug: 'read' }, consumerId: 'reader' }
    // A read that the kill interrupts has no answer to keep.
    const answer = await createRequester(url())('POST', `${brainPath}/query`, { key: secret, body }).catch(
      () => undefined,
    )
    if (answer?.status === 200) receipts.push(answer.body.data.receipt)
  }
  const loop = async () => {
    while (!stopped) await read()
  }
  const done = Promise.all(Array.from({ length: readers }, loop))
  return {
    receipts,
    stop: async () => {
      stopped = true
      await done
    },
  }
}

test('D-53 QRY-04 every receipt that was answered can be read after kill -9 of the server and of PostgreSQL', async () => {
  const { running, place } = await startWithBrain()
  const request: ReturnType<typeof createRequester> = (...call) => createRequester(running.url())(...call)
  const record = { kind: 'k', slug: 'read' }
  await request('PUT', `${place.brainPath}/records/read`, { key: place.secret, body: record })
  const killServer = async () => {
    await running.end('SIGKILL')
    return running.start
  }
  const killDatabase = async () => {
    await running.killPostmaster()
    return async () => {}
  }
  for (const kill of [killServer, killDatabase]) {
    const readers = startReaders(place)
    while (readers.receipts.length < 200) await new Promise((resolve) => setImmediate(resolve))
    const recover = await kill()
    await readers.stop()
    await recover()
    for (const id of readers.receipts) {
      const read = () => request('GET', `${place.brainPath}/receipts/${id}`, { key: place.secret })
      let answer = await read()
      // A PostgreSQL that was killed takes a moment to recover.
      while (answer.status === 503) answer = await read()
      const { status, body } = answer
      expect([status, body.data?.receipt.served.records], id).toEqual([200, [{ id: 'read', version: 1 }]])
    }
  }
})
