import type { OpenDatabase } from '../../server/src/storage/database.ts'

/** A Brain's row, made without Noema. */
export const insertBareBrain = async (pool: OpenDatabase['pool']): Promise<number> => {
  const organization = `insert into organization (id, name, slug) values ('bench', 'bench', 'bench')`
  await pool.query(organization)
  const { rows } = await pool.query<{ brain_id: number }>(
    `insert into brains (id, organization_id, handle, cursor_key, created_at, updated_at)
     values ('brn_bench', 'bench', 'bench', '\\x00', now(), now()) returning brain_id`,
  )
  return Number(rows[0]?.brain_id)
}
