import type { AdministeredOrganization } from '@noema/contracts/admin.ts'
import { sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import { inOrder, isAfter, type PageRequest } from '../../platform/cursors/cursors.ts'

export type OrganizationRow = Omit<AdministeredOrganization, 'createdAt'> & { createdAt: Date }

/** A page of organizations with their owners, and how many members and live Brains each has. */
export const selectOrganizationPage = async (
  db: Queryable,
  owner: string | undefined,
  page: PageRequest<string>,
): Promise<OrganizationRow[]> => {
  const { rows } = await sql<OrganizationRow>`
    select organization.id, organization.name, organization.tier, organization."createdAt",
      (select count(*) from member where member."organizationId" = organization.id) as members,
      (select count(*) from brains where brains.organization_id = organization.id and deleted_at is null) as brains,
      coalesce((select json_agg(json_build_object('userId', account.id, 'email', account.email,
          'emailVerified', account."emailVerified") order by member."createdAt", member.id)
        from member join "user" as account on account.id = member."userId"
        where member."organizationId" = organization.id and member.role = 'owner'), '[]') as owners
    from (select * from organization where ended_at is null and ${isAfter(sql`id`, page)}
        ${
          owner === undefined
            ? sql``
            : sql`and id in (select "organizationId" from member join "user" as account on account.id = "userId"
                where role = 'owner' and account.email = lower(${owner}))`
        }
      ${inOrder(sql`id`, page)} limit ${page.limit}) as organization
    ${inOrder(sql`organization.id`, page)}`.execute(db)
  return rows
}

export type OwnRow = { id: string; name: string; slug: string; createdAt: Date; members: number }

/** What an organization is called, and how many belong to it; undefined where it was deleted. */
export const selectOrganization = async (db: Queryable, id: string): Promise<OwnRow | undefined> => {
  const { rows } = await sql<OwnRow>`
    select id, name, slug, "createdAt", (select count(*) from member where "organizationId" = organization.id) as members
    from organization where id = ${id} and ended_at is null`.execute(db)
  return rows[0]
}
