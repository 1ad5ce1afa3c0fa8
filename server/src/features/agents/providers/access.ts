import type { ProviderKind } from '@noema/contracts/providers.ts'
import type { Outbound } from '../../../shared/outbound/outbound.ts'
import type { SecretBox } from '../../../shared/secret-box.ts'
import type { Db } from '../../../storage/database.ts'
import { type ProviderRow, selectProvider } from './provider-queries.ts'
import { isConfirmed } from './spending-queries.ts'

/** The keys that the operator shares with every organization, by the kind of provider, which is its name, too. */
export type SharedKeys = Readonly<Partial<Record<Exclude<ProviderKind, 'openai-compatible'>, string>>>

/** The needs of opening a provider. */
export type AccessDeps = { keyedDb: Db; secretBox: SecretBox; outbound: Outbound; sharedKeys: SharedKeys }

/** The encrypted part of a provider. */
export type Secrets = { apiKey?: string | undefined; headers: Record<string, string> }

/** All that is needed to call a provider. Never shown, never logged. */
export type ProviderAccess = Secrets & {
  name: string
  kind: ProviderKind
  baseUrl: string
  isUsualUrl: boolean
  /** True if the key is the operator's. */
  isShared: boolean
}

/** The usual addresses; never those that an environment variable of a client library names. */
const usualUrls = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  'openai-compatible': '',
} as const satisfies Record<ProviderKind, string>

/** Why a provider whose secrets are there cannot be used. */
export const unreadableSecrets =
  'Its key cannot be decrypted, because NOEMA_SECRET has changed. Set the provider up again.'

/** Why the operator's key is refused to an organization without a confirmed owner. */
export const unconfirmedOwner =
  "The operator's key serves organizations with a confirmed owner. Confirm your address, or set up a provider with a key of your own."

/** Why a call by the operator's key is refused once the budget of the day is spent. */
export const budgetSpent =
  "This account has spent what it may spend today (UTC) by the operator's key. Continue tomorrow, set up a provider with a key of your own, or ask the operator to raise the limit."

/** Whose the encrypted secrets are: they can be decrypted for the same provider of the same organization alone. */
const secretContext = (organizationId: string, name: string): string => `provider/${organizationId}/${name}`

export const encryptSecrets = (secretBox: SecretBox, organizationId: string, name: string, secrets: Secrets): Buffer =>
  secretBox.encrypt(JSON.stringify(secrets), secretContext(organizationId, name))

/** Undefined where they were encrypted with another secret of the service. */
export const decryptSecrets = (
  { secretBox }: Pick<AccessDeps, 'secretBox'>,
  organizationId: string,
  row: ProviderRow,
): Secrets | undefined => {
  const text = secretBox.decrypt(row.secret, secretContext(organizationId, row.name))
  return text === undefined ? undefined : JSON.parse(text)
}

const isShared = (name: string, keys: SharedKeys): name is keyof SharedKeys => Object.hasOwn(keys, name)

/** The providers that the operator shares, by name. */
export const listShared = (keys: SharedKeys): { name: string; kind: ProviderKind }[] =>
  Object.keys(keys)
    .filter((name) => isShared(name, keys))
    .sort()
    .map((name) => ({ name, kind: name }))

/**
 * The access to a provider of an organization: its own of that name, or else one that the operator shares. Undefined if there is
 * neither; 'unreadable' if its key cannot be decrypted any more, 'unconfirmed' if the operator's key is closed to the
 * organization because no owner has confirmed an address.
 */
export const openProvider = async (
  deps: AccessDeps,
  organizationId: string,
  name: string,
): Promise<ProviderAccess | 'unreadable' | 'unconfirmed' | undefined> => {
  const row = await selectProvider(deps.keyedDb, organizationId, name)
  if (row) {
    const secrets = decryptSecrets(deps, organizationId, row)
    const baseUrl = (row.baseUrl ?? usualUrls[row.kind]).replace(/\/+$/, '')
    return secrets
      ? { ...secrets, name, kind: row.kind, baseUrl, isUsualUrl: baseUrl === usualUrls[row.kind], isShared: false }
      : 'unreadable'
  }
  if (!isShared(name, deps.sharedKeys)) return undefined
  if (!(await isConfirmed(deps.keyedDb, organizationId))) return 'unconfirmed'
  const shared = { isUsualUrl: true, isShared: true, apiKey: deps.sharedKeys[name], headers: {} }
  return { name, kind: name, baseUrl: usualUrls[name], ...shared }
}
