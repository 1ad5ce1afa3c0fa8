import { type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isCluster } from '../../../test/cluster.ts'
import { createTestDatabase } from '../../../test/database.ts'
import { narrowToBetween } from '../../kernel/leases/lease-queries.ts'
import { brainsToEmbed } from '../vectors/space-queries.ts'
import { brainsToIndex } from './indexing-queries.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
beforeAll(async () => {
  database = await createTestDatabase()
  await database.pool.query(`insert into organization (id, name, slug, "createdAt") values ('o', 'o', 'o', now())`)
})
afterAll(() => database.drop())

const addBrains = async (count: number) => {
  const { pool } = database
  // The queries read no directory, and its trigger plans for the empty table that it starts with.
  await pool.query('alter table brains disable trigger add_brain_directory')
  await pool.query(
    `with made as (
       insert into brains (id, organization_id, handle, mode, cursor_key, created_at, updated_at, position)
       select 'b' || n, 'o', 'b' || n, 'direct', '\\x00', now(), now(), 1 from generate_series(1, $1::int) as n
       returning brain_id)
     insert into passage_progress (brain_id, position, last_passage) select brain_id, 1, 1 from made`,
    [count],
  )
  await pool.query(`insert into vector_progress (brain_id, space, passage)
    select brain_id, 's', 1 from passage_progress`)
  await pool.query(`insert into answering_spaces (brain_id, space, since)
    select brain_id, 's', now() from passage_progress`)
  await pool.query('vacuum analyze brains, passage_progress, vector_progress, answering_spaces')
}

type Plan = { 'Actual Rows': number; 'Actual Loops': number; 'Rows Removed by Filter'?: number; Plans?: Plan[] }

/** The most rows that any step of a plan comes by. */
const maxRows = ({
  'Actual Rows': rows,
  'Actual Loops': loops,
  'Rows Removed by Filter': removed,
  Plans,
}: Plan): number => Math.max((rows + (removed ?? 0)) * loops, ...(Plans ?? []).map(maxRows))

const countRows = async (read: RawBuilder<unknown>): Promise<number> => {
  const { rows } = await sql<{ 'QUERY PLAN': { Plan: Plan }[] }>`explain (analyze, format json) ${read}`.execute(
    database.db,
  )
  const plan = rows[0]?.['QUERY PLAN'][0]?.Plan
  return plan ? maxRows(plan) : 0
}

// Distributed tables have no triggers.
test.skipIf(isCluster)(
  'a search for Brains that are behind passes the Brains that it examines, and no others',
  async () => {
    await addBrains(20_000)
    const narrow = narrowToBetween('12000', '13000')
    expect(await countRows(brainsToIndex(narrow))).toBe(1_000)
    expect(await countRows(brainsToEmbed(narrow, 's'))).toBe(1_000)
  },
)
