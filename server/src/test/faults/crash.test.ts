import { randomInt } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { mintManagementKey } from '../../operator.ts'
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
}, 120_000)
