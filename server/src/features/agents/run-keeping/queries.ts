import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'

export type RunKey = { organizationId: string; id: string }

/** A run of a Brain that is still open or has ended. */
export type TouchedRun = RunKey & { isOpen: boolean }

const toPlaces = (runs: readonly RunKey[]): RawBuilder<unknown> => sql`
  unnest(${runs.map(({ organizationId }) => organizationId)}::text[], ${runs.map(({ id }) => id)}::text[])
    as place (organization_id, run_id)`

/** Some runs that may reach a Brain, the oldest first. */
export const selectRunsOfBrain = async (db: Queryable, brainId: number, limit: number): Promise<RunKey[]> => {
  const { rows } = await sql<RunKey>`
    select organization_id as "organizationId", run_id as id from run_brains where brain_id = ${brainId}
    order by organization_id, run_id limit ${limit}`.execute(db)
  return rows
}

/**
 * The runs to which content of these may have come: they themselves, those that they started or were started by, and those
 * that followed them in their conversations, as far as they have begun.
 */
export const selectTouched = async (db: Queryable, runs: readonly RunKey[]): Promise<TouchedRun[]> => {
  const columns = sql`run.organization_id, run.id, run.parent_run_id, run.conversation_id, run.completed_at`
  const ofSame = sql`select ${columns} from runs as run where run.organization_id = touched.organization_id`
  const { rows } = await sql<TouchedRun>`
    with recursive touched as (
      select ${columns}
      from ${toPlaces(runs)} join runs as run on run.organization_id = place.organization_id and run.id = place.run_id
      union
      select ${columns} from touched cross join lateral (
        ${ofSame} and run.id = touched.parent_run_id
        union all ${ofSame} and run.parent_run_id = touched.id
        union all ${ofSame} and run.conversation_id = touched.conversation_id and run.id > touched.id
          and run.state <> 'queued') as run)
    select organization_id as "organizationId", id, completed_at is null as "isOpen" from touched
    order by organization_id, id`.execute(db)
  return rows
}

/** The text that replaces an erased one. */
const erased = 'Erased with a Brain that the run could reach.'

const ofPlace = (table: string) => sql`where ${sql.ref(`${table}.organization_id`)} = place.organization_id
  and ${sql.ref(`${table}.run_id`)} = place.run_id`

/** Erases the contents that ended runs hold for other runs and for readers. Their states, times and costs stay. */
export const eraseJournals = async (db: Queryable, runs: readonly RunKey[]): Promise<void> => {
  await sql`
    with operations as (
      update run_operations set input = null, output = null,
        error = case when error is null then null else ${erased} end from ${toPlaces(runs)} ${ofPlace('run_operations')}),
    messages as (
      update run_messages set parts = '[]', text = '' from ${toPlaces(runs)} ${ofPlace('run_messages')}),
    tasks as (
      update run_tasks set question = ${erased}, options = null, answer = case when answer is null then null else ${erased} end
      from ${toPlaces(runs)} ${ofPlace('run_tasks')})
    update runs set input = to_json(${erased}::text), output = null, metadata = null,
      failure_reason = case when failure_reason is null then null else ${erased} end
    from ${toPlaces(runs)} where runs.organization_id = place.organization_id and runs.id = place.run_id`.execute(db)
}

/** Erases all contents of runs that have ended: their journals, and their streams. */
export const eraseContents = async (db: Queryable, runs: readonly RunKey[]): Promise<void> => {
  await eraseJournals(db, runs)
  await sql`delete from run_parts using ${toPlaces(runs)} ${ofPlace('run_parts')}`.execute(db)
}

/** Deletes the access of runs to a Brain. */
export const deleteReaches = (db: Queryable, brainId: number, runs: readonly RunKey[]) =>
  sql`delete from run_brains using ${toPlaces(runs)} where run_brains.brain_id = ${brainId}
    and run_brains.organization_id = place.organization_id and run_brains.run_id = place.run_id`.execute(db)

/** Runs of an organization that go on, some at once. */
export const selectOpenRuns = async (db: Queryable, organizationId: string, limit: number): Promise<RunKey[]> => {
  const { rows } = await sql<RunKey>`select organization_id as "organizationId", id from runs
    where organization_id = ${organizationId} and completed_at is null order by id limit ${limit}`.execute(db)
  return rows
}

/** Deletes some runs that ended before a time, with all that is kept of them. Answers how many. */
export const deleteOldRuns = async (db: Queryable, before: Date, limit: number): Promise<number> => {
  const ofOld = (table: string) => sql`delete from ${sql.table(table)} as mine using old
    where mine.organization_id = old.organization_id and mine.run_id = old.run_id`
  const { rows } = await sql`
    with old as materialized (
      select organization_id, id as run_id from runs where completed_at < ${before}
      order by completed_at limit ${limit} for update skip locked),
    operations as (${ofOld('run_operations')}), parts as (${ofOld('run_parts')}), messages as (${ofOld('run_messages')}),
    tasks as (${ofOld('run_tasks')}), claims as (${ofOld('run_claims')}), brains as (${ofOld('run_brains')})
    delete from runs using old where runs.organization_id = old.organization_id and runs.id = old.run_id
    returning runs.id`.execute(db)
  return rows.length
}
