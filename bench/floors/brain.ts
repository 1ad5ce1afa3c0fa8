import type { OpenDatabase } from '../../server/src/storage/database.ts'

/** As long as the ids of organizations. */
const organizationId = 'bench'.padEnd(32, '0')

/** A Brain's row, made without Noema. Its name is of no other Brain of the database. */
export const insertBareBrain = async (pool: OpenDatabase['pool'], name = 'bench'): Promise<number> => {
  const organization = `insert into organization (id, name, slug) values ($1, 'bench', 'bench') on conflict do nothing`
  await pool.query(organization, [organizationId])
  const { rows } = await pool.query<{ brain_id: number }>(
    `insert into brains (id, organization_id, handle, cursor_key, created_at, updated_at)
     values ('brn_' || $1, $2, $1, '\\x00', now(), now()) returning brain_id`,
    [name, organizationId],
  )
  return Number(rows[0]?.brain_id)
}
