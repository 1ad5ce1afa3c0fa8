import { type RawBuilder, sql } from 'kysely'
import type { Queryable, Tx } from '../../../storage/database.ts'

export type Membership = {
  id: string
  name: string
  slug: string
  role: 'owner' | 'admin' | 'member'
  isPersonal: boolean
  otherOwners: number
  otherMembers: number
}

/** The organizations that a person belongs to, in the order in which they are locked. */
export const selectMembershipsWithOthers = async (db: Queryable, userId: string): Promise<Membership[]> => {
  const { rows } = await sql<Membership>`
    select organization.id, organization.name, organization.slug, mine.role,
      organization.personal_of is not distinct from ${userId}::text as "isPersonal",
      count(other.id) filter (where other.role = 'owner') as "otherOwners", count(other.id) as "otherMembers"
    from member as mine join organization on organization.id = mine."organizationId" and organization.ended_at is null
      left join member as other on other."organizationId" = organization.id and other."userId" <> ${userId}
    where mine."userId" = ${userId} group by organization.id, mine.role order by organization.id`.execute(db)
  return rows
}

/** Locks an account until the transaction ends: it neither signs in nor joins anything meanwhile. False where it is gone. */
export const lockWholeAccount = async (tx: Tx, userId: string): Promise<boolean> => {
  const { rows } = await sql`select from "user" where id = ${userId} for update`.execute(tx)
  return rows.length > 0
}

export const deleteMembership = (tx: Tx, organizationId: string, userId: string) =>
  sql`delete from member where "organizationId" = ${organizationId} and "userId" = ${userId}`.execute(tx)

/** Deletes an account with its sessions and ways to sign in. */
export const deleteUser = (tx: Tx, userId: string) => sql`delete from "user" where id = ${userId}`.execute(tx)

type Person = { userId: string; address: string; before: Date }

/** Takes a person's address out of the audit log. Their acts stay, under their id. */
export const forgetInAudit = (db: Queryable, { address, before }: Person) =>
  sql`
  update audit_entries set target = (target::jsonb - 'name')::json
  where target_type in ('member', 'invitation') and target ->> 'name' = ${address} and at <= ${before}`.execute(db)

/** True if a text has an address that is not the end or the beginning of a longer one, which is another person's. */
const hasAddress = (text: RawBuilder<unknown>, address: string) => {
  const escaped = address.replace(/[^\p{L}\p{N}@]/gu, '\\$&')
  const pattern = `(?:^|[^a-z0-9.!#$%&'*+/=?^_\`{|}~-])${escaped}(?![a-z0-9-]|\\.[a-z0-9])`
  // Almost every text is decided by the cheaper search.
  return sql`(position(${address} in lower(${text})) > 0 and lower(${text}) ~ ${pattern})`
}

/** Deletes messages to a person, and those that name them. */
export const forgetMail = (db: Queryable, { address, before }: Person) =>
  sql`
  delete from mail_outbox where created_at <= ${before}
    and (recipient = ${address} or ${hasAddress(sql`body`, address)} or ${hasAddress(sql`subject`, address)})`.execute(
    db,
  )

/** Deletes the administrator events about a person. */
export const forgetAdminEvents = (db: Queryable, { address, before }: Person) =>
  sql`delete from admin_events where kind in ('signup', 'access_request') and email = ${address} and created_at <= ${before}`.execute(
    db,
  )

/** Deletes invitations to a person, and what was sent to them to be shown again. */
export const forgetInvitations = async (db: Queryable, { userId, address, before }: Person): Promise<void> => {
  await sql`delete from invitation where lower(email) = ${address} and "createdAt" <= ${before}`.execute(db)
  await sql`delete from verification where value = ${userId}
    or (${hasAddress(sql`value`, address)} and "createdAt" <= ${before})`.execute(db)
}
