import { endpoints } from '@noema/contracts/api.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addBrain, createBrain, startTestApp, type TestApp, type TestBrain } from '../test/app.ts'
import { sampleCall, sampleCredential } from '../test/sample-calls.ts'
import { divideByBrain, explainAll, listenToPlans, type Reading } from './partitions.fixture.ts'

// The whole service on tables that are divided by brain_id: what runs there needs no statement and no constraint that goes
// across Brains, but for those named below.

/** Statements that read more than one partition, and why they may. */
const acrossBrains: Record<string, readonly RegExp[]> = {
  'a worker looks for what is due or behind, of whatever Brain, and leases it': [
    /^select 0 as place, due\.key/,
    /^with recursive next as/,
    /^with candidate as materialized/,
    /^with behind as materialized/,
    // The outcomes of several turns are stored at once.
    /^with given as materialized/,
    /^select brain_id::text as key, due_at as "dueAt" from brain_turns/,
    /^select found\.brain_id::text as key/,
    /^select brain_id::text as key from (brain_webhooks|triggers) as/,
    /^with next as materialized \(select min\(brain_id\) as brain_id from receipts/,
    /^select brain_id as "brainId", id, status = 'applied'/,
    /^with old as materialized \( select organization_id, id as run_id from runs/,
  ],
  'a key of a Brain is found by its hash, which does not tell the Brain, and its use is noted with that of others': [
    /^select (1|requested\.place) as place, .* \(select \* from brain_keys where hash =/,
    /^update brain_keys set last_used_at/,
  ],
  'the caps of an account count the writes to all of its Brains, and their web pages': [
    /^(with locked as|select brain\.brain_id as) .* from brains as counted /,
    /^select count\(\*\) as count from web_pages as page join brains/,
  ],
  'the receipts of reads of several Brains are stored at once': [/^with added as \( insert into receipts/],
  'administrators see the health of the whole service': [
    /^select due\.id, brain\.id as "brainId", brain\.position - due\.examined_position as behind/,
    /^\(select \$1::text as name, count\(\*\) as due/,
    /^select count\(\*\) as brains, coalesce\(sum\(brain\.position/,
  ],
  'a run finds its Brain by the id that its agent names': [/^with recursive line as \( select run\.parent_run_id/],
  'members of an organization see all its Brains': [/^with state as materialized \(select \* from \( select 'review/],
}

const normalize = (statement: string): string => statement.replace(/\s+/g, ' ').trim()
const findReason = (statement: string): string | undefined =>
  Object.keys(acrossBrains).find((reason) => acrossBrains[reason]?.some((form) => form.test(statement)))

let app: TestApp
let brain: TestBrain
let other: TestBrain
const readings: Reading[] = []
let stopListening = () => {}

beforeAll(async () => {
  stopListening = listenToPlans((reading) => readings.push(reading))
  app = await startTestApp(
    {},
    {
      prepare: async (pool) => {
        await divideByBrain(pool)
        await explainAll(pool)
      },
    },
  )
  brain = await createBrain(app, 'first')
  // Brains in other partitions, so that a read across them finds rows.
  for (const handle of ['second', 'third', 'fourth']) {
    other = await addBrain(app, brain, handle)
    await other.call('PUT', '/records/r', { kind: 'note', fields: { text: 'Another Brain.' } })
  }
})
afterAll(async () => {
  stopListening()
  await app.close()
})

const ofBrains = endpoints.filter(({ endpoint }) => endpoint.path.startsWith('/v1/brains/{handle}'))

test('every call about a Brain works on tables divided by brain_id, and reads one partition alone', async () => {
  const statuses: Record<string, number> = {}
  for (const { name, endpoint } of ofBrains) {
    const { method, path, headers, ...sent } = await sampleCall(app, brain, { name, endpoint })
    const { status } = await app.request(method, path, {
      headers: { ...sampleCredential(endpoint, brain), ...headers },
      ...sent,
    })
    statuses[name] = status
  }
  expect(Object.entries(statuses).filter(([, status]) => status >= 300)).toEqual([])
  const key = await brain.mintKey(['read'])
  for (const below of ['/events', '/search?q=sample', '/records'])
    expect((await brain.call('GET', below, undefined, { key })).status).toBe(200)

  // The erased, indexed and delivered rows.
  const { brain: gone } = other
  await other.call('DELETE', '')
  for (const worker of app.app.workers) await worker.run()
  const left = `select count(*)::int as count from record_versions where brain_id = (select brain_id from brains where id = $1)`
  expect((await app.database.pool.query(left, [gone.id])).rows).toEqual([{ count: 0 }])

  const across = readings.filter(({ partitions }) => partitions.length > 1).map(({ statement }) => normalize(statement))
  expect([...new Set(across)].filter((statement) => !findReason(statement))).toEqual([])
  expect(readings.filter(({ partitions }) => partitions.length === 1).length).toBeGreaterThan(200)
})
