import type { Criterion } from '@noema/contracts/rubrics.ts'
import { sql } from 'kysely'
import type { Actor } from '../../../shared/actor.ts'
import { actorValue } from '../../../storage/actor-columns.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { inOrder, isAfter } from '../../platform/cursors/page-queries.ts'

export type RubricRow = { name: string; version: number; criteria: Criterion[]; createdAt: Date; createdBy: Actor }

type Place = { organizationId: string; name: string }

const columns = sql`name, version, criteria, created_at as "createdAt", created_by as "createdBy"`

/** Locks the rubrics of an organization until the transaction ends, so that their maximum is exact. */
export const lockRubrics = (tx: Tx, organizationId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`rubrics ${organizationId}`}, 0))`.execute(tx)

export const countRubrics = async (tx: Tx, organizationId: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*) as count from rubrics
    where organization_id = ${organizationId}`.execute(tx)
  return rows[0]?.count ?? 0
}

/** A rubric in its newest version, or in another. */
export const selectRubric = async (
  db: Queryable,
  { organizationId, name }: Place,
  version?: number,
): Promise<RubricRow | undefined> => {
  const { rows } = await sql<RubricRow>`select ${columns} from rubrics
    where organization_id = ${organizationId} and name = ${name}
      ${version === undefined ? sql`` : sql`and version = ${version}`}
    order by version desc limit 1`.execute(db)
  return rows[0]
}

/** A page of the organization's rubrics by name, each in its newest version. */
export const selectRubrics = async (
  db: Queryable,
  organizationId: string,
  page: PageRequest<string>,
): Promise<RubricRow[]> => {
  const { rows } = await sql<RubricRow>`select ${columns} from (
      select distinct on (name) * from rubrics where organization_id = ${organizationId} and ${isAfter(sql`name`, page)}
      order by name, version desc) as newest
    ${inOrder(sql`name`, page)} limit ${page.limit}`.execute(db)
  return rows
}

/** A page of the versions of a rubric. */
export const selectRubricVersions = async (
  db: Queryable,
  { organizationId, name }: Place,
  page: PageRequest<number>,
): Promise<RubricRow[]> => {
  const { rows } = await sql<RubricRow>`select ${columns} from rubrics
    where organization_id = ${organizationId} and name = ${name} and ${isAfter(sql`version`, page)}
    ${inOrder(sql`version`, page)} limit ${page.limit}`.execute(db)
  return rows
}

type NewVersion = Place & { version: number; criteria: readonly Criterion[]; by: Actor; now: Date }

export const insertRubric = (tx: Tx, { organizationId, name, version, criteria, by, now }: NewVersion) =>
  sql`insert into rubrics (organization_id, name, version, criteria, created_at, created_by)
    values (${organizationId}, ${name}, ${version}, ${JSON.stringify(criteria)}::json, ${now}, ${actorValue(by)})`.execute(
    tx,
  )

export const deleteRubricRows = async (tx: Tx, { organizationId, name }: Place): Promise<number> => {
  const { rows } = await sql`delete from rubrics where organization_id = ${organizationId} and name = ${name}
    returning version`.execute(tx)
  return rows.length
}
