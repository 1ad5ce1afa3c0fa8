import type { ScratchDatabase } from '../parts/scratch-postgres.ts'

// Rows and bytes that a run of an eval writes, and the same rows written by plain SQL.

/** Rows inserted and updated in each table since its creation, and the position in the log of PostgreSQL. */
export type Written = { rows: ReadonlyMap<string, { inserted: number; updated: number }>; position: string }

/** PostgreSQL reports the rows of a session to others about once a second, and at once when the session is idle for longer. */
export const readWritten = async ({ pool }: ScratchDatabase): Promise<Written> => {
  const { rows } = await pool.query<{ name: string; inserted: string; updated: string }>(
    'select relname as name, n_tup_ins as inserted, n_tup_upd as updated from pg_stat_user_tables',
  )
  const found = await pool.query<{ position: string }>('select pg_current_wal_insert_lsn() as position')
  const toCounts = ({ name, inserted, updated }: (typeof rows)[number]) =>
    [name, { inserted: Number(inserted), updated: Number(updated) }] as const
  return { rows: new Map(rows.map(toCounts)), position: found.rows[0]?.position ?? '' }
}

const countBytes = async ({ pool }: ScratchDatabase, from: string, to: string): Promise<number> => {
  const { rows } = await pool.query<{ bytes: string }>('select pg_wal_lsn_diff($1, $2) as bytes', [to, from])
  return Number(rows[0]?.bytes)
}

export type Cost = { bytes: number; tables: { name: string; inserted: number; updated: number }[] }

/** The rows and bytes written between two readings. */
export const toCost = async (database: ScratchDatabase, before: Written, after: Written): Promise<Cost> => ({
  bytes: await countBytes(database, before.position, after.position),
  tables: [...after.rows].flatMap(([name, { inserted, updated }]) => {
    const former = before.rows.get(name) ?? { inserted: 0, updated: 0 }
    const cost = { name, inserted: inserted - former.inserted, updated: updated - former.updated }
    return cost.inserted + cost.updated > 0 ? [cost] : []
  }),
})

/** Copies the newest rows of tables into tables like them, one row in each transaction. Answers the bytes in the log. */
export const copyRows = async (database: ScratchDatabase, tables: Cost['tables']): Promise<number> => {
  const { pool } = database
  const copied = tables.filter(({ inserted }) => inserted > 0)
  for (const { name } of copied) await pool.query(`create table copied_${name} (like ${name} including all)`)
  await pool.query('checkpoint')
  const { position } = await readWritten(database)
  for (const { name, inserted } of copied)
    await pool.query(`do $$ declare found tid; begin
      for found in select ctid from ${name} order by ctid desc limit ${inserted} loop
        insert into copied_${name} select * from ${name} where ctid = found;
        commit;
      end loop; end $$`)
  const after = await readWritten(database)
  for (const { name } of copied) await pool.query(`drop table copied_${name}`)
  return countBytes(database, position, after.position)
}
