import { sql } from 'kysely'
import { isRowShown, type Viewer } from '../../../storage/brain-access.ts'
import type { Db, Queryable } from '../../../storage/database.ts'
import type { BrainCounts } from './counts.ts'

type Numbers = BrainCounts & { lastWriteAt: Date | null }

/** The numbers on a Brain's row, how many events they miss, and whether those events are known to change no number. */
export type CountedRow = Numbers & { gap: number; holds: boolean }

const kept = sql`records_count as records, statements_count as statements, documents_count as documents,
  pending_count as "pendingChanges", last_write_at as "lastWriteAt", position - counted_events as gap`

/** The stored numbers. */
export const selectKept = async (db: Db, brainId: number): Promise<CountedRow | undefined> => {
  const { rows } =
    await sql<CountedRow>`select ${kept}, coalesce(counted_gap = position - counted_events, false) as holds
    from brains where brain_id = ${brainId} and deleted_at is null`.execute(db)
  return rows[0]
}

/** The stored numbers, and a fresh count of the same moment. */
export const selectCounted = async (
  db: Db,
  brainId: number,
): Promise<{ kept: CountedRow; counted: Numbers } | undefined> => {
  const { rows } = await sql<CountedRow & { counted: BrainCounts; wroteAt: Date | null }>`
    select ${kept}, false as holds,
      (select max(coalesce(decided_at, created_at)) from changes
        where changes.brain_id = brains.brain_id and application = 'applied') as "wroteAt",
      json_build_object(
        'records', (select count(*) from record_versions as item where item.brain_id = brains.brain_id and to_state is null),
        'statements', (select count(*) from statements as item where item.brain_id = brains.brain_id and to_state is null),
        'documents', (select count(*) from document_versions as item where item.brain_id = brains.brain_id and to_state is null),
        'pendingChanges', (select count(*) from changes as item where item.brain_id = brains.brain_id and decision = 'pending')
      ) as counted
    from brains where brain_id = ${brainId} and deleted_at is null`.execute(db)
  const [row] = rows
  return row && { kept: row, counted: { ...row.counted, lastWriteAt: row.wroteAt } }
}

/** Corrects the stored numbers by their error, unless uncounted events came since. */
export const correctKept = (db: Db, brainId: number, { kept: then, counted }: { kept: CountedRow; counted: Numbers }) =>
  sql`update brains set records_count = records_count + ${counted.records - then.records},
      statements_count = statements_count + ${counted.statements - then.statements},
      documents_count = documents_count + ${counted.documents - then.documents},
      pending_count = pending_count + ${counted.pendingChanges - then.pendingChanges},
      last_write_at = greatest(last_write_at, ${counted.lastWriteAt}), counted_gap = ${then.gap}
    where brain_id = ${brainId} and position - counted_events = ${then.gap}`.execute(db)

/** The first live Brains of an organization whose numbers may be wrong. */
export const selectUncounted = async (db: Queryable, organizationId: string, limit: number) => {
  const { rows } = await sql<{ brainId: number; handle: string }>`
    select brain_id as "brainId", handle from brains where organization_id = ${organizationId} and deleted_at is null
      and counted_gap is distinct from position - counted_events order by brain_id limit ${limit}`.execute(db)
  return rows
}

/** The stored numbers of all live Brains of an organization together that a viewer may see. */
export const sumCounts = async (db: Queryable, organizationId: string, viewer?: Viewer) => {
  const { rows } = await sql<{ brains: number; records: number; statements: number; documents: number }>`
    select count(*) as brains, coalesce(sum(records_count), 0)::bigint as records,
      coalesce(sum(statements_count), 0)::bigint as statements, coalesce(sum(documents_count), 0)::bigint as documents
    from brains where organization_id = ${organizationId} and deleted_at is null and ${isRowShown(sql`brains.brain_id`, organizationId, viewer)}`.execute(
    db,
  )
  return rows[0]
}
