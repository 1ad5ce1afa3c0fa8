import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { DueKey, PolledWork } from '../shared/concurrency/leased-work.ts'
import { createTestDatabase } from '../test/database.ts'
import { createDuePolls } from './due-polls.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const now = new Date('2026-01-01T00:00:00.000Z')
const first = { now, after: undefined, limit: 10 }

const pollFor = (key: string): PolledWork => ({
  dueKeys: (page) => sql<DueKey>`select ${sql.lit(key)} as key, ${page.now}::timestamptz as "dueAt"
    where ${page.after ?? ''} < ${sql.lit(key)} limit ${page.limit}`,
})
const broken: PolledWork = { dueKeys: () => sql<DueKey>`select key, "dueAt" from there_is_no_such_table` }

test('works that poll at once share a statement, and each gets its own keys', async () => {
  const findDueKeys = createDuePolls(database.db)
  const statements = vi.spyOn(database.db, 'executeQuery')
  const [one, other] = [pollFor('a'), pollFor('b')]
  expect(await Promise.all([findDueKeys(one, first), findDueKeys(other, first)])).toEqual([
    [{ key: 'a', dueAt: now }],
    [{ key: 'b', dueAt: now }],
  ])
  expect(statements).toHaveBeenCalledTimes(1)
  statements.mockRestore()
})

test('works that poll at once find what is due at the latest of their times', async () => {
  const findDueKeys = createDuePolls(database.db)
  const later = new Date(now.getTime() + 60_000)
  const earlier = findDueKeys(pollFor('a'), first)
  expect(await findDueKeys(pollFor('b'), { ...first, now: later })).toEqual([{ key: 'b', dueAt: later }])
  expect(await earlier).toEqual([{ key: 'a', dueAt: later }])
})

test('a work whose select is refused fails alone', async () => {
  const findDueKeys = createDuePolls(database.db)
  const [failed, found] = await Promise.allSettled([findDueKeys(broken, first), findDueKeys(pollFor('a'), first)])
  expect(failed.status).toBe('rejected')
  expect(found).toEqual({ status: 'fulfilled', value: [{ key: 'a', dueAt: now }] })
})

test('a later page begins after its key', async () => {
  const findDueKeys = createDuePolls(database.db)
  expect(await findDueKeys(pollFor('a'), { ...first, after: 'a' })).toEqual([])
  expect(await findDueKeys(pollFor('b'), { ...first, after: 'a' })).toEqual([{ key: 'b', dueAt: now }])
})
