import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'

/** 32 characters, as Better Auth's own ids have. */
export const newAccountId = (): string => randomBytes(16).toString('hex')

/** Makes an organization with this user as its owner, unless the user is a member of one already. */
export const insertPersonalOrganization = (
  db: Queryable,
  organization: { id: string; name: string; slug: string; ownerId: string; tier: string },
) =>
  sql`
  with made as (
    insert into organization (id, name, slug, tier, personal_of, "createdAt")
    select ${organization.id}::text, ${organization.name}::text, ${organization.slug}::text, ${organization.tier}::text,
      ${organization.ownerId}::text, now()
     where not exists (select 1 from member where "userId" = ${organization.ownerId})
    returning id)
  insert into member (id, "organizationId", "userId", role, "createdAt")
  select ${newAccountId()}::text, made.id, ${organization.ownerId}::text, 'owner', now() from made`.execute(db)

/** Facts about the user of a new session; undefined if there is no such user. */
export const findSessionFacts = async (db: Queryable, userId: string) => {
  const { rows } = await sql<{ emailVerified: boolean; hasTwoFactor: boolean; organizationId: string | null }>`
    select "emailVerified", coalesce("twoFactorEnabled", false) as "hasTwoFactor",
           (select "organizationId" from member where "userId" = "user".id order by "createdAt", id limit 1) as "organizationId"
      from "user" where id = ${userId}`.execute(db)
  return rows[0]
}

export const findUser = async (db: Queryable, userId: string) => {
  const { rows } = await sql<{ name: string; email: string }>`
    select name, email from "user" where id = ${userId}`.execute(db)
  return rows[0]
}

/** Makes an account that signs in with a password. Returns false if the address is taken. */
export const insertVerifiedUser = async (
  db: Queryable,
  user: { id: string; name: string; email: string; passwordHash: string },
  now: Date,
): Promise<boolean> => {
  const { numAffectedRows } = await sql`
    with made as (
      insert into "user" (id, name, email, "emailVerified", proven_at) values (${user.id}, ${user.name}, ${user.email}, true, ${now})
      on conflict (email) do nothing returning id)
    insert into account (id, "accountId", "providerId", "userId", password)
    select ${newAccountId()}::text, made.id, 'credential', made.id, ${user.passwordHash}::text from made`.execute(db)
  return numAffectedRows === 1n
}

export const hasUsers = async (db: Queryable): Promise<boolean> => {
  const { rows } = await sql<{ found: boolean }>`select exists (select 1 from "user") as found`.execute(db)
  return rows[0]?.found === true
}

/** Counts a call in its window. Returns the count and the seconds until the window ends. */
export const countCall = async (db: Queryable, key: string, windowSeconds: number) => {
  const { rows } = await sql<{ count: number; secondsLeft: number }>`
    insert into auth_rate_limits as bucket (key, count, resets_at)
    values (${key}, 1, now() + make_interval(secs => ${windowSeconds}))
    on conflict (key) do update
      set count = case when bucket.resets_at <= now() then 1 else bucket.count + 1 end,
          resets_at = case when bucket.resets_at <= now() then excluded.resets_at else bucket.resets_at end
    returning count, ceil(extract(epoch from resets_at - now()))::integer as "secondsLeft"`.execute(db)
  return rows[0] ?? { count: 1, secondsLeft: windowSeconds }
}

/** True while a window is open in which a call was counted. */
export const hasCallCount = async (db: Queryable, key: string): Promise<boolean> => {
  const { rows } = await sql`select from auth_rate_limits where key = ${key} and resets_at > now()`.execute(db)
  return rows.length > 0
}

/** Resets the count of a key. */
export const deleteCallCount = (db: Queryable, key: string) =>
  sql`delete from auth_rate_limits where key = ${key}`.execute(db)

/** Up to 100 addresses with a live session of an account. */
export const selectSessionAddresses = async (db: Queryable, email: string): Promise<string[]> => {
  const { rows } = await sql<{ address: string }>`
    select distinct "ipAddress" as address from session join "user" on "user".id = session."userId"
     where "user".email = ${email} and session."expiresAt" > now() and "ipAddress" is not null limit 100`.execute(db)
  return rows.map(({ address }) => address)
}

