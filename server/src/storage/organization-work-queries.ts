import { type RawBuilder, sql } from 'kysely'
import type { LeasedRow, LeasedRows, LeaseRequest, Settlement } from '../shared/concurrency/leased-work.ts'
import type { Queryable } from './database.ts'
import {
  chooseByShares,
  type FoundOfOrganization,
  selectLeased,
  toLeasedOfOrganizations,
  toShares,
} from './lease-queries.ts'

// Long work of an organization that is done in pieces: a table with `organization_id`, `id`, `state`, `due_at`, `lease`, and with
// `waits` and `waiting`, which say how often in a row it found nothing to do, and why it waits.

/**
 * Leases work of these organizations that is due, as far as the shares allow. `columns`: of the row, which is called `work`; `state`: the
 * state that it gets.
 */
export const leaseWork = async <Row extends LeasedRow>(
  db: Queryable,
  {
    table,
    columns,
    state = sql`'running'`,
  }: { table: string; columns: RawBuilder<unknown>; state?: RawBuilder<unknown> },
  { keys, lease, now, until, running }: LeaseRequest,
): Promise<LeasedRows<Row>> => {
  const rowsOf = sql`${sql.table(table)} as work`
  const { rows } = await sql<Row & FoundOfOrganization>`
    with candidate as materialized (
      select work.organization_id as organization, work.id, work.due_at as due from ${rowsOf}
      where work.organization_id = any(${[...keys]}) and work.due_at <= ${now}),
    chosen as materialized (${chooseByShares(toShares(running))}),
    locked as (
      select work.organization_id, work.id from chosen
        join ${rowsOf} on work.organization_id = chosen.organization and work.id = chosen.id
      where is_chosen and work.due_at <= ${now} for update of work skip locked),
    leased as (
      update ${rowsOf} set lease = ${lease}, due_at = ${until}, state = ${state} from locked
      where work.organization_id = locked.organization_id and work.id = locked.id
      returning work.organization_id as key, work.organization_id as organization, work.id as owner, work.lease, ${columns})
    ${selectLeased(keys)}`.execute(db)
  return toLeasedOfOrganizations(rows)
}

/** The outcome of a turn: when the work is due again, how often in a row it found nothing to do, and why it waits. */
export type WorkOutcome = { dueAt: Date; waits: number; waiting: string | null }

/**
 * Stores many outcomes at once, each only while its lease is valid, and returns which were stored. `why`: the column that says why work
 * waits.
 */
export const storeWorkOutcomes = async (
  db: Queryable,
  table: string,
  settlements: readonly Settlement<LeasedRow & { id: string }, WorkOutcome>[],
  why = 'waiting',
): Promise<boolean[]> => {
  const given = settlements.map(({ row: { organization, id, lease }, outcome }) => ({
    ...{ organization, id, lease },
    ...outcome,
  }))
  const { rows } = await sql<{ id: string }>`
    update ${sql.table(table)} as work set due_at = given."dueAt", waits = given.waits, ${sql.ref(why)} = given.waiting, lease = null
    from json_to_recordset(${JSON.stringify(given)}::json) as given (organization text, id text, lease text,
      "dueAt" timestamptz, waits integer, waiting text)
    where work.organization_id = given.organization and work.id = given.id and work.lease = given.lease
    returning work.id`.execute(db)
  const stored = new Set(rows.map(({ id }) => id))
  return given.map(({ id }) => stored.has(id))
}

/** Work under its lease. */
export type HeldWork = { organizationId: string; id: string; lease: string }

/** Extends the lease of work; false if it was lost. */
export const renewWork = async (
  db: Queryable,
  table: string,
  { organizationId, id, lease }: HeldWork,
  until: Date,
): Promise<boolean> => {
  const { rows } = await sql`update ${sql.table(table)} set due_at = ${until}
    where organization_id = ${organizationId} and id = ${id} and lease = ${lease} returning id`.execute(db)
  return rows.length > 0
}

/** Ends work that has not ended; false where it has, or the lease was lost. A node that works on it loses its lease. */
export const endWork = async (
  db: Queryable,
  table: string,
  {
    organizationId,
    id,
    state,
    reason,
    now,
  }: Omit<HeldWork, 'lease'> & { state: 'completed' | 'failed' | 'canceled'; reason: string | null; now: Date },
  lease?: string,
): Promise<boolean> => {
  const { rows } =
    await sql`update ${sql.table(table)} set state = ${state}, failure_reason = ${reason}, waiting = null,
      due_at = null, lease = null, completed_at = ${now}
    where organization_id = ${organizationId} and id = ${id} and completed_at is null
      ${lease === undefined ? sql`` : sql`and lease = ${lease}`} returning id`.execute(db)
  return rows.length > 0
}
