import type pg from 'pg'

// Rows in every table of some list, whatever columns it has: equal values in all tables, so that references between them hold.

type Column = { name: string; type: string; isArray: boolean }

const values: Record<string, string> = {
  boolean: 'false',
  bytea: `'\\x01'`,
  integer: '1',
  bigint: '1',
  smallint: '1',
  real: '1',
  'double precision': '1',
  date: `'2026-01-01'`,
  json: `'{"a": 1}'`,
  jsonb: `'{"a": 1}'`,
  text: `'x'`,
  uuid: `'00000000-0000-0000-0000-000000000001'`,
  'timestamp with time zone': `'2026-01-01T00:00:00Z'`,
}

/** Values of columns that take only some words. */
const words: Record<string, string> = {
  application: 'blocked',
  availability: 'active',
  decision: 'pending',
  mode: 'direct',
  op: 'add',
  status: 'open',
  step: 'build',
  type: 'record',
}

/** A value for a column: the Brain's number in `brain_id`. */
const toValue = ({ name, type, isArray }: Column, brain: number): string => {
  if (name === 'brain_id') return String(brain)
  if (isArray) return `'{}'`
  if (type === 'text' && words[name]) return `'${words[name]}'`
  const value = values[type]
  if (value === undefined) throw new Error(`The column ${name} has the type ${type}: add a value of it.`)
  return value
}

const readColumns = async (pool: pg.Pool, table: string): Promise<Column[]> => {
  const { rows } = await pool.query<Column>(
    `select attname as name, format_type(atttypid, atttypmod) as type, attndims > 0 as "isArray" from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity <> 'a'`,
    [`"${table}"`],
  )
  return rows
}

/** Inserts a row for each of some Brains into each table. */
export const fillTables = async (pool: pg.Pool, tables: readonly string[], brains: readonly number[]) => {
  const inserts: string[] = []
  for (const table of tables) {
    const columns = await readColumns(pool, table)
    const names = columns.map(({ name }) => `"${name}"`).join(', ')
    const rows = brains.map((brain) => `(${columns.map((column) => toValue(column, brain)).join(', ')})`)
    inserts.push(`insert into "${table}" (${names}) overriding system value values ${rows.join(', ')}`)
  }
  // Triggers, and the order in which references are checked, do not matter to rows that are complete.
  await pool.query(['set session_replication_role = replica', ...inserts, 'reset session_replication_role'].join(';\n'))
}
