import { expect, test } from 'vitest'
import { toBody } from './commit-function-queries.ts'
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

test('the function of commits moves the Brain and writes each row by a statement with its key', () => {
  const body = toBody('update brains set position = $1 where brain_id = $2 returning brain_id', [
    {
      text: 'update t as version set a = ended.a from json_to_recordset($1::json) as ended (id text, a text) where version.brain_id = $2::bigint and version.id = ended.id',
      types: ['json', 'bigint'],
    },
    {
      text: 'insert into t as x (brain_id, o, a) select $1::bigint, (select organization_id from brains where brain_id = $1::bigint), a from unnest($2::text[]) as row (a) on conflict (a) do update set a = excluded.a',
      types: ['bigint', 'text[]'],
    },
  ])
  const lines = body.split('\n').map((line) => line.replace(/\s+/g, ' ').trim())
  expect(lines.slice(5)).toEqual([
    'update brains set position = move_1 where brain_id = brain_number returning organization_id into organization;',
    "if not found then raise exception 'The Brain is not as the batch found it.'; end if;",
    'if part_0 is not null then',
    'for ended in select * from json_to_recordset((part_0[1])::json::json) as ended (id text, a text) loop',
    'update t as version set a = ended.a where version.brain_id = brain_number::bigint and version.id = ended.id;',
    'end loop;',
    'end if;',
    'if part_1 is not null then',
    'for made in select * from (select brain_number::bigint, organization, a from unnest((part_1[2])::text[]::text[]) as row (a) ) as made (brain_id, o, a) loop',
    'insert into t as x (brain_id, o, a) values (made.brain_id, made.o, made.a) on conflict (a) do update set a = excluded.a;',
    'end loop;',
    'end if;',
    'end',
  ])
})
