import type { SchemaKind } from '@noema/contracts/schema-kinds.ts'
import { sql } from 'kysely'
import type { Actor } from '../../../shared/actor.ts'
import { actorValue } from '../../../storage/actor-columns.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { inOrder, isAfter } from '../../platform/cursors/page-queries.ts'

/** One version of an organization schema. */
export type OrganizationSchemaRow = { name: string; version: number; kinds: SchemaKind[]; createdAt: Date }

/** An organization schema at a version, or the newest. */
export const selectOrganizationSchema = async (
  db: Queryable,
  organizationId: string,
  name: string,
  version?: number | undefined,
) => {
  const { rows } = await sql<OrganizationSchemaRow>`
    select name, version, kinds, created_at as "createdAt" from organization_schemas
    where organization_id = ${organizationId} and name = ${name}
      ${version === undefined ? sql`` : sql`and version = ${version}`}
    order by version desc limit 1`.execute(db)
  return rows[0]
}

/** Locks the schemas of an organization until the transaction ends, so that their maximum is exact. */
export const lockOrganizationSchemas = (tx: Tx, organizationId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`schemas ${organizationId}`}, 0))`.execute(tx)

/** Counts the versions of schemas of an organization. */
export const countOrganizationSchemas = async (db: Queryable, organizationId: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*) as count from organization_schemas
    where organization_id = ${organizationId}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Inserts a version of an organization schema unless another request has just made it. */
export const insertOrganizationSchema = async (
  db: Queryable,
  organizationId: string,
  row: { name: string; version: number; kinds: readonly SchemaKind[]; createdBy: Actor },
  now: Date,
) => {
  const { rows } = await sql<OrganizationSchemaRow>`
    insert into organization_schemas (organization_id, name, version, kinds, created_by, created_by_actor, created_at)
    values (${organizationId}, ${row.name}, ${row.version}, ${JSON.stringify(row.kinds)}::json, ${row.createdBy.id},
      ${actorValue(row.createdBy)}, ${now})
    on conflict do nothing returning name, version, kinds, created_at as "createdAt"`.execute(db)
  return rows[0]
}

/** A page of the organization's schemas by name, the newest version of each. */
export const selectOrganizationSchemas = async (db: Queryable, organizationId: string, page: PageRequest<string>) => {
  const { rows } = await sql<Omit<OrganizationSchemaRow, 'kinds'>>`
    select distinct on (name) name, version, created_at as "createdAt" from organization_schemas
    where organization_id = ${organizationId} and ${isAfter(sql`name`, page)}
    ${inOrder(sql`name`, page)}, version desc limit ${page.limit}`.execute(db)
  return rows
}
