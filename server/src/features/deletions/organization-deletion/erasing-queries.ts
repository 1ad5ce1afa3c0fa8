import { sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'

/** A live Brain of an organization, by its handle. */
export const selectLiveHandles = async (db: Queryable, organizationId: string, limit: number): Promise<string[]> => {
  const { rows } = await sql<{ handle: string }>`
    select handle from brains where organization_id = ${organizationId} and deleted_at is null
    order by brain_id limit ${limit}`.execute(db)
  return rows.map(({ handle }) => handle)
}

/** True while other workers still erase Brains of an organization. */
export const hasUnerasedBrains = async (db: Queryable, organizationId: string): Promise<boolean> => {
  const { rows } = await sql`
    select from brains where organization_id = ${organizationId} and purged_at is null limit 1`.execute(db)
  return rows.length > 0
}

/** Deletes some rows of an organization from a table whose column names it, and answers how many. */
export const deleteRows = async (
  db: Queryable,
  { table, column }: { table: string; column: string },
  { organizationId, limit }: { organizationId: string; limit: number },
): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where ${sql.ref(column)} = ${organizationId} and ctid = any(
      array(select ctid from ${sql.table(table)} where ${sql.ref(column)} = ${organizationId} limit ${limit}))`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0n)
}

/** Deletes some deliveries of an organization's webhooks, and answers how many. */
export const deleteDeliveries = async (db: Queryable, organizationId: string, limit: number): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from organization_deliveries where id in (
      select delivery.id from organization_webhooks as webhook
        join organization_deliveries as delivery on delivery.webhook_id = webhook.id
      where webhook.organization_id = ${organizationId} limit ${limit})`.execute(db)
  return Number(numAffectedRows ?? 0n)
}

/** Deletes what is left of the erased Brains of an organization: that there were some. */
export const deleteErasedBrains = async (db: Queryable, organizationId: string): Promise<void> => {
  const ofErased = sql`(select brain_id from brains where organization_id = ${organizationId} and purged_at is not null)`
  for (const table of ['events', 'brain_turns', 'brains'])
    await sql`delete from ${sql.table(table)} where brain_id in ${ofErased}`.execute(db)
}

/** Deletes an organization that has ended. */
export const deleteOrganizationRow = (db: Queryable, organizationId: string) =>
  sql`delete from organization where id = ${organizationId} and ended_at is not null`.execute(db)
