import { sql } from 'kysely'
import { actorValue } from '../../../storage/actor-columns.ts'
import { hidesDistillation, isVisible, type Viewer } from '../../../storage/brain-access.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import { deleteOldWork, deleteWorkOfBrain } from '../../agents/run-keeping/kept-work-queries.ts'
import type { ScheduledFor } from '../../agents/schedules/targets.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { inOrder, isAfter } from '../../platform/cursors/page-queries.ts'
import type { DistillationKey, DistillationRow } from './types.ts'

const columns = sql`organization_id as "organizationId", id, state, phase, brain, definition, runs, read, found, staged,
  started_by as "startedBy", waiting, failure_reason as "failureReason", created_at as "createdAt",
  completed_at as "completedAt"`

/** Locks the distillations of an organization until the transaction ends, so that the maximum of open ones is exact; counts these. */
export const lockOpen = async (tx: Tx, organizationId: string): Promise<number> => {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`distillations ${organizationId}`}, 0))`.execute(tx)
  const { rows } = await sql<{ count: number }>`select count(*) as count from distillations
    where organization_id = ${organizationId} and due_at is not null`.execute(tx)
  return rows[0]?.count ?? 0
}

type NewDistillation = Pick<
  DistillationRow,
  'organizationId' | 'id' | 'brain' | 'definition' | 'startedBy' | 'createdAt'
> & {
  runIds: readonly string[]
  brainIds: readonly number[]
  scheduled: ScheduledFor | undefined
}

/** Inserts a distillation with the runs that it reads, in this order, and the Brains behind them. */
export const insertDistillation = async (tx: Tx, given: NewDistillation): Promise<void> => {
  const { organizationId, id, brain, definition, startedBy, createdAt, runIds, brainIds, scheduled } = given
  await sql`insert into distillations (organization_id, id, state, brain, definition, runs, started_by, schedule_id,
      scheduled_for, due_at, created_at)
    values (${organizationId}, ${id}, 'queued', ${brain}, ${JSON.stringify(definition)}::json, ${runIds.length},
      ${actorValue(startedBy)}, ${scheduled?.scheduleId ?? null}, ${scheduled?.at ?? null}::timestamptz, ${createdAt},
      ${createdAt})`.execute(tx)
  await sql`insert into distillation_runs (organization_id, distillation_id, position, run_id)
    select ${organizationId}, ${id}, position, run_id
    from unnest(${[...runIds]}::text[]) with ordinality as given (run_id, position)`.execute(tx)
  await sql`insert into distillation_brains (brain_id, organization_id, distillation_id)
    select distinct brain_id, ${organizationId}, ${id} from unnest(${[...brainIds]}::bigint[]) as seen (brain_id)`.execute(
    tx,
  )
}

export const selectDistillation = async (
  db: Queryable,
  { organizationId, id }: DistillationKey,
): Promise<DistillationRow | undefined> => {
  const { rows } = await sql<DistillationRow>`select ${columns} from distillations
    where organization_id = ${organizationId} and id = ${id}`.execute(db)
  return rows[0]
}

/** A page of the distillations that a viewer may see. */
export const selectDistillations = async (
  db: Queryable,
  organizationId: string,
  viewer: Viewer,
  page: PageRequest<string>,
): Promise<DistillationRow[]> => {
  const shown = isVisible(viewer, (userId) => hidesDistillation(sql`made.organization_id`, sql`made.id`, userId))
  const { rows } = await sql<DistillationRow>`select ${columns} from distillations as made
    where organization_id = ${organizationId} and ${isAfter(sql`id`, page)} and ${shown}
    ${inOrder(sql`id`, page)} limit ${page.limit}`.execute(db)
  return rows
}

const distillations = {
  ...{ table: 'distillations', partId: 'distillation_id', brains: 'distillation_brains' },
  parts: ['distillation_runs', 'distillation_items', 'distillation_brains'],
} as const

/** Deletes some distillations that ended before a time. Answers how many. */
export const deleteOld = deleteOldWork(distillations)

/** Deletes some distillations that may have seen content of a Brain. Answers how many. */
export const deleteOfBrain = deleteWorkOfBrain(distillations)
