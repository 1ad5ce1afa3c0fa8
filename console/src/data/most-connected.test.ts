import type { BrainRecord } from '@noema/contracts/records.ts'
import type { Statement } from '@noema/contracts/statements.ts'
import { expect, test } from 'vitest'
import { chooseConnected, maxConnected } from './most-connected.ts'

const record = (id: string, ...to: string[]) =>
  ({
    ...{ id, kind: 'thing', slug: null, version: 1, fields: { name: id } },
    links: to.map((target) => ({ predicate: 'uses', to: target })),
  }) as unknown as BrainRecord

const statement = (id: string, from: string, object: object) =>
  ({ id, subject: { id: from, kind: 'thing' }, predicate: 'knows', object }) as unknown as Statement

test('the graph of a Brain starts with its most connected records, and each counts the neighbors that are left out', () => {
  const leaves = Array.from({ length: 2_000 }, (_, index) => record(`leaf-${index}`, index % 2 ? 'hub' : 'other'))
  const start = chooseConnected({
    records: [...leaves, record('hub', 'other'), record('other')],
    statements: [],
    isAll: true,
  })
  expect(start.records).toHaveLength(maxConnected)
  expect(
    start.records
      .slice(0, 2)
      .map(({ id }) => id)
      .sort(),
  ).toEqual(['hub', 'other'])
  const [hub] = start.records.filter(({ id }) => id === 'hub')
  const shown = start.relations.filter(({ to }) => to === 'hub').length
  expect(hub).toMatchObject({ hidden: 1_000 - shown, hasMore: false })
  expect(start).toMatchObject({ read: 2_002, isAll: true })
})

test('statements between records connect them, and values do not', () => {
  const statements = [
    statement('s1', 'a', { record: { id: 'b', kind: 'thing' } }),
    statement('s2', 'c', { value: 'tall' }),
  ]
  const start = chooseConnected({ records: [record('c'), record('a'), record('b')], statements, isAll: false })
  expect(start.relations).toEqual([{ type: 'statement', from: 'a', to: 'b', predicate: 'knows', statement: 's1' }])
  expect(start.records.map(({ id, hasMore }) => [id, hasMore])).toEqual([
    ['a', true],
    ['b', true],
    ['c', true],
  ])
})

test('relations to records that were not read are counted, not drawn', () => {
  const start = chooseConnected({ records: [record('a', 'far', 'a')], statements: [], isAll: false })
  expect(start.relations).toEqual([{ type: 'link', from: 'a', to: 'a', predicate: 'uses' }])
  expect(start.records[0]).toMatchObject({ id: 'a', hidden: 1 })
})
