import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { WritePrecondition } from '../../features/writing/commit/write-request.ts'
import { conflict } from '../../shared/errors.ts'
import type { Queryable } from '../../storage/database.ts'
import { isDatabaseUnavailable } from '../../storage/database-errors.ts'
import { useApp, useBrainPerTest, useMember } from '../../test/harness.ts'
import { holdBrain, untilOneWaits } from '../../test/held-brain.ts'
import { addRun, callRunTool, type TestRun } from './run-tools.fixture.ts'

// A write of a run applies only while the run's lease is valid, however long it waited for its Brain.

const app = useApp()
const member = useMember(app)
const brain = useBrainPerTest(app, member)

const holdsLease =
  ({ id, organizationId }: TestRun): WritePrecondition =>
  async (tx) => {
    const { rows } = await sql`select 1 from runs
      where organization_id = ${organizationId} and id = ${id} and lease = 'mine' for share`.execute(tx)
    if (rows.length === 0) throw conflict('This run has ended.', { code: 'run_ended' })
  }

const put = (id: string) => ({ operations: [{ op: 'record.put', id, kind: 'person' }] })
const writeAs = (run: TestRun, id: string, guard = holdsLease(run)) =>
  callRunTool(app, run, 'knowledge_write', put(id), { guard })
const hasEnded = { isError: true, output: expect.stringContaining('run_ended') }
const takeLease = async ({ id }: TestRun) => {
  await sql`update runs set lease = 'theirs' where id = ${id}`.execute(app.app.deps.db)
}
const listIds = async (): Promise<string[]> =>
  (await brain.call('GET', '/records?limit=500')).body.data.records.map(({ id }: { id: string }) => id)

/** Keeps the Brain's row locked while something is done; answers once it is free again. */
const whileLocked = async (act: () => Promise<void>) => {
  const release = await holdBrain(app.database, brain.brain.id)
  try {
    await act()
  } finally {
    await release()
  }
}

test('a write that waits for a busy Brain while its lease is taken away does not land, and its neighbours do', async () => {
  const [lost, kept] = [
    await addRun(app, [{ brain, access: 'read_write' }]),
    await addRun(app, [{ brain, access: 'read_write' }]),
  ]
  const writes: Promise<unknown>[] = []
  await whileLocked(async () => {
    writes.push(
      brain.call('PUT', '/records/before', { kind: 'person' }),
      writeAs(lost, 'lost'),
      brain.call('PUT', '/records/after', { kind: 'person' }),
      writeAs(kept, 'kept'),
    )
    await untilOneWaits(app.database)
    await takeLease(lost)
  })
  const [before, refused, after, landed] = await Promise.all(writes)
  expect(refused).toMatchObject(hasEnded)
  expect([before, after]).toMatchObject([{ status: 201 }, { status: 201 }])
  expect(landed).toMatchObject({ isError: false })
  expect(await listIds()).toEqual(['after', 'before', 'kept'])
})

test('an addition to a Brain that this node knows is asked as well', async () => {
  const run = await addRun(app, [{ brain, access: 'read_write' }])
  for (const id of ['a', 'b', 'c']) expect(await writeAs(run, id)).toMatchObject({ isError: false })
  await takeLease(run)
  const statement = {
    op: 'statement.assert',
    subject: { id: 'a', kind: 'person' },
    predicate: 'born',
    object: { value: 1 },
  }
  const added = { operations: [{ op: 'record.create', kind: 'person' }, statement] }
  const guard = holdsLease(run)
  expect(await callRunTool(app, run, 'knowledge_write', added, { guard })).toMatchObject(hasEnded)
  expect(await listIds()).toEqual(['a', 'b', 'c'])
})

test('of an ending and a write in flight one comes first: once a run has ended nothing of it lands any more', async () => {
  const counts: [seen: number, left: number][] = []
  const countChanges = async (db: Queryable, { id }: TestRun): Promise<number> => {
    const { rows } = await sql<{
      count: number
    }>`select count(*) as count from changes where submitted_by = ${id}`.execute(db)
    return rows[0]?.count ?? 0
  }
  for (let round = 0; round < 40; round++) {
    const run = await addRun(app, [{ brain, access: 'read_write' }])
    const end = () =>
      app.app.deps.db.transaction().execute(async (tx) => {
        await sql`select 1 from runs where id = ${run.id} for update`.execute(tx)
        await sql`update runs set lease = null, state = 'abandoned' where id = ${run.id}`.execute(tx)
        return countChanges(tx, run)
      })
    const writes = [writeAs(run, `${run.id}-1`)]
    if (round % 2 === 0) await writes[0]
    writes.push(writeAs(run, `${run.id}-2`), writeAs(run, `${run.id}-3`))
    const seen = await end()
    await Promise.all(writes)
    counts.push([seen, await countChanges(app.app.deps.db, run)])
  }
  expect(counts.filter(([seen, left]) => seen !== left)).toEqual([])
})

test('a guard that cannot be asked fails its own write alone', async () => {
  const run = await addRun(app, [{ brain, access: 'read_write' }])
  const breaks: WritePrecondition = async (tx) => {
    await sql`select 1 / 0`.execute(tx)
  }
  const writes: Promise<unknown>[] = []
  await whileLocked(async () => {
    writes.push(
      brain.call('PUT', '/records/one', { kind: 'person' }),
      writeAs(run, 'broken', breaks),
      brain.call('PUT', '/records/two', { kind: 'person' }),
    )
    await untilOneWaits(app.database)
  })
  const [one, broken, two] = await Promise.all(writes)
  expect([one, two]).toMatchObject([{ status: 201 }, { status: 201 }])
  expect(broken).toMatchObject({ isError: true, output: expect.stringContaining('internal') })
  expect(await listIds()).toEqual(['one', 'two'])
})

test('a write whose connection is lost returns nothing to its model, so that the call is repeated under its key and applies once', async () => {
  const run = await addRun(app, [{ brain, access: 'read_write' }])
  const operationId = 'opr_lost'
  const breakOff: WritePrecondition = async (tx) => {
    await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx)
  }
  const write = (guard: WritePrecondition) =>
    callRunTool(app, run, 'knowledge_write', put('once'), { operationId, guard })
  expect(await write(breakOff).catch(isDatabaseUnavailable)).toBe(true)
  for (let time = 0; time < 2; time++) expect(await write(async () => {})).toMatchObject({ isError: false })
  expect(await listIds()).toEqual(['once'])
})
