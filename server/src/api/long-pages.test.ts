import { randomBytes } from 'node:crypto'
import { maxPageBytes } from '@noema/contracts/common.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { leaveFor } from '../features/retrieval/receipts/receipt.fixture.ts'
import { addBrain, type TestBrain } from '../test/app.ts'
import { useMember, useOwnApp } from '../test/harness.ts'

// Pages of items of megabytes (D-03): each ends before 16 MiB, with one item at least, and all together are the list.

// Records of earlier releases may have so much.
const app = useOwnApp({ NOEMA_ROLES: 'http', NOEMA_MAX_RECORD_BYTES: '16777216', NOEMA_MAX_RECORD_FIELDS: '50000' })
const member = useMember(app)
const numbers = [0, 1, 2]
const mebibyte = 1024 * 1024

// Texts that hardly take any room at rest, and texts that take all of theirs.
const repeated = 'word '.repeat((6 * mebibyte) / 5)
const random = () => randomBytes(4 * mebibyte).toString('base64')

const write = async (brain: TestBrain, operation: object) => {
  const answer = await brain.call('POST', '/batch', { operations: [operation] })
  if (answer.status >= 300) throw new Error(JSON.stringify(answer.body))
}

/** The label of an item: its values that are short. */
const toLabel = (item: Record<string, unknown>): string =>
  JSON.stringify(Object.entries(item).filter(([, value]) => typeof value !== 'object' && String(value).length < 200))

const readPage = async (brain: TestBrain, path: string, query: Record<string, string | number>) => {
  const isBody = path === '/query'
  const parameters = new URLSearchParams(
    Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
  )
  const response = await fetch(app.base + brain.path + path + (isBody ? '' : `?${parameters}`), {
    headers: { authorization: `Bearer ${brain.key}`, 'content-type': 'application/json' },
    ...(isBody ? { method: 'POST', body: JSON.stringify({ kind: 'thing', ...query }) } : {}),
  })
  const text = await response.text()
  expect(response.status, text.slice(0, 500)).toBe(200)
  const { data } = JSON.parse(text)
  const items = Object.values<Record<string, unknown>[]>(data).find(Array.isArray) ?? []
  expect(items.length).toBeGreaterThan(0)
  expect(items.length === 1 || Buffer.byteLength(text) < maxPageBytes).toBe(true)
  return { items: items.map(toLabel), ...data }
}

/** A list as its pages have it, and how many there were. */
const readAll = async (brain: TestBrain, path: string, { order, limit }: { order: 'asc' | 'desc'; limit: number }) => {
  const items: string[] = []
  let after: { after?: string } = {}
  for (let pages = 1; ; pages++) {
    const page = await readPage(brain, path, { limit, order, ...after })
    items.push(...page.items)
    if (!page.hasMore) return { items, pages }
    after = { after: page.cursor }
  }
}

const expectWhole = async (brain: TestBrain, path: string, count: number) => {
  const forwards = await readAll(brain, path, { order: 'asc', limit: 500 })
  expect(forwards.items).toHaveLength(count)
  expect(forwards.pages).toBeGreaterThan(1)
  // A page of so few items could be a small one.
  const backwards = await readAll(brain, path, { order: 'desc', limit: 100 })
  expect(backwards.items).toEqual(forwards.items.toReversed())
}

describe('with texts that are compressed at rest', () => {
  let brain: TestBrain
  beforeAll(async () => {
    brain = await addBrain(app, member, 'repeated')
    const subject = { id: 'r', kind: 'thing' }
    for (const number of numbers) {
      const fields = { number, text: repeated }
      await write(brain, { op: 'record.put', id: `r${number}`, kind: 'thing', fields })
      await write(brain, { op: 'record.put', id: 'r', kind: 'thing', fields })
      const object = { value: repeated + number }
      await write(brain, { op: 'statement.assert', id: `s${number}`, subject, predicate: 'says', object })
      await write(brain, { op: 'document.put', id: `d${number}`, text: 'short', metadata: fields })
      await write(brain, { op: 'document.put', id: 'd', text: `short ${number}`, metadata: fields })
      const names = Array.from({ length: 50_000 }, (_, name) => [`${'name'.repeat(25)}${number}${name}`, 1])
      await write(brain, { op: 'record.put', id: 'names', kind: 'list', fields: Object.fromEntries(names) })
    }
  })

  test.each([
    ['/records', 5],
    ['/records/r/history', 3],
    ['/statements', 3],
    ['/documents', 4],
    ['/documents/d/versions', 3],
    ['/query', 4],
  ])('D-03 pages of %s end before 16 MiB', (path, count) => expectWhole(brain, path, count))

  test('D-03 EVT-01 pages of events end before 16 MiB', async () => {
    const { body } = await brain.call('GET', '/events?limit=500')
    expect(body.data).toMatchObject({ hasMore: true })
    const rest = await brain.call('GET', `/events?limit=500&after=${body.data.cursor}`)
    expect(rest.body.data).toMatchObject({ hasMore: false })
    expect(body.data.events.length + rest.body.data.events.length).toBe(18)
    const typed = await brain.call('GET', '/events?limit=500&types=record.accepted')
    expect(typed.body.data).toMatchObject({ hasMore: true })
  })
})

test('D-03 D-53 pages of receipts end where what they served would be too much', async () => {
  const brain = await addBrain(app, member, 'receipts')
  const records = Array.from({ length: 30_000 }, (_, number) => ({ id: `r${number}`, version: 1 }))
  for (const _ of numbers) await leaveFor(app, brain, { records })
  await expectWhole(brain, '/receipts', 3)
})

describe('with texts that are not', () => {
  let brain: TestBrain
  beforeAll(async () => {
    brain = await addBrain(app, member, 'random')
    for (const number of numbers)
      await write(brain, { op: 'record.put', id: `r${number}`, kind: 'thing', fields: { text: random() } })
    await brain.call('PATCH', '', { mode: 'review' })
    for (const number of numbers)
      await write(brain, { op: 'record.put', id: `r${number}`, kind: 'thing', fields: { text: random() } })
  })

  test('D-03 pages of records end before 16 MiB', () => expectWhole(brain, '/records', 3))
  test('D-40 a change shows its items up to 16 MiB, and names those that it leaves out', async () => {
    const operations = numbers.map((number) => ({ op: 'record.patch', id: `r${number}`, fields: { number } }))
    const { body } = await brain.call('POST', '/batch', { operations })
    const shown = await brain.call('GET', `/changes/${body.data.change.id}`)
    expect(shown.status).toBe(200)
    const { items, outdated, conflicts } = shown.body.data.change
    expect({ outdated, conflicts }).toEqual({ outdated: false, conflicts: [] })
    const [first, ...others] = items
    expect(first.after.fields.number).toBe(0)
    expect(first.cut).toBeUndefined()
    expect(others).toMatchObject([
      { before: null, after: null, cut: true },
      { before: null, after: null, cut: true },
    ])
    expect(Buffer.byteLength(JSON.stringify(shown.body))).toBeLessThan(maxPageBytes)
    await brain.call('POST', `/changes/${body.data.change.id}/decide`, { decision: 'rejected' })
  })

  test('D-03 pages of changes open no more than fits', () => expectWhole(brain, '/changes', 7))
})
