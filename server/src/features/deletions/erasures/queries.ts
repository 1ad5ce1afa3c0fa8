import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../../shared/actor.ts'
import type {
  DueKey,
  LeasedRow,
  LeasedRows,
  LeaseRequest,
  Settlement,
} from '../../../shared/concurrency/leased-work.ts'
import type { Queryable } from '../../../storage/database.ts'

export type NewErasure = {
  id: string
  kind: 'organization' | 'account'
  /** The id of what ended. */
  subject: string
  /** Of an account: the key to its other rows. */
  address: string | null
  endedBy: Actor
  endedAt: Date
}

export const insertErasure = (tx: Queryable, { id, kind, subject, address, endedBy, endedAt }: NewErasure) =>
  sql`
  insert into erasures (id, kind, subject, address, ended_by, ended_at, due_at)
  values (${id}, ${kind}, ${subject}, ${address}, ${JSON.stringify(endedBy)}, ${endedAt}, ${endedAt})`.execute(tx)

export type LeasedErasure = LeasedRow &
  Pick<NewErasure, 'id' | 'kind' | 'subject' | 'address' | 'endedAt'> & { failures: number }

/** Erasures have no tenants: what ended has no share any more. */
const erasuresKey = 'erasures'

/** Takes what is due; another node finds it again only when the lease is over. */
export const leaseErasures = async (
  db: Queryable,
  { lease, now, until, running }: LeaseRequest,
): Promise<LeasedRows<LeasedErasure>> => {
  const { rows } = await sql<Omit<LeasedErasure, keyof LeasedRow>>`
    with due as (
      select id from erasures where due_at <= ${now} order by due_at limit ${running.free} for update skip locked)
    update erasures as erasure set lease = ${lease}, due_at = ${until} from due where erasure.id = due.id
    returning erasure.id, erasure.kind, erasure.subject, erasure.address,
      erasure.ended_at as "endedAt", erasure.failures`.execute(db)
  const shared = { key: erasuresKey, organization: erasuresKey, lease }
  return {
    rows: rows.map((row) => ({ ...row, ...shared, owner: row.id })),
    left: rows.length === running.free ? [{ ...shared, limit: 'owner' }] : [],
  }
}

/** When an erasure goes on; null where all is erased. */
export type Outcome = { dueAt: Date | null; keepsLease: boolean; failures: number; erasedAt: Date | null }

/** Stores the outcome of each that still has its lease. A finished erasure keeps no address. */
export const storeErasureOutcomes = async (
  db: Queryable,
  settlements: readonly Settlement<LeasedErasure, Outcome>[],
): Promise<boolean[]> => {
  const given = settlements.map(({ row: { id, lease }, outcome }) => ({ id, lease, ...outcome }))
  const { rows } = await sql<{ id: string }>`
    update erasures as erasure set due_at = given."dueAt", failures = given.failures, erased_at = given."erasedAt",
      lease = case when given."keepsLease" then erasure.lease end,
      address = case when given."erasedAt" is null then erasure.address end
    from json_to_recordset(${JSON.stringify(given)}::json) as given (id text, lease text, "dueAt" timestamptz,
      "keepsLease" boolean, failures integer, "erasedAt" timestamptz)
    where erasure.id = given.id and erasure.lease = given.lease returning erasure.id`.execute(db)
  return given.map(({ id }) => rows.some((row) => row.id === id))
}

/** Selects since when something is to be erased, if anything is. */
export const selectDueErasures = (now: Date): RawBuilder<DueKey> => sql<DueKey>`
  select ${sql.lit(erasuresKey)} as key, min(due_at) as "dueAt" from erasures where due_at <= ${now} having min(due_at) is not null`
