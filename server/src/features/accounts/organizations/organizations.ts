import type { AdministeredOrganization } from '@noema/contracts/admin.ts'
import { notFound } from '../../../shared/errors.ts'
import type { Db } from '../../../storage/database.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import {
  type OrganizationFilter,
  type OrganizationRow,
  selectAdministered,
  selectMembers,
  selectOrganization,
  selectOrganizationPage,
} from './queries.ts'

const toOrganization = (row: OrganizationRow): AdministeredOrganization => ({
  ...row,
  createdAt: row.createdAt.toISOString(),
})

/** A page of the organizations of the service, for its operator. */
export const listOrganizationPage = async (
  db: Db,
  filter: OrganizationFilter,
  page: PageRequest<string>,
): Promise<AdministeredOrganization[]> => (await selectOrganizationPage(db, filter, page)).map(toOrganization)

const maxMembers = 500

/** One organization with its members, for the operator of the service. */
export const findOrganization = async (db: Db, id: string) => {
  const found = await selectAdministered(db, id)
  if (!found) throw notFound(`There is no organization ${JSON.stringify(id)}.`)
  const { verified, ...row } = found
  const members = await selectMembers(db, id, maxMembers)
  return {
    organization: toOrganization(row),
    verified,
    members: members.map((member) => ({ ...member, joinedAt: member.joinedAt.toISOString() })),
  }
}

/** An organization's name and number of members. */
export const readOrganization = async (db: Db, id: string) => {
  const found = await selectOrganization(db, id)
  if (!found) throw notFound('This organization was deleted.')
  return { ...found, createdAt: found.createdAt.toISOString() }
}
