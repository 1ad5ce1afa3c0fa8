import { schemaKind } from '@noema/contracts/schema-kinds.ts'
import { expect, test } from 'vitest'
import {
  describeCondition,
  listFilterable,
  parseWhere,
  toCall,
  toConditions,
  toConditionValue,
  toWhere,
} from './record-filter.ts'

const person = schemaKind.parse({
  kind: 'person',
  fields: [
    { name: 'name', type: 'string', indexed: true },
    { name: 'born', type: 'date', indexed: true },
    { name: 'badge', type: 'integer', unique: true },
    { name: 'about', type: 'text' },
    { name: 'extra', type: 'json' },
  ],
})

test('conditions on fields convert to a query and back', () => {
  const where = { born: { gte: '1990-01-01', lt: '2000-01-01' }, name: { in: ['Ada', 'Bo'] } }
  expect(toWhere(toConditions(where))).toEqual(where)
  expect(toConditions({ name: 'Ada' })).toEqual([{ field: 'name', operator: 'eq', value: 'Ada' }])
  expect(toWhere([])).toBeUndefined()
})

test('a URL with invalid conditions has no filter', () => {
  expect([undefined, 'name', '"name"', '[1', '{"name":{"like":"A"}}'].map(parseWhere)).toEqual(Array(5).fill(undefined))
  expect(parseWhere('{"name":{"like":"A","eq":"Ada"}}')).toEqual({ name: { eq: 'Ada' } })
})

test('a list uses the list endpoint, and a query with conditions on fields', () => {
  expect(toCall({ kind: 'person' })).toEqual({ by: 'list', query: { kind: 'person' } })
  expect(toCall({ kind: 'person', where: { name: { eq: 'Ada' } } })).toEqual({
    by: 'query',
    body: { kind: 'person', where: { name: { eq: 'Ada' } } },
  })
  expect(toCall({ where: { name: { eq: 'Ada' } } })).toEqual({ by: 'list', query: {} })
  expect(toCall({ linksTo: 'hub', predicate: 'follows', asOf: 4 })).toEqual({
    by: 'list',
    query: { linksTo: 'hub', predicate: 'follows', asOf: 4 },
  })
})

test('each field can be filtered or names the reason why it cannot', () => {
  const found = listFilterable(person, ['name', 'nickname'])
  expect(found.map((one) => ('field' in one ? one.operators.length : one.why))).toEqual([
    3,
    7,
    7,
    'the schema does not index it; propose an index on the Schema page',
    'a json field cannot be indexed',
    'the schema does not declare it; promote it on the Schema page',
  ])
})

test('typed text becomes a value of the field’s type', () => {
  const [name, born, badge] = person.fields
  if (!name || !born || !badge) throw new Error('The kind has these fields.')
  expect(toConditionValue(badge, 'eq', ' 12 ')).toBe(12)
  expect(toConditionValue(badge, 'eq', 'twelve')).toBe('twelve')
  expect(toConditionValue(badge, 'in', '1, 2,')).toEqual([1, 2])
  expect(toConditionValue(name, 'in', 'Ada, Bo')).toEqual(['Ada', 'Bo'])
  expect(toConditionValue(born, 'exists', 'false')).toBe(false)
})

test('a condition reads as a sentence', () => {
  expect(describeCondition({ field: 'born', operator: 'gte', value: '1990-01-01' })).toBe('born ≥ 1990-01-01')
  expect(describeCondition({ field: 'name', operator: 'in', value: ['Ada', 'Bo'] })).toBe('name is any of Ada, Bo')
  expect(describeCondition({ field: 'name', operator: 'exists', value: false })).toBe('name has no value')
})
