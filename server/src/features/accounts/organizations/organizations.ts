import type { AdministeredOrganization } from '@noema/contracts/admin.ts'
import type { Db } from '../../../storage/database.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { selectOrganizationPage } from './queries.ts'

/** A page of the organizations of the service, for its operator. */
export const listOrganizationPage = async (
  db: Db,
  owner: string | undefined,
  page: PageRequest<string>,
): Promise<AdministeredOrganization[]> =>
  (await selectOrganizationPage(db, owner, page)).map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }))
