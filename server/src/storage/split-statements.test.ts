import { expect, test } from 'vitest'
import { splitStatements } from './split-statements.ts'

test('statements are split at their ends alone, not in strings, names, comments and functions', () => {
  const text = `-- First; a comment.
    create table "a;b" (c text default 'it''s; fine'); /* none; here */
    create function f() returns trigger language plpgsql as $$
    begin select 1; return null; end $$;
    update t set a = 1 - 2 / 3, b = $body$ ; $body$;;
    `
  expect(splitStatements(text)).toEqual([
    `create table "a;b" (c text default 'it''s; fine')`,
    'create function f() returns trigger language plpgsql as $$\n    begin select 1; return null; end $$',
    'update t set a = 1 - 2 / 3, b = $body$ ; $body$',
  ])
  expect(splitStatements('  ')).toEqual([])
})
