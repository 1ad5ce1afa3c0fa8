import { maxSearched } from '@noema/contracts/common.ts'
import { beforeAll, expect, test } from 'vitest'
import { firstIdAt } from '../../../shared/ids.ts'
import { createMember } from '../../../test/app.ts'
import { useApp, useMember } from '../../../test/harness.ts'

const app = useApp()
const member = useMember(app)

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 12, minute))
const insert = (rows: readonly { minute: number; input: unknown; projectId?: string; organizationId?: string }[]) =>
  app.database.pool.query(
    `insert into runs (organization_id, id, agent_id, agent_version, project_id, state, input, started_by, created_at)
     select row->>'organizationId', row->>'id', 'agent', 1, row->>'projectId', 'completed', row->'input', '{}', now()
     from json_array_elements($1::json) as row`,
    [
      JSON.stringify(
        rows.map(({ minute, ...row }) => ({
          ...{ id: `${firstIdAt('run', at(minute))}${'0'.repeat(16)}`, projectId: 'prj', ...row },
          organizationId: row.organizationId ?? member.organizationId,
        })),
      ),
    ],
  )

type Listed = { found: string[]; cursor: string; hasMore: boolean }

const list = async (query: string, { key } = member as { key: string }): Promise<Listed> => {
  const { status, body } = await app.request('GET', `/v1/runs?${query}`, { key })
  expect([query, status]).toEqual([query, 200])
  const { runs, cursor, hasMore } = body.data
  return { found: runs.map(({ input }: { input: unknown }) => input), cursor, hasMore }
}

const messages = [
  { role: 'user', text: 'Tell me of lighthouses.' },
  { role: 'user', parts: [{ type: 'text', text: 'And when do ferries leave?' }] },
]

beforeAll(async () => {
  await insert([
    { minute: 0, input: 'When is the HARBOUR closed?' },
    { minute: 1, input: 'Is the harbour_bar closed in winter? 100 %' },
    { minute: 2, input: messages, projectId: 'prj_other' },
    { minute: 3, input: 'Who keeps the log?' },
    {
      minute: 3,
      input: 'When is the harbour closed elsewhere?',
      organizationId: (await createMember(app)).organizationId,
    },
  ])
})

test('RUN-04 runs are found by words of what was asked, in any case and order, and as they were written', async () => {
  expect((await list('text=closed%20Harbour')).found).toEqual([
    'When is the HARBOUR closed?',
    'Is the harbour_bar closed in winter? 100 %',
  ])
  expect((await list('text=harbour_bar')).found).toHaveLength(1)
  expect((await list('text=100%20%25')).found).toHaveLength(1)
  expect((await list('text=%25')).found).toHaveLength(1)
  expect((await list('text=ferries')).found).toEqual([messages])
  expect((await list('text=lighthouses')).found).toEqual([])
  expect((await list('text=harbour&order=desc&limit=1')).found).toEqual(['Is the harbour_bar closed in winter? 100 %'])
})

test('RUN-04 runs are listed by time, project and ids', async () => {
  const range = `from=${at(1).toISOString()}&until=${at(3).toISOString()}`
  expect((await list(range)).found).toEqual(['Is the harbour_bar closed in winter? 100 %', messages])
  expect((await list(`${range}&text=winter`)).found).toHaveLength(1)
  expect((await list('projectId=prj_other')).found).toEqual([messages])
  const { body } = await app.request('GET', '/v1/runs', { key: member.key })
  const [first, , third] = body.data.runs.map(({ runId }: { runId: string }) => runId)
  expect((await list(`ids=${third},${first},run_none`)).found).toEqual(['When is the HARBOUR closed?', messages])
  for (const wrong of ['text=', `text=${'a'.repeat(201)}`, 'from=yesterday', `ids=${Array(101).fill('a')}`])
    expect((await app.request('GET', `/v1/runs?${wrong}`, { key: member.key })).status).toBe(400)
})

test('RUN-04 a search looks at a bounded number of runs and bytes for each page, and goes on from there', async () => {
  const other = await createMember(app)
  const { organizationId } = other
  const filler = Array.from({ length: maxSearched }, (_, index) => ({ minute: 10 + index, input: 'x', organizationId }))
  await insert([{ minute: 5, input: 'needle', organizationId }, ...filler])
  const first = await list('text=needle&order=desc', other)
  expect(first).toMatchObject({ found: [], hasMore: true })
  const next = await list(`text=needle&order=desc&after=${first.cursor}`, other)
  expect(next).toMatchObject({ found: ['needle'], hasMore: false })

  // Large inputs leave room for fewer runs in a page.
  const noise = () => Array.from({ length: 200_000 }, () => Math.random().toString(36).slice(2, 4)).join('')
  await insert([1, 2, 3, 4].map((n) => ({ minute: 4_000 + n, input: noise(), organizationId })))
  let page = await list('text=needle&order=desc', other)
  let pages = 1
  while (page.hasMore) {
    page = await list(`text=needle&order=desc&after=${page.cursor}`, other)
    pages += 1
  }
  expect([page.found, pages > 2]).toEqual([['needle'], true])
})

test('RUN-04 pages of a search have each run once, whatever their size', async () => {
  const { organizationId, key } = await createMember(app)
  const inputs = Array.from({ length: 25 }, (_, index) => `question ${index}`)
  await insert(inputs.map((input, index) => ({ minute: index, input, organizationId })))
  const found: string[] = []
  let query = 'text=question&limit=4'
  for (;;) {
    const page = await list(query, { key })
    found.push(...page.found)
    if (!page.hasMore) break
    query = `text=question&limit=4&after=${page.cursor}`
  }
  expect(found).toEqual(inputs)
})
