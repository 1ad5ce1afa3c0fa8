import { sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import type { ScheduledFor } from './targets.ts'

/** The eval run or distillation that a schedule started for an instant. */
export const selectStarted = async (
  db: Queryable,
  table: 'eval_runs' | 'distillations',
  organizationId: string,
  { scheduleId, at }: ScheduledFor,
): Promise<string | undefined> => {
  const { rows } = await sql<{
    id: string
  }>`select id from ${sql.table(table)} where organization_id = ${organizationId}
    and schedule_id = ${scheduleId} and scheduled_for = ${at}`.execute(db)
  return rows[0]?.id
}
