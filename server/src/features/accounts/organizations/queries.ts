import type { AdministeredOrganization } from '@noema/contracts/admin.ts'
import type { OrganizationDetail } from '@noema/contracts/administered-organizations.ts'
import { sql } from 'kysely'
import { hasConfirmedOwner } from '../../../storage/confirmed-owner.ts'
import type { Queryable } from '../../../storage/database.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { inOrder, isAfter } from '../../platform/cursors/page-queries.ts'

export type OrganizationRow = Omit<AdministeredOrganization, 'createdAt'> & { createdAt: Date }

/** Filter of organizations. */
export type OrganizationFilter = {
  owner?: string | undefined
  q?: string | undefined
  tier?: AdministeredOrganization['tier'] | undefined
  state: AdministeredOrganization['state']
}

const columns = sql`organization.id, organization.name, organization.slug, organization.tier, organization."createdAt",
  case when organization.ended_at is null then 'active' else 'ended' end as state,
  (select count(*) from member where member."organizationId" = organization.id) as members,
  (select count(*) from brain_directory as brain where brain.organization_id = organization.id and deleted_at is null) as brains,
  coalesce((select json_agg(json_build_object('userId', account.id, 'email', account.email,
      'emailVerified', account."emailVerified") order by member."createdAt", member.id)
    from member join "user" as account on account.id = member."userId"
    where member."organizationId" = organization.id and member.role = 'owner'), '[]') as owners`

const isOwnedBy = (condition: ReturnType<typeof sql>) => sql`id in (
  select "organizationId" from member join "user" as account on account.id = "userId"
  where role = 'owner' and ${condition})`

const isMatch = ({ owner, q, tier, state }: OrganizationFilter) => {
  const has = (column: ReturnType<typeof sql>) => sql`strpos(lower(${column}), lower(${q ?? ''})) > 0`
  return sql`ended_at is ${state === 'active' ? sql`null` : sql`not null`}
    ${tier === undefined ? sql`` : sql`and tier = ${tier}`}
    ${owner === undefined ? sql`` : sql`and ${isOwnedBy(sql`account.email = lower(${owner})`)}`}
    ${q === undefined ? sql`` : sql`and (id = ${q} or ${has(sql`name`)} or ${has(sql`slug`)} or ${isOwnedBy(has(sql`account.email`))})`}`
}

/** A page of organizations with their owners, and how many members and live Brains each has. */
export const selectOrganizationPage = async (
  db: Queryable,
  filter: OrganizationFilter,
  page: PageRequest<string>,
): Promise<OrganizationRow[]> => {
  const { rows } = await sql<OrganizationRow>`
    select ${columns}
    from (select * from organization where ${isMatch(filter)} and ${isAfter(sql`id`, page)}
      ${inOrder(sql`id`, page)} limit ${page.limit}) as organization
    ${inOrder(sql`organization.id`, page)}`.execute(db)
  return rows
}

/** An organization that was not deleted, and whether one of its owners has confirmed an address. */
export const selectAdministered = async (
  db: Queryable,
  id: string,
): Promise<(OrganizationRow & { verified: boolean }) | undefined> => {
  const { rows } = await sql<OrganizationRow & { verified: boolean }>`
    select ${columns}, ${hasConfirmedOwner(sql`organization.id`)} as verified
    from organization where id = ${id} and ended_at is null`.execute(db)
  return rows[0]
}

type MemberRow = Omit<OrganizationDetail['members'][number], 'joinedAt'> & { joinedAt: Date }

/** The members of an organization, earliest first. */
export const selectMembers = async (db: Queryable, id: string, limit: number): Promise<MemberRow[]> => {
  const { rows } = await sql<MemberRow>`
    select account.id as "userId", account.name, account.email, account."emailVerified", member.role,
      member."createdAt" as "joinedAt"
    from member join "user" as account on account.id = member."userId" where member."organizationId" = ${id}
    order by member."createdAt", member.id limit ${limit}`.execute(db)
  return rows
}

export type OwnRow = { id: string; name: string; slug: string; createdAt: Date; members: number }

/** An organization's name and number of members; undefined if it was deleted. */
export const selectOrganization = async (db: Queryable, id: string): Promise<OwnRow | undefined> => {
  const { rows } = await sql<OwnRow>`
    select id, name, slug, "createdAt", (select count(*) from member where "organizationId" = organization.id) as members
    from organization where id = ${id} and ended_at is null`.execute(db)
  return rows[0]
}
