import { sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'

/** The account of a person of an OpenID provider. */
export const findIdentity = async (db: Queryable, subject: string) => {
  const { rows } = await sql<{ userId: string; email: string }>`
    select "user".id as "userId", "user".email from account join "user" on "user".id = account."userId"
     where account."providerId" = 'oidc' and account."accountId" = ${subject}`.execute(db)
  return rows[0]
}

/** Checks whether an account belongs to a person of this issuer. */
export const hasIdentity = async (db: Queryable, userId: string, issuer: string): Promise<boolean> => {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select 1 from account
      where "userId" = ${userId} and "providerId" = 'oidc' and split_part("accountId", ' ', 1) = ${issuer}) as found`.execute(
    db,
  )
  return rows[0]?.found === true
}

/** Deletes the passkeys and the second factor of an account. Returns how many there were. */
export const deleteFactors = async (db: Queryable, userId: string) => {
  const passkeys = await sql`delete from passkey where "userId" = ${userId}`.execute(db)
  const factors = await sql`delete from "twoFactor" where "userId" = ${userId}`.execute(db)
  await sql`update "user" set "twoFactorEnabled" = false where id = ${userId} and "twoFactorEnabled"`.execute(db)
  return { passkeys: Number(passkeys.numAffectedRows ?? 0), factors: Number(factors.numAffectedRows ?? 0) }
}

/** Unlinks an account from its OpenID identities. Returns how many there were. */
export const deleteIdentities = async (db: Queryable, userId: string): Promise<number> =>
  Number(
    (await sql`delete from account where "userId" = ${userId} and "providerId" <> 'credential'`.execute(db))
      .numAffectedRows ?? 0,
  )

/** Deletes the password of an account. */
export const deletePassword = (db: Queryable, userId: string) =>
  sql`delete from account where "userId" = ${userId} and "providerId" = 'credential'`.execute(db)

/** Deletes challenges and links that have expired. */
export const deleteExpiredVerifications = (db: Queryable) =>
  sql`
  delete from verification where id in (
    select id from verification where "expiresAt" < now() order by "expiresAt" limit 100 for update skip locked)`.execute(
    db,
  )

/** Counts the passkeys of an account. */
export const countPasskeys = async (db: Queryable, userId: string): Promise<number> => {
  const { rows } = await sql<{
    count: number
  }>`select count(*) as count from passkey where "userId" = ${userId}`.execute(db)
  return rows[0]?.count ?? 0
}

export const findUserByEmail = async (db: Queryable, email: string) => {
  const { rows } = await sql<{ id: string }>`select id from "user" where email = ${email}`.execute(db)
  return rows[0]
}
