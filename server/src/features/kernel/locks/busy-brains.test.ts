import { beforeAll, expect, test } from 'vitest'
import { addBrain, createBrain, type TestBrain } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { countOpenTransactions, importHeader, openImport } from '../../../test/open-import.ts'

const app = useOwnApp({ NOEMA_DATABASE_POOL: '4', NOEMA_MAX_WAITING: '20' })
let busy: TestBrain
let victim: TestBrain
beforeAll(async () => {
  busy = await createBrain(app, 'busy')
  victim = await createBrain(app, 'victim')
})

/** Has an import hold the Brain, until it is dropped. */
const holdByImport = async (brain: TestBrain) => {
  const held = openImport(app, brain)
  held.send(importHeader())
  await expect.poll(() => countOpenTransactions(app)).toBe(1)
  return held
}

const writesOfEverySort = (brain: TestBrain, times: number) =>
  Array.from({ length: times }, (_, n) => [
    brain.call('PATCH', '', { purpose: `purpose ${n}` }),
    brain.call('PUT', '', { name: `name ${n}` }),
    brain.call('POST', '/records', { kind: 'k' }),
    brain.call('POST', '/webhooks', { url: 'https://127.0.0.1/' }),
    brain.call('PUT', '/hold', { reason: 'why' }),
  ]).flat()

test.each([
  ['this node', () => app.request],
  ['another node', async () => (await app.startNode()).request],
])(
  'SUR-09 calls of %s that wait for a Brain that is being imported keep no connection from another tenant',
  async (_where, open) => {
    const request = await open()
    const held = await holdByImport(busy)
    const answered: string[] = []
    const waiting = writesOfEverySort(
      { ...busy, call: (method, path, body) => request(method, busy.path + path, { key: busy.key, body }) },
      4,
    ).map(async (answer) => {
      const { status, headers } = await answer
      answered.push('a waiting call')
      return `${status} ${headers.has('retry-after')}`
    })
    // Counts the answers to the other tenant before any of the waiting requests.
    let ahead = 0
    for (let n = 0; n < 20; n++) {
      expect((await request('GET', victim.path, { key: victim.key })).status).toBe(200)
      expect((await request('POST', `${victim.path}/records`, { key: victim.key, body: { kind: 'k' } })).status).toBe(
        201,
      )
      if (answered.length === 0) ahead++
    }
    expect(ahead).toBeGreaterThan(3)
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['503 true']))
    held.drop()
    await expect.poll(async () => (await busy.call('PATCH', '', { purpose: 'free' })).status).toBe(200)
  },
  30_000,
)

test('SUR-04 a limited number of calls wait for one Brain; more are 429 at once, and the rest continue when it is free', async () => {
  const crowded = await addBrain(app, victim, 'crowded')
  const held = await holdByImport(crowded)
  const refused: unknown[] = []
  const answers = Array.from({ length: 30 }, async (_, n) => {
    const answer = await crowded.call('PATCH', '', { purpose: `purpose ${n}` })
    if (answer.status === 429) refused.push(answer.body.error.code)
    return answer
  })
  await expect.poll(() => refused).toEqual(Array(10).fill('brain_crowded'))
  held.drop()
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(20)
})
