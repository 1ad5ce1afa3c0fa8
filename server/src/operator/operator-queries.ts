import { sql } from 'kysely'
import type { Db } from '../storage/database.ts'

/** The account of an address, or the oldest, with the oldest organization that it owns. */
export const findOperatorAccount = async (db: Db, email: string | undefined) => {
  const { rows } = await sql<{ userId: string; email: string; organizationId: string }>`
    select account.id as "userId", account.email, member."organizationId"
    from "user" as account join member on member."userId" = account.id and member.role = 'owner'
    where ${email === undefined ? sql`true` : sql`account.email = ${email.toLowerCase()}`}
    order by account."createdAt", member."createdAt" limit 1`.execute(db)
  return rows[0]
}
