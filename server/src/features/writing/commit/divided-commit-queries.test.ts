import { expect, test } from 'vitest'
import { toRouted } from './divided-commit-queries.ts'

const route = (text: string) => toRouted({ text, values: [], isShort: false }).text

test('an insert takes its Brain from the row of the Brain, whatever its select has in parentheses', () => {
  expect(
    route(
      'insert into t as x (brain_id, a) select $1::bigint, (select b from c) from unnest($2) as row (b) on conflict do nothing',
    ),
  ).toBe(
    'insert into t as x (brain_id, a) select owner.owner_id, (select b from c) from (select brain_id as owner_id from brains where brain_id = $1::bigint) as owner cross join unnest($2) as row (b) on conflict do nothing',
  )
})

test('other statements stay as they are', () => {
  for (const text of ['update t set a = $1 where brain_id = $2', 'insert into t (brain_id) values ($1)'])
    expect(route(text)).toBe(text)
})
