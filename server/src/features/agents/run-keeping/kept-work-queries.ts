import { type RawBuilder, sql } from 'kysely'
import type { Db, Queryable } from '../../../storage/database.ts'

// Work of an organization that is kept as long as runs are, such as runs of evals: it is deleted some days after its end, and with each Brain
// whose content it may have.

/** A table of such work. `parts`: the tables with rows of it, by the column `partId`. `brains`: the one of these that names its Brains. */
export type KeptWork = { table: string; partId: string; parts: readonly string[]; brains: string }

type Parts = Omit<KeptWork, 'brains'>

/** Deletes work, `old` with its organizations and ids, with its parts. Answers how many. */
const deleteWork = async (
  db: Queryable,
  { table, partId, parts }: Parts,
  old: RawBuilder<unknown>,
): Promise<number> => {
  const deletions = parts.map(
    (part) => sql`${sql.ref(`old_${part}`)} as (delete from ${sql.table(part)} as mine using old
      where mine.organization_id = old.organization_id and mine.${sql.ref(partId)} = old.id)`,
  )
  const { rows } = await sql`
    with old as materialized (${old}), ${sql.join(deletions)}
    delete from ${sql.table(table)} as made using old where made.organization_id = old.organization_id and made.id = old.id
    returning made.id`.execute(db)
  return rows.length
}

/** Deletes some work that ended before a time. Answers how many. */
export const deleteOldWork =
  (work: Parts) =>
  (db: Queryable, before: Date, limit: number): Promise<number> =>
    deleteWork(
      db,
      work,
      sql`select organization_id, id from ${sql.table(work.table)} where completed_at < ${before}
        order by completed_at limit ${limit} for update skip locked`,
    )

/**
 * Deletes some work that may have content of a Brain, whether or not it has ended. Answers how many. Its leases end first, in a statement
 * of their own: a node that is storing something then is waited for, and that is deleted, too.
 */
export const deleteWorkOfBrain =
  (work: KeptWork) =>
  (db: Db, brainId: number, limit: number): Promise<number> =>
    db.transaction().execute(async (tx) => {
      const id = sql.ref(work.partId)
      const { rows } = await sql<{ organizationId: string; id: string }>`
        select organization_id as "organizationId", ${id} as id from ${sql.table(work.brains)}
        where brain_id = ${brainId} order by organization_id, ${id} limit ${limit}`.execute(tx)
      const ids = rows.map((row) => row.id)
      const organizations = rows.map(({ organizationId }) => organizationId)
      const old = sql`select * from unnest(${organizations}::text[], ${ids}::text[]) as old (organization_id, id)`
      await sql`with old as (${old}) update ${sql.table(work.table)} as made set lease = null, due_at = null from old
        where made.organization_id = old.organization_id and made.id = old.id`.execute(tx)
      await deleteWork(tx, work, old)
      return rows.length
    })
