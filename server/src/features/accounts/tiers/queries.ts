import { sql } from 'kysely'
import type { Tx } from '../../../storage/database.ts'

/** Sets the tier of an organization and returns the former one; undefined if no organization has this id. */
export const updateTier = async (tx: Tx, organizationId: string, tier: string): Promise<string | undefined> => {
  const { rows } = await sql<{ tier: string }>`
    select tier from organization where id = ${organizationId} for update`.execute(tx)
  await sql`update organization set tier = ${tier} where id = ${organizationId}`.execute(tx)
  return rows[0]?.tier
}
