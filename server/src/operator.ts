import { randomBytes } from 'node:crypto'
import { reachableUrl, readConfig } from './config.ts'
import { createAccounts, hasAccounts } from './features/accounts/auth/auth.ts'
import { mintKey } from './features/accounts/keys/keys.ts'
import { createMail } from './features/platform/mail/mail.ts'
import { openStorage } from './open-storage.ts'
import { findOperatorAccount } from './operator-queries.ts'
import { systemClock } from './shared/clock.ts'
import { notFound } from './shared/errors.ts'
import { createLog } from './shared/log.ts'
import { openDatabase } from './storage/database.ts'
import { migrate } from './storage/migrate.ts'

// What the operator of a machine does on its database directly, whether the service runs or not.

type MintRequest = {
  email?: string
  password?: string
  name: string
  cwd: string
  env: Readonly<Record<string, string | undefined>>
}

export type MintedKey = {
  secret: string
  key: { id: string; name: string; organizationId: string }
  account: { email: string; created: boolean; password?: string }
}

const firstEmail = 'admin@localhost.localdomain'

/**
 * Mints a management key for an account: the one with this address, or the oldest. On an empty database it makes the
 * first account, verified and with its own organization; a password that was not given is made and answered once.
 */
export const mintManagementKey = async ({ email, password, name, cwd, env }: MintRequest): Promise<MintedKey> => {
  const config = readConfig(env, cwd)
  const log = createLog('error')
  const storage = await openStorage(config, { log, cwd, ownership: 'shared' })
  const { db, close } = openDatabase(storage.address, log, 2)
  try {
    await migrate(db, log)
    let account: MintedKey['account'] | undefined
    if (!(await hasAccounts(db))) {
      const made = {
        email: email ?? config.bootstrap?.email ?? firstEmail,
        password: password ?? config.bootstrap?.password ?? randomBytes(12).toString('base64url'),
      }
      const publicUrl = reachableUrl(config, config.port)
      const mail = createMail({ db, log, clock: systemClock, delivers: false })
      const { maxOrganizations } = config
      const settings = { secret: storage.secret, publicUrl, appOrigin: publicUrl, trustedOrigins: [], maxOrganizations }
      await createAccounts({ db, log, mail, settings }).createVerified(made)
      const isTold = password === undefined && config.bootstrap === undefined
      account = { email: made.email, created: true, ...(isTold ? { password: made.password } : {}) }
    }
    const member = await findOperatorAccount(db, account?.email ?? email)
    if (!member)
      throw notFound(`No account with an organization has the address ${email}. Sign up first, or leave --email out.`)
    const { key, secret } = await mintKey({ db, clock: systemClock }, member, { name })
    if (secret === null) throw new Error('a key without an idempotency key is always new')
    return { secret, key, account: account ?? { email: member.email, created: false } }
  } finally {
    await close()
    await storage.close()
  }
}
