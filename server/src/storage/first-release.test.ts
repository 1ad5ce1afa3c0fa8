import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '../shared/log.ts'
import { startTestApp, type TestApp } from '../test/app.ts'
import { createTestDatabase } from '../test/database.ts'
import { migrateAt, readMigrationChecksums } from './migrate.ts'

// A database as the first release left it, opened by this version.

const dump = readFileSync(new URL('./releases/0.1.0.sql', import.meta.url), 'utf8')
const released = [...dump.matchAll(/^-- (\d+) \S+ ([0-9a-f]{64})$/gm)].map(([, number, checksum]) => ({
  number: Number(number),
  checksum,
}))
// The keys that were minted then; the dump has their hashes.
const key = 'nsk_1lgEMuvEvnUXpnhbyMGyVAsacZRKWjZTFlLQwugD09jmbt'
const brainKey = 'nbk_iKSdsWNvNAd461I4fTh0BnQuJYYiIXnTAnDRhDsF0sD2vb'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let app: TestApp
beforeAll(async () => {
  database = await createTestDatabase({ isBlank: true })
  await migrateAt(database.url, createLog('silent'), released.at(-1)?.number)
  await database.pool.query(dump)
  app = await startTestApp({}, { reach: () => database.url })
})
afterAll(async () => {
  await app.close()
  await database.drop()
})

const read = async (path: string, by = key) => {
  const { status, body } = await app.request('GET', `/v1/brains/rich${path}`, { key: by })
  expect(status, path).toBe(200)
  return body.data
}

test('the migrations of the first release are as they were', async () => {
  const known = await readMigrationChecksums()
  expect(released).toHaveLength(18)
  for (const { number, checksum } of released) expect(known.get(number), String(number)).toBe(checksum)
})

test('a publication that was scheduled then, and is due since, happens', async () => {
  await expect.poll(async () => (await read('')).brain.stateVersion).toBe(38)
})

test('data of the first release is read unchanged, with the keys of that time', async () => {
  const { brain } = await read('')
  expect(brain).toMatchObject({ handle: 'rich', stateVersion: 38, counts: { documents: 31, statements: 1 } })
  expect((await read('/records', brainKey)).records.length).toBe(brain.counts.records)
  expect((await read('/documents')).documents).toHaveLength(brain.counts.documents)
  expect((await read('/statements')).statements).toHaveLength(1)
  expect((await read('/changes?decision=pending')).changes).toHaveLength(1)
  expect((await read('/receipts')).receipts).toHaveLength(2)
  const [record] = (await read('/records')).records
  expect((await read(`/records/${record.id}/history`)).versions.length).toBeGreaterThan(0)
  expect((await read('/schema')).schemaVersion ?? 1).toBe(1)
})

test('its stream has every event, in order and without a gap, and continues from a cursor of that time', async () => {
  const { events } = await read('/events?limit=500')
  expect(events).toHaveLength(49)
  expect(events.at(-1)).toMatchObject({ type: 'change.published', data: { stateVersion: 38 } })
  const half = await read(`/events?limit=500&after=${events[20].cursor}`)
  expect(half.events).toEqual(events.slice(21))
})

test('it is searched, exported, and written to', async () => {
  const { results } = await read('/search?q=kettles&consumerId=test')
  expect(results.length).toBeGreaterThan(0)
  const exported = await fetch(`${app.base}/v1/brains/rich/export?history=true`, {
    headers: { authorization: `Bearer ${key}` },
  })
  expect(await exported.text()).toMatch(/\n\{"trailer":.*\}\n$/)
  const body = { kind: 'person', fields: { name: 'Somebody new' } }
  const written = await app.request('POST', '/v1/brains/rich/records', { key, body })
  expect(written).toMatchObject({ status: 201, body: { data: { stateVersion: 39 } } })
  expect((await read('/events?limit=500')).events).toHaveLength(50)
})
