import { sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import { ownedTogether, toDay, usageColumns } from '../../kernel/usage/usage-queries.ts'

type UseRow = { used: { writes: number; bytes: number }; brains: number; runs: number; countedTogether: number }

/** The use of an organization's caps, over everything that counts together with it. */
export const selectUse = async (db: Queryable, id: string, now: Date): Promise<UseRow> => {
  const organization = sql`${id}::text`
  const together = ownedTogether(organization)
  const { rows } = await sql<UseRow>`
    select ${usageColumns(organization, toDay(now))},
      (select count(*) from brain_directory where organization_id in ${together} and deleted_at is null) as brains,
      (select coalesce(sum(runs), 0)::bigint from run_days where day = ${toDay(now)}::date
        and organization_id in ${together}) as runs,
      (select count(*) from ${together} as counted) as "countedTogether"`.execute(db)
  const [row] = rows
  if (!row) throw new Error('counting answered nothing')
  return row
}
