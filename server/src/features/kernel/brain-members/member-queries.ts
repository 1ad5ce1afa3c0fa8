import type { BrainRole } from '@noema/contracts/access.ts'
import type { RestrictedBrain } from '@noema/contracts/brain-access.ts'
import { sql } from 'kysely'
import type { Queryable, Tx } from '../../../storage/database.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { inOrder, isAfter } from '../../platform/cursors/page-queries.ts'

export type MemberRow = {
  userId: string
  name: string
  email: string
  role: BrainRole
  addedAt: Date
  addedBy: string
}

/** Checks whether a Brain is open to named members only. */
export const isRestricted = async (db: Queryable, brainId: number): Promise<boolean> => {
  const { rows } = await sql`select from restricted_brains where brain_id = ${brainId}`.execute(db)
  return rows.length > 0
}

export const insertRestricted = (tx: Tx, brain: { brainId: number; organizationId: string }, now: Date) =>
  sql`insert into restricted_brains (brain_id, organization_id, restricted_at)
    values (${brain.brainId}, ${brain.organizationId}, ${now})`.execute(tx)

/** Opens a Brain to its organization, and returns the members that it named. */
export const deleteRestricted = async (tx: Tx, brainId: number): Promise<void> => {
  await sql`delete from brain_members where brain_id = ${brainId}`.execute(tx)
  await sql`delete from restricted_brains where brain_id = ${brainId}`.execute(tx)
}

/** The members of a Brain by email, or one of them. */
export const selectMembers = async (db: Queryable, brainId: number, userId?: string): Promise<MemberRow[]> => {
  const { rows } = await sql<MemberRow>`
    select named.user_id as "userId", person.name, person.email, named.role, named.added_at as "addedAt",
      named.added_by as "addedBy"
    from brain_members as named join "user" as person on person.id = named.user_id
    where named.brain_id = ${brainId} ${userId === undefined ? sql`` : sql`and named.user_id = ${userId}`}
    order by person.email`.execute(db)
  return rows
}

/** A person's role in a restricted Brain. */
export const selectRole = async (db: Queryable, brainId: number, userId: string): Promise<BrainRole | undefined> => {
  const { rows } = await sql<{ role: BrainRole }>`select role from brain_members
    where brain_id = ${brainId} and user_id = ${userId}`.execute(db)
  return rows[0]?.role
}

/** The member of an organization with this id or email address, who cannot leave until the transaction ends. */
export const holdMemberNamed = async (
  tx: Tx,
  organizationId: string,
  named: string,
): Promise<{ userId: string; orgRole: string } | undefined> => {
  const { rows } = await sql<{ userId: string; orgRole: string }>`
    select member."userId", member.role as "orgRole" from member
    where "organizationId" = ${organizationId}
      and "userId" in (select id from "user" where id = ${named} or lower(email) = lower(${named})) for share`.execute(
    tx,
  )
  return rows[0]
}

type NewMember = { brainId: number; organizationId: string; userId: string; role: BrainRole; addedBy: string }

/** Gives a person a role. One who has it keeps the time and the giver. */
export const upsertMember = (tx: Tx, { brainId, organizationId, userId, role, addedBy }: NewMember, now: Date) =>
  sql`insert into brain_members as named (brain_id, organization_id, user_id, role, added_at, added_by)
    values (${brainId}, ${organizationId}, ${userId}, ${role}, ${now}, ${addedBy})
    on conflict (brain_id, user_id) do update set role = excluded.role, added_at = excluded.added_at,
      added_by = excluded.added_by where named.role <> excluded.role`.execute(tx)

export const deleteMember = (tx: Tx, brainId: number, userId: string) =>
  sql`delete from brain_members where brain_id = ${brainId} and user_id = ${userId}`.execute(tx)

/** The numbers of a Brain's members, and of the managers among them. */
export const countMembers = async (tx: Tx, brainId: number) => {
  const { rows } = await sql<{ members: number; managers: number }>`
    select count(*) as members, count(*) filter (where role = 'manager') as managers
    from brain_members where brain_id = ${brainId}`.execute(tx)
  return rows[0] ?? { members: 0, managers: 0 }
}

/** Stores who took a Brain over last. */
export const markTakenOver = (tx: Tx, brainId: number, userId: string, now: Date) =>
  sql`update restricted_brains set taken_over_by = ${userId}, taken_over_at = ${now}
    where brain_id = ${brainId}`.execute(tx)

const maxManagers = 10

/** A page of an organization's restricted Brains by handle, with the role of a person in each. */
export const selectRestrictedBrains = async (
  db: Queryable,
  { organizationId, userId }: { organizationId: string; userId: string },
  page: PageRequest<string>,
) => {
  const { rows } = await sql<Omit<RestrictedBrain, 'restrictedAt'> & { restrictedAt: Date }>`
    select titled.id, titled.handle, restricted.restricted_at as "restrictedAt",
      (select count(*) from brain_members as named where named.brain_id = restricted.brain_id) as members,
      array(select person.email from brain_members as named join "user" as person on person.id = named.user_id
        where named.brain_id = restricted.brain_id and named.role = 'manager'
        order by person.email limit ${maxManagers}) as managers,
      (select named.role from brain_members as named
        where named.brain_id = restricted.brain_id and named.user_id = ${userId}) as role
    from restricted_brains as restricted
      join brain_directory as titled on titled.brain_id = restricted.brain_id and titled.deleted_at is null
    where restricted.organization_id = ${organizationId} and ${isAfter(sql`titled.handle`, page)}
    ${inOrder(sql`titled.handle`, page)} limit ${page.limit}`.execute(db)
  return rows
}

/** Takes a person who leaves out of the restricted Brains of these organizations, and returns the Brains. */
export const removeFromBrains = async (
  db: Queryable,
  { userId, organizationIds }: { userId: string; organizationIds: readonly string[] },
): Promise<{ brainId: number; organizationId: string; handle: string }[]> => {
  // Naming a member waits for this lock, or is seen behind it.
  await sql`select from member where "userId" = ${userId} and "organizationId" = any(${[...organizationIds]})
    for update`.execute(db)
  const { rows } = await sql<{ brainId: number; organizationId: string; handle: string }>`
    with removed as (delete from brain_members
      where user_id = ${userId} and organization_id = any(${[...organizationIds]}) returning brain_id)
    select brain_id as "brainId", organization_id as "organizationId", handle
    from removed join brain_directory using (brain_id) where deleted_at is null order by brain_id`.execute(db)
  return rows
}
