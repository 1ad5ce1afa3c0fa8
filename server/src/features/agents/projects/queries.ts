import { sql } from 'kysely'
import type { Queryable, Tx } from '../../../storage/database.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { inOrder, isAfter } from '../../platform/cursors/page-queries.ts'

export type ProjectRow = { id: string; name: string; isDefault: boolean; createdAt: Date; archivedAt: Date | null }

const columns = sql`id, name, is_default as "isDefault", created_at as "createdAt", archived_at as "archivedAt"`

/** The default project of an organization, if it was made already. */
export const selectDefaultProject = async (db: Queryable, organizationId: string): Promise<ProjectRow | undefined> => {
  const { rows } = await sql<ProjectRow>`select ${columns} from projects
    where organization_id = ${organizationId} and is_default`.execute(db)
  return rows[0]
}

/** When an organization was made; undefined where there is none. */
export const selectOrganizationTime = async (db: Queryable, organizationId: string): Promise<Date | undefined> => {
  const { rows } = await sql<{ createdAt: Date }>`select "createdAt" from organization
    where id = ${organizationId}`.execute(db)
  return rows[0]?.createdAt
}

/** Inserts an organization's default project unless it has one. */
export const insertDefaultProject = (
  db: Queryable,
  organizationId: string,
  { id, name, createdAt }: Pick<ProjectRow, 'id' | 'name' | 'createdAt'>,
) =>
  sql`insert into projects (organization_id, id, name, is_default, created_at)
    values (${organizationId}, ${id}, ${name}, true, ${createdAt})
    on conflict do nothing`.execute(db)

/** Locks an organization, so that one at a time counts its projects; returns their number, with archived ones. */
export const countProjects = async (tx: Tx, organizationId: string): Promise<number> => {
  await sql`select from organization where id = ${organizationId} for no key update`.execute(tx)
  const { rows } = await sql<{ count: number }>`select count(*) as count from projects
    where organization_id = ${organizationId}`.execute(tx)
  return rows[0]?.count ?? 0
}

export const insertProject = async (
  tx: Tx,
  organizationId: string,
  { id, name, createdAt }: Pick<ProjectRow, 'id' | 'name' | 'createdAt'>,
): Promise<ProjectRow | undefined> => {
  const { rows } = await sql<ProjectRow>`insert into projects (organization_id, id, name, created_at)
    values (${organizationId}, ${id}, ${name}, ${createdAt}) returning ${columns}`.execute(tx)
  return rows[0]
}

/** One project of an organization; `lock` keeps it from being archived until the transaction ends. */
export const selectProject = async (
  db: Queryable,
  organizationId: string,
  id: string,
  { lock = false } = {},
): Promise<ProjectRow | undefined> => {
  const { rows } = await sql<ProjectRow>`select ${columns} from projects
    where organization_id = ${organizationId} and id = ${id} ${lock ? sql`for share` : sql``}`.execute(db)
  return rows[0]
}

/** A page of an organization's projects. */
export const selectProjects = async (db: Queryable, organizationId: string, page: PageRequest<string>) => {
  const { rows } = await sql<ProjectRow>`select ${columns} from projects
    where organization_id = ${organizationId} and ${isAfter(sql`id`, page)}
    ${inOrder(sql`id`, page)} limit ${page.limit}`.execute(db)
  return rows
}

export const renameProject = async (db: Queryable, organizationId: string, id: string, name: string) => {
  const { rows } = await sql<ProjectRow>`update projects set name = ${name}
    where organization_id = ${organizationId} and id = ${id} returning ${columns}`.execute(db)
  return rows[0]
}

/** Archives a project; one that is archived keeps its time. */
export const archiveProjectRow = async (db: Queryable, organizationId: string, id: string, now: Date) => {
  const { rows } = await sql<ProjectRow>`update projects set archived_at = coalesce(archived_at, ${now})
    where organization_id = ${organizationId} and id = ${id} returning ${columns}`.execute(db)
  return rows[0]
}
