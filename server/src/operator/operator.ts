import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type ManagementKey, mintManagementKey as mintKeyEndpoint } from '@noema/contracts/keys.ts'
import { endAccess } from '../access/end-access.ts'
import { reachableUrl } from '../config/addresses.ts'
import { type Config, readConfig } from '../config/config.ts'
import { BadSetting } from '../config/setting.ts'
import { envExample } from '../config/settings.ts'
import { createAccounts, hasAccounts } from '../features/accounts/auth/auth.ts'
import { scryptPasswords } from '../features/accounts/auth/passwords.ts'
import { type ResetAccount, resetAccount } from '../features/accounts/auth/resetting.ts'
import { mintKey, revokeKey } from '../features/accounts/keys/keys.ts'
import { listManagementKeyPage } from '../features/accounts/keys/read-keys.ts'
import { createMail } from '../features/platform/mail/mail.ts'
import type { Actor } from '../shared/actor.ts'
import { systemClock } from '../shared/clock.ts'
import { conflict, notFound, validation } from '../shared/errors.ts'
import { createLog } from '../shared/log.ts'
import { type Db, openDatabase } from '../storage/database.ts'
import { migrateAt } from '../storage/migrate.ts'
import { findDataFolder, openStorage } from '../storage/open-storage.ts'
import { findOperatorAccount } from './operator-queries.ts'

// Commands of the operator, directly on the database, whether the service runs or not.

type MintRequest = {
  email?: string
  password?: string
  name: string
  /** True to create a missing data folder. */
  create?: boolean
  cwd: string
  env: Readonly<Record<string, string | undefined>>
}

export type MintedKey = {
  /** The location of the database that the key was minted in. */
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
 * Mints a management key for the account with this address, or the oldest one. On an empty database it makes the first account,
 * verified and with its own organization; a generated password is returned once. Throws without data unless `create` is set, because
 * the running service could not use a key of another database.
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
        appUrl: publicUrl,
        ...{ trustedOrigins: [], signIn },
        maxOrganizations,
        maxDailyInvitations,
        maxKeys: config.limits.keys,
      }
      const deps = { db, clock: systemClock, log, passwords: scryptPasswords }
      // No app asks anything of a program that only makes an account.
      await createAccounts({ ...deps, mail, settings, endAccess, fetchDocument: fetch }).createVerified(made)
      const isReported = password === undefined && config.bootstrap === undefined
      account = { email: made.email, created: true, ...(isReported ? { password: made.password } : {}) }
    }
    const member = await findOperatorAccount(db, account?.email ?? email)
    if (!member)
      throw notFound(`No account with an organization has the address ${email}. Sign up first, or omit --email.`)
    const { key, secret } = await mintKey({ db, clock: systemClock, limits: config.limits }, member, { name })
    if (secret === null) throw new Error('a key without an idempotency key is always new')
    return { place: storage.place, secret, key, account: account ?? { email: member.email, created: false } }
  } finally {
    await close()
    await storage.close()
  }
}

type ResetRequest = { email: string; cwd: string; env: Readonly<Record<string, string | undefined>> }

type KeysRequest = { email?: string; cwd: string; env: Readonly<Record<string, string | undefined>> }

/** Opens the database of these settings for one job. Throws if there is none. */
const onDatabase = async <Result>(
  { cwd, env }: Pick<KeysRequest, 'cwd' | 'env'>,
  work: (db: Db, config: Config) => Promise<Result>,
): Promise<{ place: string } & Result> => {
  const config = readConfig(env, cwd)
  checkDataExists(config, cwd)
  const log = createLog('error')
  const storage = await openStorage(config, { log, cwd, ownership: 'shared' })
  const { db, close } = openDatabase(storage.address, log, 2)
  try {
    await migrateAt(storage.address, log)
    return { place: storage.place, ...(await work(db, config)) }
  } finally {
    await close()
    await storage.close()
  }
}

const findMember = async (db: Db, email: string | undefined) => {
  const member = await findOperatorAccount(db, email)
  if (member) return member
  throw notFound(email ? `No account with an organization has the address ${email}.` : 'There is no account yet.')
}

const maxListedKeys = 10_000

/** The management keys of an account's organization, revoked ones included: of the one with this address, or the oldest. */
export const listManagementKeys = (request: KeysRequest): Promise<{ place: string; keys: ManagementKey[] }> =>
  onDatabase(request, async (db) => {
    const { organizationId } = await findMember(db, request.email)
    const page = { after: undefined, limit: maxListedKeys, order: 'asc' as const }
    return { keys: await listManagementKeyPage({ db, clock: systemClock }, organizationId, page) }
  })

const operatorActor = (userId: string): Actor => ({ type: 'system', id: 'operator', userId })

/** Revokes a management key of an account's organization. */
export const revokeManagementKey = (
  request: KeysRequest & { id: string },
): Promise<{ place: string; key: ManagementKey }> =>
  onDatabase(request, async (db) => {
    const member = await findMember(db, request.email)
    const by = { ...member, role: 'owner', actor: operatorActor(member.userId) }
    return { key: await revokeKey({ db, clock: systemClock }, by, request.id) }
  })

/** Replaces a management key: mints one of the same name and expiry, and revokes the old one. */
export const rotateManagementKey = (
  request: KeysRequest & { id: string },
): Promise<{ place: string; key: ManagementKey; previous: ManagementKey; secret: string }> =>
  onDatabase(request, async (db, config) => {
    const member = await findMember(db, request.email)
    const deps = { db, clock: systemClock, limits: config.limits }
    const page = { after: undefined, limit: maxListedKeys, order: 'asc' as const }
    const keys = await listManagementKeyPage(deps, member.organizationId, page)
    const old = keys.find(({ id }) => id === request.id)
    if (old === undefined) throw notFound(`The organization has no key ${JSON.stringify(request.id)}.`)
    if (old.status !== 'active') throw conflict(`The key ${old.id} is ${old.status}: mint a new one.`)
    const expiresAt = old.expiresAt === null ? {} : { expiresAt: old.expiresAt }
    const { key, secret } = await mintKey(deps, member, { name: old.name, ...expiresAt })
    if (secret === null) throw new Error('a key without an idempotency key is always new')
    const by = { ...member, role: 'owner', actor: operatorActor(member.userId) }
    return { key, secret, previous: await revokeKey(deps, by, old.id) }
  })

/** The text of a `.env` with every setting, commented out. */
export const settingsExample = (): string => envExample()

/** The reason why the service cannot start with these settings; undefined if it can. */
export const checkSettings = (env: Readonly<Record<string, string | undefined>>, cwd: string): string | undefined => {
  try {
    readConfig(env, cwd)
    return undefined
  } catch (error) {
    if (error instanceof BadSetting) return error.message
    throw error
  }
}

/** Removes sign-in methods that the owner of an account lost: passkeys, the second factor, the provider's identity. The password stays. */
export const resetSignIn = (request: ResetRequest): Promise<{ place: string } & ResetAccount> =>
  onDatabase(request, (db) => resetAccount({ db, clock: systemClock }, request.email))
