import { afterEach, expect, test, vi } from 'vitest'
import { createBrain } from '../../../test/app.ts'
import { useApp } from '../../../test/harness.ts'

const app = useApp()
afterEach(() => void vi.restoreAllMocks())

const listConnections = async (): Promise<number[]> => {
  const { rows } = await app.database.pool.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and application_name = 'noema'`,
  )
  return rows.map(({ pid }) => pid)
}

test('EVT-03 writes to a Brain through one node after the other land in order and cost no connection', async () => {
  const brain = await createBrain(app, 'shared')
  const nodes = [app.request, (await app.startNode()).request]
  const write = async (n: number) => {
    const answer = await nodes[n % nodes.length]?.('PUT', `${brain.path}/records/r${n}`, {
      key: brain.key,
      body: { kind: 'k' },
    })
    expect(answer?.status).toBe(201)
  }
  for (let n = 0; n < 6; n++) await write(n)
  const before = await listConnections()
  for (let n = 6; n < 20; n++) await write(n)
  expect(await listConnections()).toEqual(expect.arrayContaining(before))
  const { events } = (await brain.call('GET', '/events?limit=100')).body.data
  expect(events.map(({ data }: { data: { record: { id: string } } }) => data.record.id)).toEqual(
    Array.from({ length: 20 }, (_, n) => `r${n}`),
  )
})

test('writes that arrive while a node waits for a Brain land together once it is free', async () => {
  const brain = await createBrain(app, 'held')
  const { brainLocks, commitEngine } = app.app.deps
  const { promise: free, resolve: release } = Promise.withResolvers<void>()
  const { run } = brainLocks
  vi.spyOn(brainLocks, 'run').mockImplementationOnce(async (brainId, attempt, deadline) => {
    await free
    return run(brainId, attempt, deadline)
  })
  const submitted = vi.spyOn(commitEngine, 'submit')
  const answers = Array.from({ length: 12 }, (_, n) => brain.call('PUT', `/records/r${n}`, { kind: 'k' }))
  await expect.poll(() => submitted.mock.calls.length).toBe(12)
  release()
  for (const answer of answers) expect((await answer).status).toBe(201)
  const { pool } = app.database
  const [{ brain_id: brainId }] = (await pool.query(`select brain_id from brains where handle = 'held'`)).rows
  const { rows } = await pool.query(
    'select count(distinct xmin::text)::integer as transactions from record_versions where brain_id = $1',
    [brainId],
  )
  expect(rows).toEqual([{ transactions: 1 }])
})
