import { sql } from 'kysely'
import type { LeasedRow, LeasedRows, LeaseRequest } from '../../../shared/concurrency/leased-work.ts'
import type { Db, Tx } from '../../../storage/database.ts'
import {
  chooseByShares,
  type FoundOfOrganization,
  selectLeased,
  toLeasedOfOrganizations,
  toShares,
} from '../../../storage/lease-queries.ts'

/** A person whose daily mail of an organization is due, until the lease ends or they change their settings. */
export type LeasedReader = LeasedRow & {
  userId: string
  role: string
  email: string
  emailVerified: boolean
  organizationName: string
  hour: number
  timezone: string
  mailedThrough: string | null
}

/** Leases readers of these organizations whose mail is due, as far as the shares allow. */
export const leaseReaders = async (
  db: Db,
  { keys, lease, now, until, running }: LeaseRequest,
): Promise<LeasedRows<LeasedReader>> => {
  const { rows } = await sql<LeasedReader & FoundOfOrganization>`
    with candidate as materialized (
      select organization_id as organization, user_id, due_at as due from notification_readers
      where organization_id = any(${[...keys]}) and mail and due_at <= ${now}
        and exists (select 1 from organization where id = organization_id and ended_at is null)),
    chosen as materialized (${chooseByShares(toShares(running))}),
    locked as (
      select reader.organization_id, reader.user_id from chosen join notification_readers as reader
        on reader.organization_id = chosen.organization and reader.user_id = chosen.user_id
      where is_chosen and reader.mail and reader.due_at <= ${now} for update of reader skip locked),
    leased as (
      update notification_readers as reader set lease = ${lease}, due_at = ${until}
      from locked join member on member."organizationId" = locked.organization_id and member."userId" = locked.user_id
        join "user" as person on person.id = locked.user_id
        join organization on organization.id = locked.organization_id
      where reader.organization_id = locked.organization_id and reader.user_id = locked.user_id
      returning reader.organization_id as key, reader.organization_id as organization,
        reader.organization_id || '/' || reader.user_id as owner, reader.lease, reader.user_id as "userId", member.role,
        person.email, person."emailVerified", organization.name as "organizationName", reader.hour, reader.timezone,
        reader.mailed_through as "mailedThrough")
    ${selectLeased(keys)}`.execute(db)
  return toLeasedOfOrganizations(rows)
}

/** Records that a reader's day is done, while the lease is valid; returns true if it was. */
export const storeMailOutcome = async (
  tx: Tx,
  { organization, userId, lease }: LeasedReader,
  { dueAt, mailedThrough }: { dueAt: Date | null; mailedThrough: string | null },
): Promise<boolean> => {
  const { rows } = await sql`
    update notification_readers set due_at = ${dueAt}, lease = null, mailed_through = ${mailedThrough}
    where organization_id = ${organization} and user_id = ${userId} and lease = ${lease} returning user_id`.execute(tx)
  return rows.length > 0
}

/** Ends the mail of a person; a node that sends one at this moment can no longer store that. */
export const endMail = (db: Db, { organizationId, userId }: { organizationId: string; userId: string }) =>
  sql`update notification_readers set mail = false, due_at = null, lease = null
    where organization_id = ${organizationId} and user_id = ${userId}`.execute(db)
