import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { createLog } from '../shared/log.ts'
import { createTestDatabase } from '../test/database.ts'
import { openDatabase, openKeyedDatabase } from './database.ts'
import { isDatabaseUnavailable } from './database-errors.ts'
import { defineStatement } from './statements.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let keyed: ReturnType<typeof openKeyedDatabase>
beforeAll(async () => {
  database = await createTestDatabase()
  keyed = openKeyedDatabase(database.url, createLog('silent'), 1)
})
afterAll(async () => {
  await keyed.close()
  await database.drop()
})

afterEach(() => void vi.useRealTimers())

const listPrepared = async ({ db }: Pick<typeof keyed, 'db'>) =>
  (await sql<{ name: string; statement: string }>`select name, statement from pg_prepared_statements`.execute(db)).rows

test('a statement that has values is prepared once on a connection, under a name that is made of its text alone', async () => {
  for (const n of [1, 2, 3]) await sql`select ${n}::integer as n`.execute(keyed.db)
  const other = openKeyedDatabase(database.url, createLog('silent'), 1)
  try {
    await sql`select ${4}::integer as n`.execute(other.db)
    const [prepared] = (await listPrepared(keyed)).filter(({ statement }) => statement.includes('::integer as n'))
    expect(prepared?.name).toMatch(/^noema_[0-9a-f]{24}$/)
    expect(await listPrepared(other)).toEqual([prepared])
  } finally {
    await other.close()
  }
})

test('a lost connection is replaced by one that prepares again', async () => {
  const ask = async () =>
    (await sql<{ pid: number }>`select pg_backend_pid() + ${0}::integer as pid`.execute(keyed.db)).rows
  const [before] = await ask()
  await database.pool.query('select pg_terminate_backend($1::integer)', [before?.pid])
  await expect.poll(() => ask().catch(() => [before])).not.toEqual([before])
  expect((await listPrepared(keyed)).map(({ statement }) => statement)).toContain(
    'select pg_backend_pid() + $1::integer as pid',
  )
})

