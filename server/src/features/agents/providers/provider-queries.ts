import type { ProviderKind } from '@noema/contracts/providers.ts'
import { sql } from 'kysely'
import type { Actor } from '../../../shared/actor.ts'
import { actorValue } from '../../../storage/actor-columns.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import type { Made } from '../../../storage/makers.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { inOrder, isAfter } from '../../platform/cursors/page-queries.ts'

export type ProviderRow = {
  name: string
  kind: ProviderKind
  baseUrl: string | null
  secret: Buffer
  createdAt: Date
  updatedAt: Date
  createdBy: Actor
}

const columns = sql`name, kind, base_url as "baseUrl", secret, created_at as "createdAt", updated_at as "updatedAt",
  created_by as "createdBy"`

/** Locks an organization, so that one at a time counts its providers; returns the number of others. */
export const countOtherProviders = async (tx: Tx, organizationId: string, name: string): Promise<number> => {
  await sql`select from organization where id = ${organizationId} for no key update`.execute(tx)
  const { rows } = await sql<{ count: number }>`select count(*) as count from providers
    where organization_id = ${organizationId} and name <> ${name}`.execute(tx)
  return rows[0]?.count ?? 0
}

type NewProvider = Omit<ProviderRow, 'createdAt' | 'updatedAt'> & { organizationId: string; now: Date }

/** Inserts a provider, or replaces it; `isNew` says which. */
export const upsertProvider = async (
  tx: Tx,
  { organizationId, name, kind, baseUrl, secret, now, createdBy }: NewProvider,
): Promise<ProviderRow & { isNew: boolean }> => {
  const { rows } = await sql<ProviderRow & { isNew: boolean }>`
    insert into providers as provider
      (organization_id, name, kind, base_url, secret, created_at, updated_at, created_by)
    values (${organizationId}, ${name}, ${kind}, ${baseUrl}, ${secret}, ${now}, ${now}, ${actorValue(createdBy)})
    on conflict (organization_id, name) do update set kind = excluded.kind, base_url = excluded.base_url,
      secret = excluded.secret, updated_at = excluded.updated_at, created_by = excluded.created_by
    returning ${columns}, xmax = 0 as "isNew"`.execute(tx)
  const [row] = rows
  if (!row) throw new Error('A provider was neither inserted nor replaced.')
  return row
}

/** A page of an organization's providers, by name. */
export const selectProviders = async (db: Queryable, organizationId: string, page: PageRequest<string>) => {
  const { rows } = await sql<ProviderRow>`select ${columns} from providers
    where organization_id = ${organizationId} and ${isAfter(sql`name`, page)}
    ${inOrder(sql`name`, page)} limit ${page.limit}`.execute(db)
  return rows
}

/** One provider of an organization. */
export const selectProvider = async (
  db: Queryable,
  organizationId: string,
  name: string,
): Promise<ProviderRow | undefined> => {
  const { rows } = await sql<ProviderRow>`select ${columns} from providers
    where organization_id = ${organizationId} and name = ${name}`.execute(db)
  return rows[0]
}

/** Deletes a provider; answers what it was. */
export const removeProvider = async (
  db: Queryable,
  organizationId: string,
  name: string,
): Promise<ProviderRow | undefined> => {
  const { rows } = await sql<ProviderRow>`delete from providers
    where organization_id = ${organizationId} and name = ${name} returning ${columns}`.execute(db)
  return rows[0]
}

/** The providers that these makers set up in these organizations. */
export const selectProvidersOfMakers = async (db: Queryable, { makers, organizationIds }: Made) => {
  const { rows } = await sql<{ name: string; baseUrl: string | null }>`
    select name, base_url as "baseUrl" from providers
    where organization_id = any(${[...organizationIds]}) and created_by->>'id' = any(${[...makers]})
    order by name limit 1000`.execute(db)
  return rows
}

/** Deletes what these makers set up in these organizations. */
export const removeProvidersOfMakers = async (db: Queryable, { makers, organizationIds }: Made) => {
  const { rows } = await sql<{ name: string; baseUrl: string | null }>`
    delete from providers
    where organization_id = any(${[...organizationIds]}) and created_by->>'id' = any(${[...makers]})
    returning name, base_url as "baseUrl"`.execute(db)
  return rows
}