export const deleteEndedWindows = (db: Queryable) =>
  sql`
  delete from auth_rate_limits where key in (
    select key from auth_rate_limits where resets_at < now() order by resets_at limit 100 for update skip locked)`.execute(
    db,
  )

/** The organizations that a user is a member of, by name. */
export const selectOrganizations = async (db: Queryable, userId: string) => {
  const { rows } = await sql<{ id: string; name: string }>`
    select organization.id, organization.name from member join organization on organization.id = member."organizationId"
    where member."userId" = ${userId} and organization.ended_at is null order by organization.name, organization.id limit 500`.execute(
    db,
  )
  return rows
}

/** An account's address, and whether it is confirmed and proven. */
export const findAccount = async (db: Queryable, userId: string) => {
  const { rows } = await sql<{ email: string; emailVerified: boolean; provenAt: Date | null }>`
    select email, "emailVerified", proven_at as "provenAt" from "user" where id = ${userId}`.execute(db)
  return rows[0]
}

/** The account that signed up first. */
export const selectFirstAccount = async (db: Queryable): Promise<string | undefined> => {
  const { rows } = await sql<{ id: string }>`select id from "user" order by "createdAt", id limit 1`.execute(db)
  return rows[0]?.id
}

/** The role of a member of an organization. */
export const findRole = async (db: Queryable, organizationId: string, userId: string): Promise<string | undefined> => {
  const { rows } = await sql<{ role: string }>`
    select role from member where "organizationId" = ${organizationId} and "userId" = ${userId}`.execute(db)
  return rows[0]?.role
}

/** An organization's name and slug. */
export const findOrganization = async (db: Queryable, id: string) => {
  const { rows } = await sql<{ id: string; name: string; slug: string }>`
    select id, name, slug from organization where id = ${id}`.execute(db)
  return rows[0]
}

/** Locks an organization until the transaction ends, without blocking new keys and Brains. False if it was deleted. */
export const lockOrganization = async (db: Queryable, organizationId: string): Promise<boolean> => {
  const { rows } = await sql<{ isThere: boolean }>`
    select ended_at is null as "isThere" from organization where id = ${organizationId} for no key update`.execute(db)
  return rows[0]?.isThere === true
}

/** Locks an account until the transaction ends. */
export const lockUser = (db: Queryable, userId: string) =>
  sql`select from "user" where id = ${userId} for no key update`.execute(db)

/** Counts the organizations that an account owns. */
export const countOwnedOrganizations = async (db: Queryable, userId: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from member where "userId" = ${userId} and role = 'owner'`.execute(db)
  return rows[0]?.count ?? 0
}

/** The hash of a person's password, null without one; undefined where the account is gone. */
export const findPasswordHash = async (db: Queryable, userId: string): Promise<string | null | undefined> => {
  const { rows } = await sql<{ password: string | null }>`
    select account.password from "user" left join account on account."userId" = "user".id and "providerId" = 'credential'
    where "user".id = ${userId}`.execute(db)
  return rows[0]?.password
}

/** Cancels the open invitations of an organization that a person got or sent. */
export const cancelInvitations = (
  db: Queryable,
  { organizationId, userId, email }: { organizationId: string; userId: string; email: string },
) =>
  sql`
  update invitation set status = 'canceled'
  where "organizationId" = ${organizationId} and status = 'pending'
    and ("inviterId" = ${userId} or lower(email) = lower(${email}))`.execute(db)

/** Deletes one session of a person. */
export const deleteSession = (db: Queryable, userId: string, id: string) =>
  sql`delete from session where "userId" = ${userId} and id = ${id}`.execute(db)

/** Deletes every session of a person except one. */
export const deleteOtherSessions = (db: Queryable, userId: string, keptId: string) =>
  sql`delete from session where "userId" = ${userId} and id <> ${keptId}`.execute(db)

/** Locks an account until the transaction ends, and reads it. */
export const lockAccount = async (db: Queryable, userId: string) => {
  await lockUser(db, userId)
  return findAccount(db, userId)
}

/** Marks an account as proven: one person has shown that both mailbox and account are theirs. */
export const markProven = (db: Queryable, userId: string, now: Date) =>
  sql`
  update "user" set "emailVerified" = true, proven_at = ${now}, "updatedAt" = now() where id = ${userId}`.execute(db)

/** Deletes every session of a person. Returns how many there were. */
export const deleteSessions = async (db: Queryable, userId: string): Promise<number> =>
  Number((await sql`delete from session where "userId" = ${userId}`.execute(db)).numAffectedRows ?? 0)

/** Deletes the links for a new password that were sent to a person. */
export const deletePasswordLinks = (db: Queryable, userId: string) =>
  sql`delete from verification where value = ${userId}`.execute(db)

/** Cancels the open invitations that a person sent. */
export const cancelSentInvitations = (db: Queryable, userId: string) =>
  sql`update invitation set status = 'canceled' where "inviterId" = ${userId} and status = 'pending'`.execute(db)

/** The organizations that a person is a member of. */
export const selectMemberships = async (db: Queryable, userId: string): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select "organizationId" as id from member where "userId" = ${userId} order by id`.execute(db)
  return rows.map(({ id }) => id)
}

