import { expect, test } from 'vitest'
import { ApiError } from '../../../shared/errors.ts'
import { checkOutput, checkOutputSchema, findOutputProblems } from './output-schema.ts'

const person = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1 },
    age: { type: ['integer', 'null'], minimum: 0 },
    friends: { type: 'array', items: { $ref: '#/$defs/friend' }, maxItems: 2 },
  },
  required: ['name'],
  additionalProperties: false,
  $defs: { friend: { type: 'object', properties: { of: { type: 'array', items: { $ref: '#/$defs/friend' } } } } },
}

const nested = (depth: number): { [name: string]: unknown } =>
  depth === 0 ? { type: 'string' } : { type: 'object', properties: { a: nested(depth - 1) } }

const doubling = Object.fromEntries(
  Array.from({ length: 40 }, (_, n) => [
    `d${n}`,
    n === 39 ? { type: 'object' } : { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
  ]),
)

test('D-71 an output is checked by its schema, and each problem has its path', () => {
  checkOutputSchema(person)
  expect(findOutputProblems(person, { name: 'Ada', age: null, friends: [{ of: [{}] }] })).toEqual([])
  const problems = findOutputProblems(person, { name: '', age: -1, friends: [{}, {}, {}], more: 1 })
  expect(problems.map(({ path }) => path)).toEqual(expect.arrayContaining([['name'], ['age'], ['friends']]))
  expect(findOutputProblems(person, { age: 3 }).map(({ path }) => path)).toEqual([['name']])
  expect(findOutputProblems(person, { name: 'Ada', friends: [{ of: [3] }] })).toHaveLength(1)
})

const strings = { type: 'string' }
const incomplete = [
  { what: 'a required property without a schema', rule: { required: ['b'] }, right: { b: null }, wrong: { a: 1 } },
  {
    ...{ what: 'a required property of a choice', rule: { anyOf: [{ type: 'object', required: ['b'] }] } },
    ...{ right: { b: 1 }, wrong: {} },
  },
  {
    ...{ what: 'a required property among further ones', rule: { required: ['b'], additionalProperties: strings } },
    ...{ right: { b: 'x' }, wrong: { a: 'x' } },
  },
  {
    what: 'the length of a list without items',
    ...{
      rule: { properties: { a: { type: ['array', 'null'], minItems: 2 } } },
      right: { a: [1, 'x'] },
      wrong: { a: [1] },
    },
  },
  {
    what: 'a list with the schemas of its first items',
    ...{
      rule: { properties: { a: { type: 'array', prefixItems: [strings] } } },
      right: { a: ['x', 2] },
      wrong: { a: [1] },
    },
  },
]

test.each(incomplete)('D-71 $what is checked', ({ rule, right, wrong }) => {
  const schema = { type: 'object', ...rule }
  checkOutputSchema(schema)
  expect(findOutputProblems(schema, right)).toEqual([])
  expect(findOutputProblems(schema, wrong)).toHaveLength(1)
})

test.each([
  ['an output that is no object', { type: 'array' }],
  ['an unknown keyword', { type: 'object', if: {} }],
  ['a remote reference', { type: 'object', properties: { a: { $ref: 'https://example.com/schema' } } }],
  ['a reference to nothing', { type: 'object', properties: { a: { $ref: '#/$defs/a' } } }],
  [
    'a reference that leads to itself',
    { type: 'object', allOf: [{ $ref: '#/$defs/a' }], $defs: { a: { $ref: '#/$defs/a' } } },
  ],
  ['a schema that is no object', { type: 'object', properties: { a: 'string' } }],
  ['a value of another kind', { type: 'object', properties: { a: { type: 'string', minLength: 'x' } } }],
  ['an unknown type', { type: 'object', properties: { a: { type: 'text' } } }],
  ['a broken pattern', { type: 'object', properties: { a: { type: 'string', pattern: '(' } } }],
  ['a rule without a type', { type: 'object', properties: { a: { minimum: 3 } } }],
  ['too deep a schema', nested(40)],
  ['too large a schema', { type: 'object', description: 'x'.repeat(70_000) }],
])('D-71 %s is refused with what to do', (_case, schema) => {
  expect(() => checkOutputSchema(schema)).toThrow(ApiError)
})

test('D-71 a pattern that never ends, and a schema that asks for ever more, take no time from others', () => {
  const slow = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } }
  checkOutputSchema(slow)
  const text = JSON.stringify({ a: `${'a'.repeat(60)}b` })
  // Time of a processor: a machine on which others work takes longer, and not from them.
  const check = checkOutput({ schema: slow, text, milliseconds: 100 })
  expect(check.checked).toBeUndefined()
  expect(check.milliseconds).toBeLessThan(1_000)
  expect(checkOutput({ schema: slow, text: '```json\n{"a":"aaa"}\n```', milliseconds: 100 }).checked).toEqual({
    output: { a: 'aaa' },
  })
  const begin = process.threadCpuUsage()
  const wide = { type: 'object', allOf: [{ $ref: '#/$defs/d0' }], $defs: doubling }
  try {
    checkOutputSchema(wide)
    checkOutput({ schema: wide, text: '{}', milliseconds: 100 })
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError)
  }
  const { user, system } = process.threadCpuUsage(begin)
  expect((user + system) / 1_000).toBeLessThan(2_000)
})
