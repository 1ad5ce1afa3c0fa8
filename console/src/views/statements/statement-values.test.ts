import { expect, test } from 'vitest'
import { emptyStatement, toStatement } from './statement-values.ts'

const ada = { id: 'ada', kind: 'person' }

test('a statement has what was given: a record or a value, days as times, percent as a share, and a quote', () => {
  const values = { ...emptyStatement(ada, ' knows '), object: { id: 'bo', kind: 'person' } }
  expect(toStatement(values)).toEqual({
    subject: ada,
    predicate: 'knows',
    object: { record: { id: 'bo', kind: 'person' } },
  })
  const more = {
    validFrom: '2026-01-31',
    validTo: '2027-01-31',
    confidence: '80',
    document: 'notes',
    quote: ' She does. ',
  }
  expect(toStatement({ ...values, objectType: 'value', value: 'French', ...more })).toEqual({
    ...{ subject: ada, predicate: 'knows', object: { value: 'French' }, confidence: 0.8 },
    ...{ validFrom: '2026-01-31T00:00:00.000Z', validTo: '2027-01-31T00:00:00.000Z' },
    sources: [{ document: 'notes', quote: 'She does.' }],
  })
})

test('a value is what it is as JSON, and else a text; what is missing is named at its field', () => {
  const read = (value: string) => toStatement({ ...emptyStatement(ada, 'p'), objectType: 'value', value }).object
  expect(['42', 'true', '"42"', '{"a":1}', 'on hold'].map(read)).toEqual(
    [42, true, '42', { a: 1 }, 'on hold'].map((value) => ({ value })),
  )
  expect(() => read(' ')).toThrow('Write the value.')
  expect(() => toStatement(emptyStatement(undefined, 'p'))).toThrow('about')
  expect(() => toStatement(emptyStatement(ada, 'p'))).toThrow('Choose the record.')
  expect(() => toStatement({ ...emptyStatement(ada, 'p'), object: ada, quote: 'words' })).toThrow('quoted')
})