/** True if an invitation to this address is open. */
export const hasInvitation = async (
  db: Queryable,
  { id, email, now }: { id: string; email: string; now: Date },
): Promise<boolean> => {
  const { rows } = await sql`
    select from invitation join organization on organization.id = invitation."organizationId"
    where invitation.id = ${id} and lower(email) = lower(${email}) and status = 'pending' and "expiresAt" > ${now}
      and ended_at is null`.execute(db)
  return rows.length > 0
}

/** Stores a link that lets a person try to sign in again, by its hash. */
export const insertUnlock = (db: Queryable, link: { identifier: string; userId: string; expiresAt: Date }) =>
  sql`insert into verification (id, identifier, value, "expiresAt")
    values (${newAccountId()}, ${link.identifier}, ${link.userId}, ${link.expiresAt})`.execute(db)

/** Takes such a link, which works once, and answers the address of its account; undefined if there is none that still works. */
export const deleteUnlock = async (
  db: Queryable,
  { identifier, now }: { identifier: string; now: Date },
): Promise<string | undefined> => {
  const { rows } = await sql<{ email: string }>`
    delete from verification using "user" where identifier = ${identifier} and "expiresAt" > ${now} and "user".id = value
    returning "user".email`.execute(db)
  return rows[0]?.email
}

/** The addresses of an organization's owners, oldest members first. */
export const selectOwnerAddresses = async (db: Queryable, organizationId: string, limit: number): Promise<string[]> => {
  const { rows } = await sql<{ email: string }>`
    select email from member join "user" on "user".id = "userId"
    where "organizationId" = ${organizationId} and role = 'owner' order by member."createdAt", member.id limit ${limit}`.execute(
    db,
  )
  return rows.map(({ email }) => email)
}

/** Counts the invitations that an account sent in the last 24 hours, in any state. */
export const countInvitationsToday = async (db: Queryable, userId: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from invitation
    where "inviterId" = ${userId} and "createdAt" > now() - interval '24 hours'`.execute(db)
  return rows[0]?.count ?? 0
}

/** The names of an organization's members by their ids; a member without a name has their address. Others are missing. */
export const selectMemberNames = async (
  db: Queryable,
  organizationId: string,
  userIds: readonly string[],
): Promise<Map<string, string>> => {
  if (userIds.length === 0) return new Map()
  const { rows } = await sql<{ id: string; name: string }>`
    select "user".id, coalesce(nullif(trim("user".name), ''), "user".email) as name from member join "user" on "user".id = member."userId"
    where member."organizationId" = ${organizationId} and member."userId" = any(${[...userIds]})`.execute(db)
  return new Map(rows.map(({ id, name }) => [id, name]))
}
