import { expect, test } from 'vitest'
import { createClient } from './client.ts'
import { startScriptedServer } from './test/scripted-server.ts'

const pages = [
  { data: { records: [{ id: 'a' }, { id: 'b' }], cursor: 'c2', hasMore: true } },
  { data: { records: [], cursor: 'c3', hasMore: true } },
  { data: { records: [{ id: 'c' }], cursor: 'c4', hasMore: false } },
]

const listRecords = async (script: Parameters<typeof startScriptedServer>[0]) => {
  const { url, requests } = await startScriptedServer(script)
  return { records: createClient({ baseUrl: url }).brain('crm').records, requests }
}

test('iterating a list gives every item over all pages, with the query of the first, past an empty page', async () => {
  const { records, requests } = await listRecords([...pages])
  const ids: string[] = []
  for await (const record of records.list({ kind: 'person', limit: 2 })) ids.push(record.id)
  expect(ids).toEqual(['a', 'b', 'c'])
  expect(requests.map(({ url }) => url.split('?')[1])).toEqual([
    'kind=person&limit=2',
    'kind=person&limit=2&after=c2',
    'kind=person&limit=2&after=c3',
  ])
})

test('a query, whose page is requested in the body, is iterated like a list', async () => {
  const { url, requests } = await startScriptedServer([...pages])
  const ids: string[] = []
  const query = { kind: 'person', where: { slug: 'ada' } }
  for await (const record of createClient({ baseUrl: url }).brain('crm').query(query)) ids.push(record.id)
  expect(ids).toEqual(['a', 'b', 'c'])
  expect(requests.map(({ body }) => JSON.parse(body))).toEqual([
    query,
    { ...query, after: 'c2' },
    { ...query, after: 'c3' },
  ])
})

test('the next page is fetched only when it is needed', async () => {
  const { records, requests } = await listRecords([...pages])
  for await (const record of records.list()) {
    expect(requests).toHaveLength(1)
    if (record.id === 'b') break
  }
  expect(requests).toHaveLength(1)
})

test('awaiting a list gives one page', async () => {
  const { records, requests } = await listRecords([...pages])
  expect(await records.list()).toEqual(pages[0]?.data)
  expect(requests).toHaveLength(1)
})

test('a failing page ends the iteration with its error', async () => {
  const { records } = await listRecords([
    pages[0] ?? 'break',
    { status: 409, error: { kind: 'conflict', message: 'Gone.' } },
  ])
  const read = async () => {
    for await (const _ of records.list());
  }
  await expect(read()).rejects.toThrow('Gone.')
})

test('a service that answers the same page again is an error, not an endless loop', async () => {
  const { records } = await listRecords(() => ({ data: { records: [], cursor: 'c1', hasMore: true } }))
  const read = async () => {
    for await (const _ of records.list());
  }
  await expect(read()).rejects.toThrow('same page again')
})
