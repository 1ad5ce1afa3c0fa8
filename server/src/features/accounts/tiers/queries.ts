import { sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'

/** Sets the tier of an organization; false where there is none of this id. */
export const updateTier = async (db: Queryable, organizationId: string, tier: string): Promise<boolean> => {
  const { rows } = await sql`update organization set tier = ${tier} where id = ${organizationId} returning id`.execute(
    db,
  )
  return rows.length > 0
}
