import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { mintManagementKey as mintKeyEndpoint } from '@noema/contracts/keys.ts'
import { endAccess } from './access/end-access.ts'
import { type Config, reachableUrl, readConfig } from './config.ts'
import { createAccounts, hasAccounts, type ResetAccount, resetAccount } from './features/accounts/auth/auth.ts'
import { mintKey } from './features/accounts/keys/keys.ts'
import { createMail } from './features/platform/mail/mail.ts'
import { findDataFolder, openStorage } from './open-storage.ts'
import { findOperatorAccount } from './operator-queries.ts'
import { systemClock } from './shared/clock.ts'
import { notFound, validation } from './shared/errors.ts'
import { createLog } from './shared/log.ts'
import { openDatabase } from './storage/database.ts'
import { migrateAt } from './storage/migrate.ts'

// What the operator of a machine does on its database directly, whether the service runs or not.

type MintRequest = {
  email?: string
  password?: string
  name: string
  /** Whether to make a data folder where there is none. */
  create?: boolean
  cwd: string
  env: Readonly<Record<string, string | undefined>>
}

export type MintedKey = {
  /** Where the database is that the key was minted in. */
  place: string
  secret: string
  key: { id: string; name: string; organizationId: string }
  account: { email: string; created: boolean; password?: string }
}

const firstEmail = 'admin@localhost.localdomain'

const parseKeyName = (given: string): string => {
  const name = mintKeyEndpoint.body.shape.name.safeParse(given)
  if (name.success) return name.data
  throw validation('A key needs a name of 1 to 200 characters.')
}

const checkDataExists = (config: Config, cwd: string): void => {
  const folder = findDataFolder(config, cwd)
  if (folder === undefined || existsSync(join(folder, 'postgres'))) return
  throw notFound(
    `There is no data in ${folder}. Run this where the service runs, or with its NOEMA_DATA_DIR or NOEMA_DATABASE_URL; where keys are minted, --create makes a new database.`,
  )
}

/**
 * Mints a management key for an account: the one with this address, or the oldest. On an empty database it makes the
 * first account, verified and with its own organization; a password that was not given is made and answered once. Throws
 * where there is no data, unless it may `create` it: a key of another database is of no use to the service that runs.
 */
export const mintManagementKey = async (request: MintRequest): Promise<MintedKey> => {
  const { email, password, cwd, env, create = false } = request
  const config = readConfig(env, cwd)
  const name = parseKeyName(request.name)
  if (!create) checkDataExists(config, cwd)
  const log = createLog('error')
  const storage = await openStorage(config, { log, cwd, ownership: 'shared' })
  const { db, close } = openDatabase(storage.address, log, 2)
  try {
    await migrateAt(storage.address, log)
    let account: MintedKey['account'] | undefined
    if (!(await hasAccounts(db))) {
      const made = {
        email: email ?? config.bootstrap?.email ?? firstEmail,
        password: password ?? config.bootstrap?.password ?? randomBytes(12).toString('base64url'),
      }
      const publicUrl = reachableUrl(config, config.port)
      const mail = createMail({ db, log, clock: systemClock, delivers: false })
      const { maxOrganizations, maxDailyInvitations, signIn } = config
      const settings = {
        secret: storage.secret,
        publicUrl,
        appOrigin: publicUrl,
        ...{ trustedOrigins: [], signIn },
        maxOrganizations,
        maxDailyInvitations,
      }
      await createAccounts({ db, clock: systemClock, log, mail, settings, endAccess }).createVerified(made)
      const isTold = password === undefined && config.bootstrap === undefined
      account = { email: made.email, created: true, ...(isTold ? { password: made.password } : {}) }
    }
    const member = await findOperatorAccount(db, account?.email ?? email)
    if (!member)
      throw notFound(`No account with an organization has the address ${email}. Sign up first, or leave --email out.`)
    const { key, secret } = await mintKey({ db, clock: systemClock, maxKeys: config.maxKeys }, member, { name })
    if (secret === null) throw new Error('a key without an idempotency key is always new')
    return { place: storage.place, secret, key, account: account ?? { email: member.email, created: false } }
  } finally {
    await close()
    await storage.close()
  }
}

type ResetRequest = { email: string; cwd: string; env: Readonly<Record<string, string | undefined>> }

/** Takes from an account what its owner lost: passkeys, the second factor, the provider's identity. Its password stays. */
export const resetSignIn = async ({ email, cwd, env }: ResetRequest): Promise<{ place: string } & ResetAccount> => {
  const config = readConfig(env, cwd)
  checkDataExists(config, cwd)
  const log = createLog('error')
  const storage = await openStorage(config, { log, cwd, ownership: 'shared' })
  const { db, close } = openDatabase(storage.address, log, 2)
  try {
    await migrateAt(storage.address, log)
    return { place: storage.place, ...(await resetAccount({ db, clock: systemClock }, email)) }
  } finally {
    await close()
    await storage.close()
  }
}
