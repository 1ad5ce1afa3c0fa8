import type { AdministeredOrganization } from '@noema/contracts/admin.ts'
import { notFound } from '../../../shared/errors.ts'
import type { Db } from '../../../storage/database.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { selectOrganization, selectOrganizationPage } from './queries.ts'

/** A page of the organizations of the service, for its operator. */
export const listOrganizationPage = async (
  db: Db,
  owner: string | undefined,
  page: PageRequest<string>,
): Promise<AdministeredOrganization[]> =>
  (await selectOrganizationPage(db, owner, page)).map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }))

/** What an organization is called, and how many belong to it. */
export const readOrganization = async (db: Db, id: string) => {
  const found = await selectOrganization(db, id)
  if (!found) throw notFound('This organization was deleted.')
  return { ...found, createdAt: found.createdAt.toISOString() }
}
