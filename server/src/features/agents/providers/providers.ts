import type { AuditAction } from '@noema/contracts/audit.ts'
import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import { maxProviders, type Provider, type putProvider } from '@noema/contracts/providers.ts'
import { type Actor, summarizeActor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { conflict, notFound } from '../../../shared/errors.ts'
import type { Outbound } from '../../../shared/outbound/outbound.ts'
import type { SecretBox } from '../../../shared/secret-box.ts'
import type { Db, Queryable } from '../../../storage/database.ts'
import { holdAccess } from '../../accounts/keys/revoking.ts'
import { addAudit } from '../../platform/audit/audit.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { decryptSecrets, encryptSecrets, type Secrets, unreadableSecrets } from './access.ts'
import {
  countOtherProviders,
  type ProviderRow,
  removeProvider,
  selectProvider,
  selectProviders,
  upsertProvider,
} from './provider-queries.ts'

// Whom language models are asked of. A provider's key and headers are kept encrypted, and nothing here answers them.

type Deps = { db: Db; clock: Clock; outbound: Outbound; secretBox: SecretBox }

const providerView = (row: ProviderRow, secrets: Secrets | undefined): Provider => ({
  name: row.name,
  kind: row.kind,
  baseUrl: row.baseUrl,
  hasApiKey: secrets?.apiKey !== undefined,
  headers: Object.keys(secrets?.headers ?? {}).sort(),
  createdAt: row.createdAt.toISOString(),
  problem: secrets ? null : unreadableSecrets,
  updatedAt: row.updatedAt.toISOString(),
  createdBy: summarizeActor(row.createdBy),
})

type Owner = { organizationId: string; name: string; createdBy: Actor }

/** The audit log's entry of a provider: its address, and only the names of its secret headers. */
const toKept = ({ kind, baseUrl, hasApiKey, headers }: Provider) => ({ kind, baseUrl, hasApiKey, headers })

const toAct = ({ organizationId, name, createdBy }: Owner, action: AuditAction) => ({
  ...{ organizationId, by: createdBy, action, target: { type: 'provider', id: name, name } },
})

/** Sets up a provider, or replaces it with its key and headers. */
export const storeProvider = async (
  deps: Deps,
  owner: Owner,
  { kind, baseUrl, apiKey, headers = {} }: BodyOutput<typeof putProvider>,
): Promise<{ provider: Provider; created: boolean }> => {
  const { organizationId, name, createdBy } = owner
  if (baseUrl !== undefined) await deps.outbound.check(baseUrl, { callee: 'provider', field: 'baseUrl' })
  const secrets: Secrets = { apiKey, headers }
  const secret = encryptSecrets(deps.secretBox, organizationId, name, secrets)
  const now = deps.clock.now()
  return deps.db.transaction().execute(async (tx) => {
    await holdAccess(tx, createdBy, { organizationId })
    if ((await countOtherProviders(tx, organizationId, name)) >= maxProviders)
      throw conflict(`This organization has ${maxProviders} providers, which is the maximum. Delete one first.`, {
        code: 'too_many_providers',
      })
    const former = await selectProvider(tx, organizationId, name)
    const row = await upsertProvider(tx, {
      ...{ organizationId, name, kind, secret, now, createdBy },
      baseUrl: baseUrl ?? null,
    })
    const provider = providerView(row, secrets)
    const act = toAct(owner, former ? 'provider.replaced' : 'provider.created')
    const before = former && toKept(providerView(former, decryptSecrets(deps, organizationId, former)))
    await addAudit(tx, { ...act, ...(before ? { before } : {}), after: toKept(provider) }, now)
    return { provider, created: row.isNew }
  })
}

/** A page of an organization's providers. */
export const listProviderPage = async (deps: Deps, organizationId: string, page: PageRequest<string>) =>
  (await selectProviders(deps.db, organizationId, page)).map((row) =>
    providerView(row, decryptSecrets(deps, organizationId, row)),
  )

const noSuchProvider = (name: string) => notFound(`This organization has no provider ${JSON.stringify(name)}.`)

/** A provider of an organization. */
export const readProvider = async (
  deps: Deps,
  { organizationId, name }: Omit<Owner, 'createdBy'>,
): Promise<Provider> => {
  const row = await selectProvider(deps.db, organizationId, name)
  if (!row) throw noSuchProvider(name)
  return providerView(row, decryptSecrets(deps, organizationId, row))
}

/** Deletes a provider with its key. */
export const deleteProvider = (deps: Deps, { organizationId, name, createdBy }: Owner): Promise<void> =>
  deps.db.transaction().execute(async (tx) => {
    const row = await removeProvider(tx, organizationId, name)
    if (!row) throw noSuchProvider(name)
    const before = toKept(providerView(row, decryptSecrets(deps, organizationId, row)))
    await addAudit(tx, { ...toAct({ organizationId, name, createdBy }, 'provider.deleted'), before }, deps.clock.now())
  })

/** The names of an organization's providers. */
export const listProviderNames = async (db: Queryable, organizationId: string): Promise<string[]> =>
  (await selectProviders(db, organizationId, { after: undefined, limit: maxProviders, order: 'asc' })).map(
    ({ name }) => name,
  )
