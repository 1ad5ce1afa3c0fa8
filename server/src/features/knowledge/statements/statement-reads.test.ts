import { beforeAll, expect, test } from 'vitest'
import { useBrain, useOwnApp } from '../../../test/harness.ts'

const app = useOwnApp()
const brain = useBrain(app)
beforeAll(async () => {
  for (const id of ['ann', 'bob']) await brain.call('PUT', `/records/${id}`, { kind: 'person' })
})

const toSubject = (id: string) => ({ id, kind: 'person' })
const assert = async (given: object) =>
  (await brain.call('POST', '/statements', { subject: toSubject('ann'), object: { value: 1 }, ...given })).body.data
const list = async (query: string) => (await brain.call('GET', `/statements?${query}`)).body.data
const listIds = async (query: string): Promise<string[]> =>
  (await list(query)).statements.map(({ id }: { id: string }) => id)

test('D-32 a list is narrowed by subject and by predicate', async () => {
  await assert({ id: 'n1', predicate: 'likes' })
  await assert({ id: 'n2', predicate: 'owns' })
  await assert({ id: 'n3', predicate: 'likes', subject: toSubject('bob') })
  expect(await listIds('predicate=likes')).toEqual(['n1', 'n3'])
  expect(await listIds('subject=ann&predicate=likes')).toEqual(['n1'])
  expect(await listIds('subject=bob')).toEqual(['n3'])
  expect(await listIds('subject=nobody')).toEqual([])
  for (const bad of [
    'subject=',
    'predicate=',
    'retracted=perhaps',
    'validAt=now',
    'subject=%00',
    'validAt=0000-01-01T00:00:00Z',
  ])
    expect((await brain.call('GET', `/statements?${bad}`)).status, bad).toBe(400)
})

test('D-32 validAt shows what held in the world then, from validFrom up to, not including, validTo', async () => {
  const predicate = 'lives-in'
  const day = (text: string) => `${text}T00:00:00Z`
  await assert({ id: 'v-always', predicate, object: { value: 'a' } })
  await assert({ id: 'v-from', predicate, object: { value: 'b' }, validFrom: day('2024-01-01') })
  await assert({ id: 'v-to', predicate, object: { value: 'c' }, validTo: day('2024-01-01') })
  await assert({
    id: 'v-span',
    predicate,
    object: { value: 'd' },
    validFrom: day('2023-06-01'),
    validTo: day('2024-06-01'),
  })
  const at = (time: string) => listIds(`predicate=${predicate}&validAt=${encodeURIComponent(time)}`)
  expect(await at('2023-01-01T00:00:00Z')).toEqual(['v-always', 'v-to'])
  expect(await at('2023-12-31T23:59:59.999Z')).toEqual(['v-always', 'v-span', 'v-to'])
  expect(await at('2024-01-01T01:00:00+01:00')).toEqual(['v-always', 'v-from', 'v-span'])
  expect(await at('2024-06-01T00:00:00Z')).toEqual(['v-always', 'v-from'])
})

test('D-32 D-07 the clock of the world and the clock of the Brain are separate', async () => {
  const predicate = 'works-at'
  const first = await assert({ id: 'w1', predicate, object: { value: 'old' }, validTo: '2024-01-01T00:00:00Z' })
  const second = await assert({ id: 'w2', predicate, object: { value: 'new' }, validFrom: '2024-01-01T00:00:00Z' })
  const { stateVersion } = (await brain.call('DELETE', '/statements/w1')).body.data
  const seen = (asOf: number, validAt: string) => listIds(`predicate=${predicate}&asOf=${asOf}&validAt=${validAt}`)
  const [before, after] = ['2020-01-01T00:00:00Z', '2025-01-01T00:00:00Z']
  expect(await seen(first.stateVersion, before)).toEqual(['w1'])
  expect(await seen(first.stateVersion, after)).toEqual([])
  expect(await seen(second.stateVersion, after)).toEqual(['w2'])
  expect(await seen(stateVersion, before)).toEqual([])
})

test('D-07 asOf shows each statement as it was known then, live or retracted', async () => {
  const predicate = 'timeline'
  const { statement, stateVersion: asserted } = await assert({ id: 't1', predicate })
  await assert({ id: 't2', predicate, object: { value: 2 } })
  const { stateVersion: retracted } = (await brain.call('DELETE', '/statements/t1', { reason: 'no' })).body.data
  await assert({ id: 't3', predicate, object: { value: 3 } })
  const get = (query: string) => brain.call('GET', `/statements/t1?${query}`)
  expect((await get(`asOf=${asserted - 1}`)).status).toBe(404)
  for (let asOf = asserted; asOf < retracted; asOf++) {
    expect((await get(`asOf=${asOf}`)).body.data).toEqual({ statement, stateVersion: asOf })
    expect((await get(`asOf=${asOf}&retracted=true`)).status).toBe(404)
    expect(await listIds(`predicate=${predicate}&asOf=${asOf}&retracted=true`)).toEqual([])
  }
  expect(await listIds(`predicate=${predicate}&asOf=${asserted}`)).toEqual(['t1'])
  expect(await listIds(`predicate=${predicate}&asOf=${retracted - 1}`)).toEqual(['t1', 't2'])
  expect(await listIds(`predicate=${predicate}&asOf=${retracted}`)).toEqual(['t2'])
  expect(await listIds(`predicate=${predicate}&asOf=${retracted}&retracted=true`)).toEqual(['t1'])
  expect((await get(`asOf=${retracted}`)).status).toBe(404)
  const shown = (await get(`asOf=${retracted}&retracted=true`)).body.data.statement
  expect(shown.retraction).toMatchObject({ stateVersion: retracted, reason: 'no' })
  expect(await listIds(`predicate=${predicate}`)).toEqual(['t2', 't3'])
})

test('D-03 statements are read page by page, each once', async () => {
  const predicate = 'many'
  const ids = Array.from({ length: 9 }, (_, n) => `m${n}`)
  const operations = ids.map((id) => ({
    op: 'statement.assert',
    id,
    subject: toSubject('bob'),
    predicate,
    object: { value: id },
  }))
  await brain.call('POST', '/batch', { operations })
  const seen: string[] = []
  let page = await list(`predicate=${predicate}&limit=4`)
  for (;;) {
    seen.push(...page.statements.map(({ id }: { id: string }) => id))
    if (!page.hasMore) break
    page = await list(`predicate=${predicate}&limit=4&after=${page.cursor}`)
  }
  expect(seen).toEqual(ids)
})
