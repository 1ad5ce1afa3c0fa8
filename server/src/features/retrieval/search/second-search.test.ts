import { array, assert, asyncProperty, constantFrom, record } from 'fast-check'
import { expect, test } from 'vitest'
import { addBrain, type TestBrain } from '../../../test/app.ts'
import { useApp, useMember } from '../../../test/harness.ts'
import { untilIndexed } from '../lexical-index/indexed.fixture.ts'

const app = useApp()
const member = useMember(app)

type Linked = { reason: 'linked'; names: string[]; from?: { type: string; id: string } }
type Result = { type: string; id: string; score: number; evidence: string; why: ({ reason: string } | Linked)[] }

const write = async (brain: TestBrain, operations: object[]) => {
  const { status, body } = await brain.call('POST', '/batch', { operations })
  expect(status, JSON.stringify(body)).toBe(200)
}
const document = (id: string, text: string, rest: object = {}) => ({ op: 'document.put', id, text, ...rest })
const filler = Array.from({ length: 30 }, (_, at) => document(`filler-${at}`, `Note ${at}: nothing happened today.`))

const search = async (brain: TestBrain, query: Record<string, string>) => {
  const { status, body } = await brain.call('GET', `/search?${new URLSearchParams(query)}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data as { results: Result[]; receipt: string }
}
const findLink = ({ why }: Result): Linked | undefined => why.find((one): one is Linked => one.reason === 'linked')
const listLinks = ({ results }: { results: Result[] }) =>
  results.flatMap((result) => {
    const link = findLink(result)
    return link ? [{ id: result.id, from: link.from?.id, names: link.names }] : []
  })

const question = 'Which mayor runs the city where the Zephyr kite was invented?'
const chain = [
  document('kite', 'The Zephyr kite was invented in Porto Velho by two sisters.', { title: 'Zephyr kite' }),
  document('town', 'Porto Velho lies on a river. Its mayor is elected every four years.', { title: 'Porto Velho' }),
]
const expected = [{ id: 'town', from: 'kite', names: ['Porto Velho'] }]

test('QRY-06 a question that the best result does not cover is followed to the text that its names lead to', async () => {
  const brain = await addBrain(app, member, 'hops')
  await write(brain, [...filler, ...chain])
  for (const isIndexed of [false, true]) {
    if (isIndexed) await untilIndexed(app, brain)
    const found = await search(brain, { q: question })
    expect(found.results.slice(0, 2).map(({ id }) => id)).toEqual(['kite', 'town'])
    expect(listLinks(found)).toEqual(expected)
    const { served } = (await brain.call('GET', `/receipts/${found.receipt}`)).body.data.receipt
    expect(served.documents.map(({ id }: Result) => id).toSorted()).toEqual(
      found.results.map(({ id }) => id).toSorted(),
    )
    // Only a search by words and meaning looks further, and only where words are missing.
    expect(listLinks(await search(brain, { q: question, mode: 'lexical' }))).toEqual([])
    expect(listLinks(await search(brain, { q: 'Zephyr kite invented' }))).toEqual([])
    expect(listLinks(await search(brain, { q: question, limit: '1' }))).toEqual([])
  }
})

test('QRY-06 a context shows what the second search found', async () => {
  const brain = await addBrain(app, member, 'hop-context')
  await write(brain, [...filler, ...chain])
  const { body } = await brain.call('POST', '/context', { query: question, budget: { tokens: 2_000 } })
  expect(body.data.items.map(({ id }: Result) => id)).toEqual(expect.arrayContaining(['kite', 'town']))
  const { receipt } = (await brain.call('GET', `/receipts/${body.data.receipt}`)).body.data
  expect(receipt.served.documents).toHaveLength(body.data.items.length)
})

test('QRY-06 links of records and statements lead on, also where no name does', async () => {
  const brain = await addBrain(app, member, 'hop-links')
  await write(brain, [
    ...filler,
    { op: 'record.put', id: 'r-crew', kind: 'crew', fields: { label: 'night crew', telephone: '555 0100' } },
    {
      op: 'record.put',
      id: 'r-pump',
      kind: 'machine',
      fields: { name: 'pump seven' },
      links: [{ predicate: 'servicedBy', to: 'r-crew' }],
    },
  ])
  for (const isIndexed of [false, true]) {
    if (isIndexed) await untilIndexed(app, brain)
    const found = await search(brain, { q: 'telephone of those who serviced pump seven yesterday' })
    expect(listLinks(found)).toContainEqual({ id: 'r-crew', from: 'r-pump', names: [] })
  }
})

test('QRY-06 the second search keeps the filters and the state of the first', async () => {
  const brain = await addBrain(app, member, 'hop-filters')
  await write(brain, [...filler, ...chain.slice(0, 1)])
  const before = (await search(brain, { q: question })) as unknown as { stateVersion: number }
  await write(brain, [{ ...chain[1], provenance: { source: 'atlas' } }])
  for (const isIndexed of [false, true]) {
    if (isIndexed) await untilIndexed(app, brain)
    expect(listLinks(await search(brain, { q: question }))).toEqual(expected)
    expect(listLinks(await search(brain, { q: question, asOf: String(before.stateVersion) }))).toEqual([])
    expect(listLinks(await search(brain, { q: question, types: 'record' }))).toEqual([])
    expect((await search(brain, { q: question, source: 'atlas' })).results.map(({ id }) => id)).toEqual(['town'])
  }
  await brain.call('DELETE', '/documents/town')
  expect((await search(brain, { q: question })).results.map(({ id }) => id)).not.toContain('town')
})

test('QRY-06 a corpus is followed from one Brain to another that the caller may read', async () => {
  const [north, south] = [await addBrain(app, member, 'hop-north'), await addBrain(app, member, 'hop-south')]
  await write(north, [...filler, ...chain.slice(0, 1)])
  await write(south, [...filler, ...chain.slice(1)])
  const parts = [{ brain: 'hop-north' }, { brain: 'hop-south' }]
  const { key } = member
  expect((await app.request('PUT', '/v1/corpora/hops', { key, body: { parts } })).status).toBeLessThan(300)
  const { body } = await app.request('POST', '/v1/corpora/hops/search', { key, body: { q: question } })
  expect(listLinks(body.data)).toEqual(expected)
})

test('QRY-06 of any linked results, each is found once, by names that both have, behind the result that leads to it', async () => {
  const names = ['Porto Velho', 'Ada Stern', 'Zephyr', 'Nova Mill', 'Karl Ost']
  const text = record({
    subject: constantFrom(...names),
    other: constantFrom(...names),
    word: constantFrom('mayor', 'river', 'kite'),
  })
  let count = 0
  await assert(
    asyncProperty(array(text, { minLength: 3, maxLength: 12 }), constantFrom('3', '10'), async (texts, limit) => {
      const brain = await addBrain(app, member, `hop-any-${count++}`)
      const written = texts.map(({ subject, other, word }, at) =>
        document(`d${at}`, `${subject} knows the ${word} of ${other}.`),
      )
      await write(brain, [...filler, ...written])
      const { results } = await search(brain, { q: 'which harbor mayor knows Zephyr and the weather', limit })
      expect(new Set(results.map(({ id }) => id)).size).toBe(results.length)
      expect(results.map(({ score }) => score)).toEqual(results.map(({ score }) => score).toSorted((a, b) => b - a))
      const contents = new Map(written.map(({ id, text: content }) => [id, content]))
      for (const [at, result] of results.entries()) {
        const link = findLink(result)
        if (!link?.from) continue
        const from = results.findIndex(({ id }) => id === link.from?.id)
        expect(from).toBeGreaterThanOrEqual(0)
        expect(from).toBeLessThan(at)
        for (const name of link.names)
          for (const id of [result.id, link.from.id]) expect(contents.get(id)).toContain(name)
      }
    }),
    { numRuns: 12 },
  )
})
