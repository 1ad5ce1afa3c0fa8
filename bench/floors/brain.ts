import type { OpenDatabase } from '../../server/src/storage/database.ts'

/** A Brain's row, made without Noema. Its name is of no other Brain of the database. */
export const insertBareBrain = async (pool: OpenDatabase['pool'], name = 'bench'): Promise<number> => {
  await pool.query(
    `insert into organization (id, name, slug) values ('bench', 'bench', 'bench') on conflict do nothing`,
  )
  const { rows } = await pool.query<{ brain_id: number }>(
    `insert into brains (id, organization_id, handle, cursor_key, created_at, updated_at)
     values ('brn_' || $1, 'bench', $1, '\\x00', now(), now()) returning brain_id`,
    [name],
  )
  return Number(rows[0]?.brain_id)
}
