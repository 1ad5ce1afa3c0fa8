import type { FieldType } from '@noema/contracts/schema-kinds.ts'
import { expect, test } from 'vitest'
import { readInput, type TypedField, toInputText, toUndeclaredField } from './field-value.ts'

const field = (type: FieldType, many = false): TypedField => ({ ...toUndeclaredField('one', undefined), type, many })

test('a value survives the round trip through its input', () => {
  const values = [
    [field('string'), 'Ada'],
    [field('text'), 'two\nlines'],
    [field('integer'), 7],
    [field('number'), 1.5],
    [field('boolean'), false],
    [field('date'), '2030-01-01'],
    [field('json'), { a: [1, 'b'] }],
    [field('json'), 'a text'],
    [field('string', true), ['a', 'b']],
    [field('integer', true), [1, 2]],
  ] as const
  for (const [typed, value] of values) {
    const text = toInputText(typed, value as Parameters<typeof toInputText>[1])
    expect(readInput(typed, text)).toEqual({ value })
  }
})

test('an empty input removes the field', () => {
  expect(readInput(field('integer'), ' ')).toEqual({ value: null })
})

test('a value of the wrong type is refused before it is sent', () => {
  expect(readInput(field('integer'), '1.5')).toEqual({ error: '1.5 is not a whole number.' })
  expect(readInput(field('number', true), '1\nx')).toEqual({ error: 'x is not a number.' })
  expect(readInput(field('json'), '{a:1}')).toEqual({ error: 'This is not JSON. Put text in double quotes.' })
})

test('an undeclared field has the type of its value', () => {
  const types = [1, true, 'short', 'l'.repeat(90), { a: 1 }, [1], undefined].map(
    (value) => toUndeclaredField('one', value).type,
  )
  expect(types).toEqual(['number', 'boolean', 'string', 'text', 'json', 'json', 'string'])
})
