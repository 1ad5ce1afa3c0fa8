import { expect, test } from 'vitest'
import { aboutStatement } from './statement-spans.ts'

test.each([
  ['select * from events where brain_id = $1', 'SELECT events'],
  ['insert into changes (id) select id from json_to_recordset($1) as row (id text)', 'INSERT changes'],
  [
    'with due as (select id from outbox for update skip locked) delete from outbox using due',
    'SELECT outbox DELETE outbox',
  ],
  ['insert into days (day) values ($1) on conflict (day) do update set runs = 1', 'INSERT days'],
  [`update runs set state = 'a secret' from run_parts where text like '%a secret%'`, 'UPDATE runs SELECT run_parts'],
  [`set local ivfflat.probes = 3`, 'SET'],
  ['begin', 'BEGIN'],
])('%s is described by its action and its tables, without a value', (text, summary) => {
  const { name, attributes } = aboutStatement(text)
  expect(name).toBe(summary)
  expect(attributes).toEqual({ 'db.system.name': 'postgresql', 'db.query.summary': summary })
})
