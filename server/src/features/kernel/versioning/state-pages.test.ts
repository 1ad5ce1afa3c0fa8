import type { ListOrder } from '@noema/contracts/common.ts'
import { type RawBuilder, sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { addBrain, type TestBrain } from '../../../test/app.ts'
import { useApp, useMember } from '../../../test/harness.ts'
import { listedDocuments } from '../../knowledge/documents/document-queries.ts'
import { listedRecords } from '../../knowledge/records/record-queries.ts'
import { listedStatements } from '../../knowledge/statements/statement-queries.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { cutToPage, type ListedRows } from '../../platform/cursors/page-queries.ts'
import { hasMoreThan, readAtState } from '../state-reads/state-reads.ts'
import { versionsAt } from './state-page-queries.ts'

// Pages of lists as of an earlier state, of Brains whose versions are put into the tables as they are.

const app = useApp()
const member = useMember(app)
const find = async (brain: TestBrain, stateVersion: number) => {
  const { rows } = await app.database.pool.query(
    'update brains set state_version = $2 where id = $1 returning brain_id as "brainId", handle',
    [brain.brain.id, stateVersion],
  )
  return rows[0]
}

describe('the reach of a page', () => {
  const states = 30
  let brain: Parameters<typeof readAtState>[1]

  /** Versions with pseudo-random begins and ends, the same in each run. */
  const toVersions = () => {
    let seed = 7
    const below = (max: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
      return Math.floor((seed / 2 ** 31) * max)
    }
    return Array.from({ length: 25 }, (_, item) => {
      const begins = [...new Set(Array.from({ length: 1 + below(6) }, () => 1 + below(states)))].sort((a, b) => a - b)
      return begins.map((from, place) => {
        const next = begins[place + 1] ?? (below(2) === 0 ? states + 5 : null)
        const isGone = below(3) === 0 && next !== null
        return { id: `r${item}`, version: place + 1, from, to: isGone ? from + 1 : next, record: { links: [] } }
      })
    }).flat()
  }

  beforeAll(async () => {
    const made = await addBrain(app, member, 'random')
    brain = await find(made, states)
    await app.database.pool.query(
      `insert into record_versions (brain_id, id, version, kind, from_state, to_state, record)
       select $1, id, version, 'thing', "from", "to", record
       from json_to_recordset($2) as row (id text, version integer, "from" bigint, "to" bigint, record json)`,
      [brain.brainId, JSON.stringify(toVersions())],
    )
  })

  const readAll = async (asOf: number, limit: number, order: ListOrder, reach: { begun: number; passed: number }) => {
    const found: (string | number)[] = []
    for (let after: string | undefined, hasMore = true; hasMore; ) {
      const listed = { table: 'record_versions', brainId: brain.brainId, asOf, columns: sql`record` }
      const rows = versionsAt(listed, { after, order, limit: limit + 1 }, reach)
      const page = cutToPage(
        { rows, size: sql`pg_column_size(record)`, json: sql`record::text`, beside: sql`stopped` },
        { limit, order },
      )
      const read = await readAtState(app.app.deps.db, brain, page, asOf, order)
      found.push(...read.rows.flatMap(({ place, json }) => (json === null ? [] : [place])))
      hasMore = hasMoreThan(read.rows)
      after = String(read.rows.at(-1)?.place ?? after)
    }
    return found
  }

  test.each([
    { begun: 0, passed: 1 },
    { begun: 0, passed: 4 },
    { begun: 20, passed: 6 },
    { begun: 1_000, passed: 10 },
  ])('D-03 D-07 for any reach ($begun, $passed), all pages have exactly the valid versions', async (reach) => {
    const readBothWays = async (asOf: number) => {
      const { rows } = await app.database.pool.query(
        `select id from record_versions where brain_id = $1 and from_state <= $2 and (to_state is null or to_state > $2)
         order by id`,
        [brain.brainId, asOf],
      )
      const valid = rows.map(({ id }) => id)
      const [forward, backward] = await Promise.all([readAll(asOf, 3, 'asc', reach), readAll(asOf, 3, 'desc', reach)])
      expect(forward).toEqual(valid)
      expect(backward).toEqual(valid.toReversed())
    }
    await Promise.all([0, 10, 20, states].map(readBothWays))
  })
})

const json = `json_build_object('id', id, 'n', n)`
const tables = ['records', 'statements', 'documents'] as const
type Table = (typeof tables)[number]
/** Inserts versions that began at the first state, by id before and after others that began at the second. */
const inserts: Record<Table, string> = {
  records: `insert into record_versions (brain_id, id, version, kind, from_state, record)
    select $1, id, 1, 'thing', state, ${json} from row`,
  statements: `insert into statements (brain_id, id, identity, subject_id, predicate, from_state, statement)
    select $1, id, sha256(id::bytea), 's', 'p', state, ${json} from row`,
  documents: `insert into document_versions (brain_id, id, version, hash, source_name, from_state, text, document)
    select $1, id, 1, id, 'wiki', state, 'text', ${json} from row`,
}
type Filled = { early: number; later: readonly [number, number] }
/** Makes two Brains with as much at the first state, and after it less in the one than in the other. */
const fillTwo = async (name: string, filled: readonly Table[], { early, later }: Filled) => {
  const fill = async (size: string, count: number) => {
    const brain = await addBrain(app, member, `${name}-${size}`)
    const { brainId } = await find(brain, 2)
    for (const table of filled)
      await app.database.pool.query(
        `with row as (
           select case when n <= $2::int / 2 then 'a' when n <= $2 then 'z' else 'm' end || lpad(n::text, 6, '0') as id,
             case when n <= $2 then 1 else 2 end as state, n from generate_series(1, $2::int + $3::int) as n order by n)
         ${inserts[table]}`,
        [brainId, early, count],
      )
    return { brain, brainId }
  }
  const [few, many] = [await fill('few', later[0]), await fill('many', later[1])]
  await app.database.pool.query('vacuum analyze record_versions, statements, document_versions')
  return { brains: [few.brainId, many.brainId] as [number, number], large: many.brain }
}

type Two = Awaited<ReturnType<typeof fillTwo>>

type Plan = { 'Shared Hit Blocks': number; 'Shared Read Blocks': number }
const countBlocks = async (read: RawBuilder<unknown>): Promise<number> => {
  const { rows } = await sql<{ 'QUERY PLAN': { Plan: Plan }[] }>`
    explain (analyze, buffers, format json) ${read}`.execute(app.app.deps.db)
  const plan = rows[0]?.['QUERY PLAN'][0]?.Plan
  return (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0)
}

type Read = (brainId: number, page: PageRequest<string>) => ListedRows
const limit = 100
/** Expects pages from several positions, in both orders, to read about as many blocks in two Brains. */
const expectEqualWork = async (read: Read, [few, many]: readonly [number, number]) => {
  for (const order of ['asc', 'desc'] as const)
    for (const after of [undefined, 'a000020', 'm002000', 'z000050']) {
      const count = (brainId: number) =>
        countBlocks(cutToPage(read(brainId, { after, order, limit: limit + 1 }), { limit, order }))
      const blocks = [await count(few), await count(many)] as const
      expect(blocks[1], `${order} after ${after}: ${blocks}`).toBeLessThanOrEqual(blocks[0] * 1.5 + 50)
    }
}

/** The ids of all pages of a list as of the first state, and how many pages there were. */
const listAll = async (brain: TestBrain, list: string, order: ListOrder) => {
  const ids: string[] = []
  let pages = 0
  for (let after = '', hasMore = true; hasMore; pages++) {
    const { data } = (await brain.call('GET', `/${list}?asOf=1&limit=500&order=${order}${after}`)).body
    ids.push(...data[list].map(({ id }: { id: string }) => id))
    after = `&after=${data.cursor}`
    hasMore = data.hasMore
  }
  return { ids, pages }
}

const toIds = (early: number) =>
  Array.from({ length: early }, (_, n) => `${n < early / 2 ? 'a' : 'z'}${String(n + 1).padStart(6, '0')}`)

describe('a state at which there was little', () => {
  let two: Two
  const early = 60

  beforeAll(async () => {
    two = await fillTwo('little', tables, { early, later: [1_000, 8_000] })
  })

  const reads: [string, Read][] = [
    ['records', (brainId, page) => listedRecords(brainId, { asOf: 1 }, page)],
    ['records of a kind', (brainId, page) => listedRecords(brainId, { kind: 'thing', asOf: 1 }, page)],
    ['statements', (brainId, page) => listedStatements(brainId, { asOf: 1 }, page)],
    ['statements of a subject', (brainId, page) => listedStatements(brainId, { subject: 's', asOf: 1 }, page)],
    ['documents', (brainId, page) => listedDocuments(brainId, { asOf: 1 }, page)],
  ]
  test.each(reads)('D-03 D-07 a page of %s reads no more where more was written since', (_name, read) =>
    expectEqualWork(read, two.brains),
  )

  test.each(tables)('D-03 D-07 a page of %s has all of it', async (list) => {
    expect(await listAll(two.large, list, 'asc')).toEqual({ ids: toIds(early), pages: 1 })
    expect(await listAll(two.large, list, 'desc')).toEqual({ ids: toIds(early).reverse(), pages: 1 })
  })
})

describe('a state at which there was much', () => {
  let two: Two
  const early = 5_200

  beforeAll(async () => {
    two = await fillTwo('much', ['records'], { early, later: [4_000, 21_000] })
  })

  test('D-03 D-07 a page reads no more where more was written since', async () => {
    const read: Read = (brainId, page) => {
      const listed = { table: 'record_versions', brainId, asOf: 1, columns: sql`record` }
      const rows = versionsAt(listed, page, { begun: 500, passed: 2_000 })
      return { rows, size: sql`pg_column_size(record)`, json: sql`record::text`, beside: sql`stopped` }
    }
    await expectEqualWork(read, two.brains)
  })

  test('D-03 D-07 a page that skips many later versions ends early, and the next ones continue from there', async () => {
    for (const order of ['asc', 'desc'] as const) {
      const { ids, pages } = await listAll(two.large, 'records', order)
      expect(ids).toEqual(order === 'asc' ? toIds(early) : toIds(early).reverse())
      expect(pages).toBeGreaterThan(Math.ceil(early / 500))
    }
  })
})
