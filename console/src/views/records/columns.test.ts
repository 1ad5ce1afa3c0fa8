import type { BrainRecord } from '@noema/contracts/records.ts'
import { schemaKind } from '@noema/contracts/schema-kinds.ts'
import { expect, test } from 'vitest'
import { toCellText, toRecordName } from '../../data/record-text.ts'
import { chooseColumns, listFieldColumns } from './columns.ts'

const record = (fields: BrainRecord['fields']): BrainRecord => ({
  ...{
    id: 'r1',
    kind: 'person',
    slug: null,
    links: [],
    version: 1,
    stateVersion: 1,
    provenance: { change: 'c', key: 'k' },
  },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
  fields,
})

const kind = schemaKind.parse({
  kind: 'person',
  fields: [
    { name: 'about', type: 'text' },
    { name: 'name', type: 'string' },
    { name: 'age', type: 'integer' },
  ],
})

test('columns are the declared fields, then undeclared ones', () => {
  const columns = listFieldColumns(kind, [record({ name: 'Ada', nickname: 'A', height: 1.7 })])
  expect(columns.map(({ name, isDeclared, isNumber }) => [name, isDeclared, isNumber])).toEqual([
    ['about', true, false],
    ['name', true, false],
    ['age', true, true],
    ['nickname', false, false],
    ['height', false, true],
  ])
})

test('by default, short fields come before long texts, without the field that names the record; chosen columns keep their order', () => {
  const columns = listFieldColumns(kind, [record({ nickname: 'A' })])
  expect(chooseColumns(columns, undefined).map(({ name }) => name)).toEqual(['age', 'nickname', 'about'])
  expect(chooseColumns(columns, ['nickname', 'gone', 'name']).map(({ name }) => name)).toEqual(['nickname', 'name'])
})

test('a value of any type is one line of text', () => {
  expect([undefined, null, 'a', 1, true, ['a', 'b'], { a: 1 }, [{ a: 1 }]].map(toCellText)).toEqual([
    ...['', '', 'a', '1', 'true', 'a, b'],
    ...['{"a":1}', '[{"a":1}]'],
  ])
})

test('the name of a record is a naming field, its slug or its id', () => {
  expect(toRecordName(record({ title: ' ', name: 'Ada' }))).toBe('Ada')
  expect(toRecordName({ ...record({}), slug: 'ada' })).toBe('ada')
  expect(toRecordName(record({ name: 3 }))).toBe('r1')
})
