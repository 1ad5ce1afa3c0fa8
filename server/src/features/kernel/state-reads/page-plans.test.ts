import { type RawBuilder, sql } from 'kysely'
import pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import type { BoundStatement } from '../../../storage/statements.ts'
import { isCluster } from '../../../test/cluster.ts'
import { useApp, useBrain } from '../../../test/harness.ts'
import { listedDocuments, servedDocuments, smallDocuments } from '../../knowledge/documents/document-queries.ts'
import { listedLinking } from '../../knowledge/records/link-queries.ts'
import { currentRecords, listedRecords, smallRecords } from '../../knowledge/records/record-queries.ts'
import { listedStatements } from '../../knowledge/statements/statement-queries.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { cutToPage, type ListedRows } from '../../platform/cursors/page-queries.ts'
import type { ListRequest, SmallRow, StateRow } from './state-queries.ts'

// A page of a large list is read from an index, in either order, from any position: it sorts no more than the page itself.

const app = useApp()
const brain = useBrain(app)
const rows = 20_000
const limit = 100
let brainId: number

beforeAll(async () => {
  const { pool } = app.database
  const found = await pool.query('select brain_id from brains where id = $1', [brain.brain.id])
  brainId = found.rows[0].brain_id
  const id = `'x' || lpad(n::text, 6, '0')`
  await pool.query(
    `insert into record_versions (brain_id, id, version, kind, from_state, record)
     select $1, ${id}, 1, 'thing', 1, json_build_object('links', json_build_array(
       json_build_object('predicate', 'p', 'to', 'hub'), json_build_object('predicate', 'q', 'to', 'hub')))
     from generate_series(1, $2::int) as n`,
    [brainId, rows],
  )
  await pool.query(
    `insert into statements (brain_id, id, identity, subject_id, predicate, from_state, statement)
     select $1, ${id}, sha256(n::text::bytea), 's', 'p', 1,
       json_build_object('object', json_build_object('record', json_build_object('id', 'hub')))
     from generate_series(1, $2::int) as n`,
    [brainId, rows],
  )
  await pool.query(
    `insert into document_versions (brain_id, id, version, hash, source_name, from_state, text, document)
     select $1, ${id}, 1, n::text, 'wiki', 1, 'text', '{}' from generate_series(1, $2::int) as n`,
    [brainId, rows],
  )
})

type Plan = { 'Node Type': string; 'Actual Rows': number; 'Actual Loops': number; Plans?: Plan[] }

/** The most rows that any step of a read sorts or hashes. */
const maxGathered = ({ 'Node Type': type, 'Actual Rows': count, 'Actual Loops': loops, Plans = [] }: Plan): number =>
  Math.max(/Sort|Hash|Materialize/.test(type) ? count * loops : 0, ...Plans.map(maxGathered))

const explain = async (read: RawBuilder<unknown>): Promise<Plan> => {
  const { rows: found } = await sql<{ 'QUERY PLAN': { Plan: Plan }[] }>`explain (analyze, format json) ${read}`.execute(
    app.app.deps.db,
  )
  const [plan] = found[0]?.['QUERY PLAN'] ?? []
  if (!plan) throw new Error('There is no plan.')
  return plan.Plan
}

type Read = (page: PageRequest<string>) => ListedRows
const reads: Record<string, Read> = {
  records: (page) => listedRecords(brainId, {}, page),
  'records of a kind': (page) => listedRecords(brainId, { kind: 'thing' }, page),
  'records as of a state': (page) => listedRecords(brainId, { asOf: 1 }, page),
  'records that link to one': (page) => listedLinking(brainId, { linksTo: 'hub' }, page),
  'records that link to one by a predicate': (page) => listedLinking(brainId, { linksTo: 'hub', predicate: 'q' }, page),
  statements: (page) => listedStatements(brainId, {}, page),
  'statements of a subject': (page) => listedStatements(brainId, { subject: 's' }, page),
  'statements of a predicate': (page) => listedStatements(brainId, { predicate: 'p' }, page),
  'statements of an object': (page) => listedStatements(brainId, { object: 'hub' }, page),
  documents: (page) => listedDocuments(brainId, {}, page),
  'documents of a source': (page) => listedDocuments(brainId, { source: 'wiki' }, page),
}

type Prepared = (page: ListRequest) => BoundStatement<StateRow> | BoundStatement<SmallRow>
const preparedReads: Record<string, Prepared> = {
  records: (page) => currentRecords({ ...page, kind: undefined }),
  'records of a kind': (page) => currentRecords({ ...page, kind: 'thing' }),
  documents: (page) => servedDocuments({ ...page, source: undefined }),
  'documents of a source': (page) => servedDocuments({ ...page, source: 'wiki' }),
  'small records': (page) => smallRecords({ ...page, kind: undefined }),
  'small records of a kind': (page) => smallRecords({ ...page, kind: 'thing' }),
  'small documents': (page) => smallDocuments({ ...page, source: undefined }),
  'small documents of a source': (page) => smallDocuments({ ...page, source: 'wiki' }),
}

/** The plan that PostgreSQL keeps for a statement, for any values. */
const explainKept = async ({ text, values }: ReturnType<Prepared>): Promise<Plan> => {
  const client = await app.database.pool.connect()
  try {
    await client.query(`set plan_cache_mode = 'force_generic_plan'`)
    await client.query(`prepare kept as ${text}`)
    const given = values.map((value) => pg.escapeLiteral(String(value))).join(', ')
    const { rows: found } = await client.query(`explain (analyze, format json) execute kept(${given})`)
    return found[0]['QUERY PLAN'][0].Plan
  } finally {
    client.release(true)
  }
}

// The coordinator of a cluster keeps no plan of the server that reads.
test.skipIf(isCluster).each(Object.keys(preparedReads))(
  'D-03 a plan of %s that is kept reads a page off an index for any Brain',
  async (name) => {
    const { pool } = app.database
    const prepare = preparedReads[name]
    if (!prepare) throw new Error(`There is no read of ${name}.`)
    const order = 'asc'
    for (const after of [undefined, 'x010000']) {
      const request = { brainId, after, order, limit, more: limit + 1 } as const
      await pool.query('analyze')
      expect(maxGathered(await explainKept(prepare(request)))).toBeLessThanOrEqual(2 * (limit + 1))
      // As with many small Brains: PostgreSQL expects each Brain to be small.
      await pool.query(`update pg_statistic set stadistinct = -0.02 where staattnum = 1
      and starelid in ('record_versions'::regclass, 'document_versions'::regclass)`)
      expect(maxGathered(await explainKept(prepare(request)))).toBeLessThanOrEqual(2 * (limit + 1))
    }
  },
)

describe.each(['asc', 'desc'] as const)('in order %s', (order) => {
  test.each(Object.keys(reads))('D-03 a page of %s sorts no more than itself', async (name) => {
    await app.database.pool.query('analyze')
    for (const after of [undefined, 'x010000']) {
      const read = reads[name]?.({ after, order, limit: limit + 1 })
      if (!read) throw new Error(`There is no read of ${name}.`)
      const plan = await explain(cutToPage(read, { limit, order }))
      expect(maxGathered(plan), JSON.stringify(plan, null, 1)).toBeLessThanOrEqual(2 * (limit + 1))
    }
  })
})
