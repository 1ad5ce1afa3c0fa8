import pg from 'pg'
import { leaveHeadsToDirectory } from './distribute.ts'
import { listTables } from './placements.ts'

// The tables of Brains as hash partitions by brain_id, and what each statement reads of them. PostgreSQL itself refuses a
// partitioned table with a uniqueness that omits the key.

export const partitionCount = 3

const select = async <Row extends object>(pool: pg.Pool, text: string, values: unknown[] = []): Promise<Row[]> =>
  (await pool.query<Row>(text, values)).rows

/** Lists the definitions on a table that its replacement needs. */
const listDefinitions = async (pool: pg.Pool, table: string): Promise<string[]> => {
  const rows = await select<{ definition: string }>(
    pool,
    `select format('alter table %I add constraint %I %s', $1::text, conname, pg_get_constraintdef(oid)) as definition
       from pg_constraint where conrelid = $1::text::regclass and contype in ('p', 'u', 'f')
     union all select pg_get_indexdef(indexrelid) from pg_index where indrelid = $1::text::regclass
       and not exists (select 1 from pg_constraint where conindid = indexrelid)
     union all select pg_get_triggerdef(oid) from pg_trigger where tgrelid = $1::text::regclass and not tgisinternal`,
    [table],
  )
  return rows.map(({ definition }) => definition)
}

const divide = async (pool: pg.Pool, table: string): Promise<void> => {
  const definitions = await listDefinitions(pool, table)
  const partitions = Array.from(
    { length: partitionCount },
    (_, number) =>
      `create table ${table}_p${number} partition of ${table} for values with (modulus ${partitionCount}, remainder ${number})`,
  )
  const statements = [
    `create table divided (like ${table} including all excluding indexes) partition by hash (brain_id)`,
    `drop table ${table}`,
    `alter table divided rename to ${table}`,
    ...partitions,
    ...definitions,
  ]
  await pool.query(statements.join(';\n'))
}

/** Partitions every table that lives with its Brain; the database is empty. */
export const divideByBrain = async (pool: pg.Pool): Promise<void> => {
  await pool.query(leaveHeadsToDirectory)
  for (const table of listTables('brain')) await divide(pool, table)
}

type Plan = { 'Relation Name'?: string; 'Actual Loops'?: number; Plans?: Plan[] }

/** A statement, and the numbers of the partitions that it read, of any table. */
export type Reading = { statement: string; partitions: number[] }

const listRead = (plan: Plan): number[] => {
  const found = /_p(\d)$/.exec(plan['Relation Name'] ?? '')
  const own = found && (plan['Actual Loops'] ?? 0) > 0 ? [Number(found[1])] : []
  return [...own, ...(plan.Plans ?? []).flatMap(listRead)]
}

/** Has a database explain each statement of the connections that are made from now on. */
export const explainAll = async (pool: pg.Pool): Promise<void> => {
  const [database] = await select<{ name: string }>(pool, 'select current_database() as name')
  const settings = {
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_format': 'json',
    'auto_explain.log_level': 'notice',
    'auto_explain.log_nested_statements': 'on',
  }
  for (const [name, value] of Object.entries(settings))
    await pool.query(`alter database ${database?.name} set ${name} = '${value}'`)
}

/** Reports every statement of this process's connections with its plan from now on. */
export const listenToPlans = (notify: (reading: Reading) => void): (() => void) => {
  const { emit } = pg.Client.prototype
  pg.Client.prototype.emit = function listening(name: string | symbol, ...given: unknown[]) {
    const text = name === 'notice' ? String((given[0] as { message?: string }).message) : ''
    const begins = text.indexOf('plan:\n')
    if (begins > 0) {
      const explained: { 'Query Text': string; Plan: Plan } = JSON.parse(text.slice(begins + 'plan:\n'.length))
      notify({ statement: explained['Query Text'], partitions: [...new Set(listRead(explained.Plan))].sort() })
    }
    return emit.call(this, name, ...given)
  }
  return () => {
    pg.Client.prototype.emit = emit
  }
}
