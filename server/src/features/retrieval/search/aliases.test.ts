import { array, assert, asyncProperty, constantFrom } from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { addBrain, type TestBrain } from '../../../test/app.ts'
import { useApp, useMember } from '../../../test/harness.ts'
import { evolve } from '../../knowledge/schema/schema-app.fixture.ts'
import { untilIndexed } from '../lexical-index/indexed.fixture.ts'

const app = useApp()
const member = useMember(app)

type Result = { id: string; evidence: string; why: { reason: string; alias?: string }[] }

const write = async (brain: TestBrain, operations: object[]) => {
  const { status, body } = await brain.call('POST', '/batch', { operations })
  expect(status, JSON.stringify(body)).toBe(200)
}
const tool = (id: string, name: string, aliases: string[] = []) => ({
  op: 'record.put',
  id,
  kind: 'tool',
  fields: { name, aliases },
})
const search = async (brain: TestBrain, query: Record<string, string>): Promise<Result[]> => {
  const { status, body } = await brain.call('GET', `/search?${new URLSearchParams(query)}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data.results
}
const listAliases = (results: readonly Result[]) =>
  results.flatMap(({ id, why }) => why.flatMap(({ alias }) => (alias === undefined ? [] : `${id}: ${alias}`)))

const aliases = { name: 'aliases', type: 'string', many: true, alias: true }
const declare = (brain: TestBrain) =>
  evolve(brain, { op: 'addKind', kind: 'tool', fields: [{ name: 'name', type: 'string' }, aliases] })

let brain: TestBrain
beforeAll(async () => {
  brain = await addBrain(app, member, 'tools')
  await declare(brain)
  await write(brain, [
    tool('kubernetes', 'Kubernetes', ['kube', 'K8s', 'Große Küche']),
    tool('city', 'New York City', ['Big Apple']),
    ...Array.from({ length: 33 }, (_, at) => tool(`tool-${at}`, `Tool number ${at}`, [`t${at}`])),
    ...Array.from({ length: 90 }, (_, at) => ({
      op: 'document.put',
      id: `note-${at}`,
      text: `kube kube kube and the apple, note ${at}`,
    })),
  ])
})

test('QRY-07 a query that is an alias finds its record first, with strong evidence, and says so', async () => {
  for (const isIndexed of [false, true]) {
    if (isIndexed) await untilIndexed(app, brain)
    for (const [q, alias] of [
      ['kube', 'kube'],
      ['k8s', 'K8s'],
      ['grosse kuche', 'Große Küche'],
    ] as const) {
      const [first] = await search(brain, { q })
      expect(first).toMatchObject({ id: 'kubernetes', evidence: 'strong' })
      expect(first?.why).toContainEqual({ reason: 'alias', alias })
    }
    // Within a longer query it counts as far as the query is this name.
    expect(listAliases(await search(brain, { q: 'what runs in kube?' }))).toEqual(['kubernetes: kube'])
    expect(listAliases(await search(brain, { q: 'kube', mode: 'lexical' }))).toEqual(['kubernetes: kube'])
  }
})

test('QRY-07 only the whole value of a declared field is an alias, and filters apply', async () => {
  expect(listAliases(await search(brain, { q: 'apple' }))).toEqual([])
  expect(listAliases(await search(brain, { q: 'apple big' }))).toEqual([])
  expect(listAliases(await search(brain, { q: 'the big apple' }))).toEqual(['city: Big Apple'])
  expect(listAliases(await search(brain, { q: 'kubernetes' }))).toEqual([])
  expect(listAliases(await search(brain, { q: 'kube', types: 'document' }))).toEqual([])
  expect(listAliases(await search(brain, { q: 'kube', asOf: '1' }))).toEqual([])
  const other = await addBrain(app, member, 'undeclared-tools')
  await write(other, [tool('kubernetes', 'Kubernetes', ['kube'])])
  expect(listAliases(await search(other, { q: 'kube' }))).toEqual([])
})

test('QRY-07 a declaration works at once for records that are there, and ends with the field', async () => {
  const late = await addBrain(app, member, 'late-aliases')
  await write(late, [tool('kubernetes', 'Kubernetes', ['kube']), tool('other', 'Other')])
  await untilIndexed(app, late)
  await declare(late)
  expect(listAliases(await search(late, { q: 'kube' }))).toEqual(['kubernetes: kube'])
  await evolve(late, { op: 'setField', kind: 'tool', field: { ...aliases, alias: false } })
  expect(listAliases(await search(late, { q: 'kube' }))).toEqual([])
})

test('QRY-07 an alias is text, and a schema that says otherwise is refused', async () => {
  const operations = [{ op: 'addKind', kind: 'odd', fields: [{ name: 'n', type: 'integer', alias: true }] }]
  const { body: read } = await brain.call('GET', '/schema')
  const { status, body } = await brain.call('POST', '/schema/evolve', {
    baseVersion: read.data.schema.schemaVersion,
    operations,
  })
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('Only a string or a text')])
})

test('QRY-07 of any names and query, exactly the records whose whole alias is in the query say so', async () => {
  const words = array(constantFrom('red', 'fox', 'ox', 'blue'), { minLength: 1, maxLength: 3 }).map((some) =>
    some.join(' '),
  )
  let count = 0
  await assert(
    asyncProperty(array(words, { minLength: 1, maxLength: 6 }), words, async (names, q) => {
      const any = await addBrain(app, member, `any-aliases-${count++}`)
      await declare(any)
      await write(
        any,
        names.map((name, at) => tool(`r${at}`, `Record ${at}`, [name])),
      )
      const expected = names.flatMap((name, at) => (` ${q} `.includes(` ${name} `) ? `r${at}: ${name}` : []))
      expect(listAliases(await search(any, { q, mode: 'lexical' })).toSorted()).toEqual(expected.toSorted())
    }),
    { numRuns: 10 },
  )
})