test('a statement that is refused costs no connection', async () => {
  const { db, prepared, together, close } = openDatabase(database.url, createLog('silent'), 1)
  try {
    const pid = async () => (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows
    const before = await pid()
    await expect(prepared(sql<object>`select 1 / ${0}::integer`)).rejects.toThrow('division by zero')
    await expect(together([sql`set local work_mem = '1MB'`], sql<object>`select 1 / 0`)).rejects.toThrow(
      'division by zero',
    )
    expect(await pid()).toEqual(before)
  } finally {
    await close()
  }
})

test('a transaction prepares statements that were prepared outside, or that ask for it, and no others', async () => {
  const { db, prepared, close } = openDatabase(database.url, createLog('silent'), 1)
  try {
    await prepared(sql<object>`select ${1}::integer as outside`)
    await db.transaction().execute(async (tx) => {
      await sql`select ${2}::integer as outside`.execute(tx)
      await sql`select ${2}::integer as plain`.execute(tx)
      expect(await prepared(sql<{ within: number }>`select ${3}::integer as within`, tx)).toEqual([{ within: 3 }])
    })
    const statements = (await listPrepared({ db })).map(({ statement }) => statement)
    expect(statements.sort()).toEqual(['select $1::integer as outside', 'select $1::integer as within'])
  } finally {
    await close()
  }
})

test('a migration that changes a column under prepared statements fails none of them, but a transaction, once', async () => {
  await database.pool.query('create table changing (id integer primary key, value integer)')
  await database.pool.query('insert into changing values (1, 2)')
  const { prepared, close } = openDatabase(database.url, createLog('silent'), 1)
  try {
    const ask = sql<{ value: unknown }>`select value from changing where id = ${1}`
    const inTransaction = () => keyed.db.transaction().execute(async (tx) => (await ask.execute(tx)).rows)
    expect(await prepared(ask)).toEqual([{ value: 2 }])
    expect((await ask.execute(keyed.db)).rows).toEqual([{ value: 2 }])
    await database.pool.query('alter table changing alter column value type text')
    expect(await prepared(ask)).toEqual([{ value: '2' }])
    expect((await ask.execute(keyed.db)).rows).toEqual([{ value: '2' }])
    await database.pool.query('alter table changing alter column value type integer using value::integer')
    const failure = await inTransaction().catch((error: unknown) => error)
    expect(String(failure)).toContain('cached plan must not change result type')
    // The caller may try again.
    expect(isDatabaseUnavailable(failure)).toBe(true)
    expect(await inTransaction()).toEqual([{ value: 2 }])
  } finally {
    await close()
  }
})

test('a statement that a connection has prepared returns the same rows and counts, for values of every type', async () => {
  const { prepared, db, close } = openDatabase(database.url, createLog('silent'), 1)
  try {
    await database.pool.query(
      'create table kinds (id integer, at timestamptz, bytes bytea, words text[], content json)',
    )
    const insert = (id: number) => sql<{ id: number; at: Date; bytes: Buffer; words: string[]; content: object }>`
      insert into kinds values (${id}, ${new Date(id)}, ${Buffer.from([id])}, ${['a "b"', 'c\\d']}, ${JSON.stringify({ id })})
      returning *`
    for (const id of [1, 2, 3]) {
      const row = { id, at: new Date(id), bytes: Buffer.from([id]), words: ['a "b"', 'c\\d'], content: { id } }
      expect(await prepared(insert(id))).toEqual([row])
      const found = sql<{ id: number; none: null }>`select id, null as none from kinds where id <= ${id} order by id`
      expect(await prepared(found)).toHaveLength(id)
    }
    const change = async () => (await sql`update kinds set id = id where id <> ${2}`.execute(db)).numAffectedRows
    await prepared(sql<object>`update kinds set id = id where id <> ${2}`)
    expect([await change(), await change()]).toEqual([2n, 2n])
  } finally {
    await close()
  }
})

const readPid = defineStatement<{ n: number }, { pid: number; n: number }>(
  ({ n }) => sql`select pg_backend_pid() as pid, 10 / ${n}::integer as n`,
  { isShort: true },
)

test('short statements share connections, and one that is refused fails alone', async () => {
  const { prepared, pool, close } = openDatabase(database.url, createLog('silent'), 8)
  try {
    const asked = Array.from({ length: 100 }, (_, n) => prepared(readPid({ n: n % 10 })))
    const outcomes = await Promise.allSettled(asked)
    const answered = outcomes.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    expect(answered).toHaveLength(90)
    const expected = outcomes.flatMap((_, n) => (n % 10 === 0 ? [] : Math.trunc(10 / (n % 10))))
    expect(answered.map(({ n }) => n)).toEqual(expected)
    expect(new Set(answered.map(({ pid }) => pid)).size).toBeLessThanOrEqual(3)
    expect(pool.totalCount).toBe(0)
    // A lost connection fails its statements in flight, and is replaced.
    const [{ pid } = { pid: 0 }] = answered
    await database.pool.query('select pg_terminate_backend($1::integer)', [pid])
    await expect.poll(async () => (await prepared(readPid({ n: 1 })).catch(() => []))[0]?.n).toBe(10)
  } finally {
    await close()
  }
})

test('if a pooler does not track statements, none is prepared', async () => {
  const { db, prepared, close } = openDatabase(database.url, createLog('silent'), 1, { preparesStatements: false })
  try {
    expect(await prepared(sql<{ n: number }>`select ${1}::integer as n`)).toEqual([{ n: 1 }])
    expect(await listPrepared({ db })).toEqual([])
  } finally {
    await close()
  }
})

test('plans are renewed after their time, and much later on a connection that ran few statements', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const planMilliseconds = 1_000
  const { db, pool, close } = openKeyedDatabase(database.url, createLog('silent'), 1, { planMilliseconds })
  const sent: unknown[] = []
  pool.on('connect', (client) => {
    const query = client.query.bind(client)
    vi.spyOn(client, 'query').mockImplementation((...given: unknown[]) => {
      sent.push(given[0])
      return Reflect.apply(query, client, given)
    })
  })
  const run = async (times: number) => {
    for (let n = 0; n < times; n++) await sql`select ${n}::integer as n`.execute(db)
  }
  const countRenewals = () => sent.filter((statement) => statement === 'discard plans').length
  try {
    await run(49)
    vi.advanceTimersByTime(11 * planMilliseconds)
    await run(1)
    expect(countRenewals()).toBe(0)
    await run(1)
    expect(countRenewals()).toBe(1)
    vi.advanceTimersByTime(11 * planMilliseconds)
    await run(1)
    expect(countRenewals()).toBe(1)
    vi.advanceTimersByTime(2 * planMilliseconds)
    await run(1)
    expect(countRenewals()).toBe(2)
  } finally {
    await close()
  }
})
