import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrain, startTestApp, type TestApp, type TestBrain } from '../../test/app.ts'
import { type Loss, startDatabaseProxy } from '../../test/database-proxy.ts'

let proxy: Awaited<ReturnType<typeof startDatabaseProxy>>
let app: TestApp
let brain: TestBrain
let reviewed: TestBrain
beforeAll(async () => {
  proxy = await startDatabaseProxy()
  app = await startTestApp({ NOEMA_DATABASE_STATEMENT_SECONDS: '1' }, { reach: proxy.reach })
  brain = await createBrain(app, 'direct')
  reviewed = await createBrain(app, 'reviewed')
  await reviewed.call('PATCH', '', { mode: 'review' })
})
afterAll(async () => {
  await app.close()
  await proxy.close()
})

/** Numbers from 0 up to a limit, the same for the same seed. */
const createDraw = (seed: number) => {
  let state = seed
  return (limit: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}

const isBegin = (statement: string) => /(begin|start transaction)[^;]*\0$/.test(statement)

const acknowledged = new Set<string>()
let made = 0

const write = async () => {
  const id = `record-${++made}`
  const answer = await brain.call('PUT', `/records/${id}`, { kind: 'k', fields: { made } })
  if (answer.status === 201) acknowledged.add(id)
  return answer
}

const decide = async () => {
  const staged = await reviewed.call('POST', '/records', { kind: 'k' })
  if (staged.status !== 202) return staged
  return reviewed.call('POST', `/changes/${staged.body.data.change.id}/decide`, { decision: 'approved' })
}

const turn = async (isBroken: boolean) => [
  ...(await Promise.all([
    ...Array.from({ length: 6 }, write),
    ...Array.from({ length: 3 }, decide),
    ...Array.from({ length: 4 }, () => brain.call('GET', '/events?limit=5')),
    brain.call('PATCH', '', { purpose: `purpose ${made}` }),
    // A broken answer cannot be compared as a whole.
    ...(isBroken ? [] : [brain.call('GET', '/export')]),
    app.request('PUT', `/v1/brains/made-${made}`, { key: brain.key }),
    app.request('GET', '/v1/keys', { headers: brain.session }),
  ])),
]

/** The answers that are faults of the service. A lost answer of the database is 503 and says when to come back. */
const listFaults = (answers: Awaited<ReturnType<typeof turn>>) =>
  answers
    .filter(({ status, headers }) => !(status < 300 || (status === 503 && headers.has('retry-after'))))
    .map(({ status, body }) => `${status} ${JSON.stringify(body)}`)

test.each([11, 12])(
  'SUR-09 SUR-10 answers of the database that are lost or come late fail what waited for them with 503, and nothing else (run %i)',
  async (seed) => {
    const draw = createDraw(seed)
    const drawLoss = (): Loss | undefined =>
      draw(12) === 0 ? { afterBytes: draw(40), milliseconds: draw(3) === 0 ? 'never' : 1_300 + draw(300) } : undefined
    proxy.lose(drawLoss)
    const faults: string[] = []
    for (let round = 0; round < 3; round++) faults.push(...listFaults(await turn(true)))
    proxy.lose(() => undefined)
    for (let round = 0; round < 3; round++) faults.push(...listFaults(await turn(true)))
    await expect.poll(async () => (await turn(false)).every(({ status }) => status < 300)).toBe(true)
    expect(faults).toEqual([])
    const { rows } = await app.database.pool.query('select id from record_versions where id like $1', ['record-%'])
    const stored = new Set(rows.map(({ id }) => id))
    expect([...acknowledged].filter((id) => !stored.has(id))).toEqual([])
  },
  60_000,
)

test('SUR-09 a connection whose transaction began too late for its caller serves no one else: writes of others stay', async () => {
  proxy.lose((statement) => (isBegin(statement) ? { afterBytes: 0, milliseconds: 1_400 } : undefined))
  const renamed = await Promise.all(
    Array.from({ length: 8 }, (_, n) => app.request('PUT', `/v1/brains/late-${n}`, { key: brain.key })),
  )
  proxy.lose(() => undefined)
  expect(renamed.map(({ status }) => status)).toEqual(Array(8).fill(503))
  const minted = await Promise.all(
    Array.from({ length: 16 }, (_, n) =>
      app.request('POST', '/v1/keys', { headers: brain.session, body: { name: `late ${n}` } }),
    ),
  )
  expect(minted.map(({ status }) => status)).toEqual(Array(16).fill(201))
  const { rows } = await app.database.pool.query('select 1 from management_keys where name like $1', ['late %'])
  expect(rows).toHaveLength(16)
})
