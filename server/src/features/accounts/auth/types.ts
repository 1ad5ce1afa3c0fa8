import type { SignInConfig } from '../../../config/sign-in.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { Log } from '../../../shared/log.ts'
import type { Db } from '../../../storage/database.ts'
import type { Mail } from '../../platform/mail/mail.ts'
import type { EndAccess } from './ended-access.ts'
import type { Passwords } from './passwords.ts'

export type AuthSettings = {
  secret: string
  publicUrl: string
  /** The origin of the sign-in pages: this service, or another app. */
  appUrl: string
  /** Every origin whose pages may call, and which links may use. */
  trustedOrigins: Iterable<string>
  /** The number of calls of one address to one path of /api/auth. */
  rateLimit?: { windowSeconds: number; max: number }
  signIn: SignInConfig
  /** Organizations that an account may own, before and after its address is confirmed. */
  maxOrganizations: { unverified: number; verified: number }
  /** Invitations that an account may send a day. */
  maxDailyInvitations: number
  /** Keys and grants of apps of one organization or Brain that work. */
  maxKeys: number
}

/** The dependencies of sign-up, sign-in and everything else under /api/auth. */
export type AuthDeps = {
  db: Db
  clock: Clock
  log: Log
  mail: Mail
  passwords: Passwords
  settings: AuthSettings
  /** Revokes a person's access in every area of the service. */
  endAccess: EndAccess
  /** Reads a document of a stranger on the internet. */
  fetchDocument: typeof fetch
}
