import { createHmac, hash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { insertVerifiedUser, newAccountId } from '../features/accounts/auth/account-queries.ts'
import { createPersonalOrganization } from '../features/accounts/auth/personal-organization.ts'
import type { Db } from '../storage/database.ts'
import { cheapPasswords } from './cheap-passwords.ts'

// Members of organizations without the requests of a sign-up: most tests need a person and not how they signed up.

export const testPassword = 'correct horse battery'

const sessionDays = 7

/** The cookie of a session, signed as Better Auth signs it. */
const toCookie = (token: string, { secret, publicUrl }: { secret: string; publicUrl: string }): string => {
  const signature = createHmac('sha256', secret).update(token).digest('base64')
  const name = publicUrl.startsWith('https:') ? '__Secure-noema.session_token' : 'noema.session_token'
  return `${name}=${encodeURIComponent(`${token}.${signature}`)}`
}

const insertSession = (db: Db, { userId, organizationId }: { userId: string; organizationId: string }, token: string) =>
  sql`
  insert into session (id, token, "expiresAt", "userId", "activeOrganizationId", "ipAddress")
  values (${newAccountId()}, ${`sha256:${hash('sha256', token, 'hex')}`}, now() + make_interval(days => ${sessionDays}),
    ${userId}, ${organizationId}, '127.0.0.1')`.execute(db)

/** A confirmed account with its organization, signed in: the rows that a sign-up and the link of its mail leave. */
export const insertMember = async (
  db: Db,
  { secret, publicUrl, now }: { secret: string; publicUrl: string; now: Date },
) => {
  const user = { id: newAccountId(), name: 'Somebody', email: `${randomBytes(5).toString('hex')}@example.com` }
  await insertVerifiedUser(db, { ...user, passwordHash: await cheapPasswords.hash(testPassword) }, now)
  const organizationId = await createPersonalOrganization(db, user)
  const token = randomBytes(24).toString('base64url')
  await insertSession(db, { userId: user.id, organizationId }, token)
  return { email: user.email, organizationId, cookie: toCookie(token, { secret, publicUrl }) }
}
