import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { defineStatement, toBoundStatement } from './statements.ts'

type Requested = { brainId: number; after: string | undefined; order: 'asc' | 'desc' }
const listed = defineStatement<Requested, { id: string }>(
  ({ brainId, after, order }) => sql`
    select id from items where brain_id = ${brainId} ${after === undefined ? sql`` : sql`and id > ${after}`}
      and parent = ${brainId} order by id ${order === 'desc' ? sql`desc` : sql``}`,
  { optional: ['after'], fixed: { order: ['asc', 'desc'] } },
)
const normalize = (text: string) => text.replace(/\s+/g, ' ').trim()

test('a statement has one text for each variant, and sends each value once', () => {
  const first = listed({ brainId: 1, after: undefined, order: 'asc' })
  expect(normalize(first.text)).toBe('select id from items where brain_id = $1 and parent = $1 order by id')
  expect(first.values).toEqual(['1'])
  const next = listed({ brainId: 2, after: 'x', order: 'desc' })
  expect(normalize(next.text)).toBe(
    'select id from items where brain_id = $1 and id > $2 and parent = $1 order by id desc',
  )
  expect(next.values).toEqual(['2', 'x'])
  expect(listed({ brainId: 3, after: 'y', order: 'desc' }).text).toBe(next.text)
})

test('the text is compiled once, however often the statement runs', () => {
  let built = 0
  const counted = defineStatement<{ id: string }, object>(({ id }) => {
    built++
    return sql`select ${id}`
  })
  for (const id of ['a', 'b', 'c']) expect(counted({ id }).values).toEqual([id])
  expect(built).toBe(1)
})

test('a value that is not known when the statement is defined cannot be computed with', () => {
  const wrong = defineStatement<{ limit: number }, object>(({ limit }) => sql`select ${limit + 1}`)
  expect(() => wrong({ limit: 1 })).toThrow('The value of limit is not known when the statement is defined')
})

test('values are sent as PostgreSQL reads them', () => {
  const at = new Date('2026-01-02T03:04:05.678Z')
  const bytes = Buffer.from([1, 2])
  const texts = ['a', 'b "c" \\', null]
  const { values } = toBoundStatement(sql<object>`select ${1}, ${true}, ${null}, ${at}, ${bytes}, ${texts}, ${'text'}`)
  expect(values).toEqual(['1', 'true', null, at.toISOString(), bytes, '{"a","b \\"c\\" \\\\",NULL}', 'text'])
})
