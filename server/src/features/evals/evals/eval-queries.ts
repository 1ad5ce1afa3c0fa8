import { maxPageBytes } from '@noema/contracts/common.ts'
import type { EvalCase, EvalDefinition } from '@noema/contracts/evals.ts'
import { sql } from 'kysely'
import type { Actor } from '../../../shared/actor.ts'
import { actorValue } from '../../../storage/actor-columns.ts'
import { hidesEval, hidesTarget, holds, isVisible, type Viewer } from '../../../storage/brain-access.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { cutByLength, inOrder, isAfter } from '../../platform/cursors/page-queries.ts'

/** An eval in its newest version. */
export type EvalRow = {
  id: string
  version: number
  definition: EvalDefinition
  cases: number
  createdAt: Date
  updatedAt: Date
  updatedBy: Actor
  archivedAt: Date | null
}

export type EvalKey = { organizationId: string; id: string }

const columns = sql`tested.id, tested.version, version.definition, version.cases, tested.created_at as "createdAt",
  version.created_at as "updatedAt", version.created_by as "updatedBy", tested.archived_at as "archivedAt"`

const withVersion = sql`evals as tested join eval_versions as version on version.organization_id = tested.organization_id
  and version.eval_id = tested.id and version.version = tested.version`

/** Locks the evals of an organization until the transaction ends, so that their maximum is exact. */
export const lockEvals = (tx: Tx, organizationId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`evals ${organizationId}`}, 0))`.execute(tx)

export const countEvals = async (tx: Tx, organizationId: string): Promise<{ evals: number; versions: number }> => {
  const { rows } = await sql<{ evals: number; versions: number }>`select
    (select count(*) from evals where organization_id = ${organizationId} and archived_at is null) as evals,
    (select count(*) from eval_versions where organization_id = ${organizationId}) as versions`.execute(tx)
  return rows[0] ?? { evals: 0, versions: 0 }
}

/** An eval; `lock` keeps it as it is until the transaction ends. */
export const selectEval = async (
  db: Queryable,
  { organizationId, id }: EvalKey,
  { lock }: { lock?: 'change' | 'archiving' } = {},
): Promise<EvalRow | undefined> => {
  const locking = { change: sql`for no key update`, archiving: sql`for share` }
  if (lock)
    await sql`select from evals where organization_id = ${organizationId} and id = ${id} ${locking[lock]}`.execute(db)
  const { rows } = await sql<EvalRow>`select ${columns} from ${withVersion}
    where tested.organization_id = ${organizationId} and tested.id = ${id}`.execute(db)
  return rows[0]
}

/** True unless an eval is hidden from a person. */
export const isEvalShown = (db: Queryable, { organizationId, id }: EvalKey, viewer: Viewer): Promise<boolean> =>
  holds(
    db,
    isVisible(viewer, (userId) => hidesEval(sql`${organizationId}::text`, sql`${id}::text`, userId)),
  )

/** The definition of an eval in one version. */
export const selectDefinition = async (
  db: Queryable,
  { organizationId, id }: EvalKey,
  version: number,
): Promise<EvalDefinition | undefined> => {
  const { rows } = await sql<{ definition: EvalDefinition }>`select definition from eval_versions
    where organization_id = ${organizationId} and eval_id = ${id} and version = ${version}`.execute(db)
  return rows[0]?.definition
}

type NewVersion = EvalKey & {
  version: number
  definition: EvalDefinition
  cases: number
  by: Actor
  now: Date
}

/** Inserts the first version of an eval, or the next one. */
export const insertVersion = async (tx: Tx, given: NewVersion): Promise<void> => {
  const { organizationId, id, version, definition, cases, by, now } = given
  const targetBrain = 'brainId' in definition.target ? definition.target.brainId : null
  await sql`insert into eval_versions (organization_id, eval_id, version, definition, cases, created_at, created_by)
    values (${organizationId}, ${id}, ${version}, ${JSON.stringify(definition)}::json, ${cases}, ${now},
      ${actorValue(by)})`.execute(tx)
  await sql`insert into evals (organization_id, id, version, target_brain, created_at)
    values (${organizationId}, ${id}, ${version}, ${targetBrain}, ${now})
    on conflict (organization_id, id) do update set version = excluded.version, target_brain = excluded.target_brain`.execute(
    tx,
  )
}

/**
 * Writes the cases of the next version. `keeps`: other cases stay, except those to remove. Answers how many differ from the version
 * before.
 */
export const writeCases = async (
  tx: Tx,
  { organizationId, id, version }: EvalKey & { version: number },
  { cases, remove, keeps }: { cases: readonly EvalCase[]; remove: readonly string[]; keeps: boolean },
): Promise<number> => {
  const given = JSON.stringify(cases.map((content) => ({ id: content.id, content })))
  const { rows } = await sql<{ changed: number }>`
    with given as materialized (select id, content from json_to_recordset(${given}::json) as given (id text, content json)),
    present as materialized (select id, content::text as content from eval_cases
      where organization_id = ${organizationId} and eval_id = ${id} and to_version is null),
    closed as (
      update eval_cases as held set to_version = ${version}
      where held.organization_id = ${organizationId} and held.eval_id = ${id} and held.to_version is null
        and (held.id = any(${[...remove]}::text[])
          or exists (select 1 from given where given.id = held.id and given.content::text <> held.content::text)
          or (${!keeps}::boolean and not exists (select 1 from given where given.id = held.id)))
      returning held.id),
    added as (
      insert into eval_cases (organization_id, eval_id, id, from_version, content)
      select ${organizationId}, ${id}, given.id, ${version}, given.content from given
      where not exists (select 1 from present where present.id = given.id and present.content = given.content::text)
      returning id)
    select (select count(*) from closed) + (select count(*) from added) as changed`.execute(tx)
  return rows[0]?.changed ?? 0
}

/** The number of the newest cases of an eval, and their bytes. */
export const measureCases = async (
  tx: Tx,
  { organizationId, id }: EvalKey,
): Promise<{ cases: number; bytes: number }> => {
  const { rows } = await sql<{ cases: number; bytes: number }>`
    select count(*) as cases, coalesce(sum(octet_length(content::text)), 0)::bigint as bytes from eval_cases
    where organization_id = ${organizationId} and eval_id = ${id} and to_version is null`.execute(tx)
  return rows[0] ?? { cases: 0, bytes: 0 }
}

const isIn = (version: number) => sql`from_version <= ${version} and (to_version is null or to_version > ${version})`

/** Some cases of a version of an eval after one, in the order of their ids. */
export const selectCasesAfter = async (
  db: Queryable,
  { organizationId, id, version }: EvalKey & { version: number },
  { after, limit }: { after: string; limit: number },
): Promise<EvalCase[]> => {
  const { rows } = await sql<{ content: EvalCase }>`select content from eval_cases
    where organization_id = ${organizationId} and eval_id = ${id} and ${isIn(version)} and id > ${after}
    order by id limit ${limit}`.execute(db)
  return rows.map(({ content }) => content)
}

/** Some cases of a version of an eval by their ids. */
export const selectCasesByIds = async (
  db: Queryable,
  { organizationId, id, version }: EvalKey & { version: number },
  ids: readonly string[],
): Promise<Map<string, EvalCase>> => {
  const { rows } = await sql<{ content: EvalCase }>`select content from eval_cases
    where organization_id = ${organizationId} and eval_id = ${id} and ${isIn(version)} and id = any(${[...ids]}::text[])`.execute(
    db,
  )
  return new Map(rows.map(({ content }) => [content.id, content]))
}

/** True if a viewer may see what a version of an eval reads. The row of the version is called `version`. */
const isVersionShown = (viewer: Viewer) =>
  isVisible(viewer, (userId) => hidesTarget(sql`version.organization_id`, sql`(version.definition->'target')`, userId))

/** A page of the cases of a version of an eval; none if a viewer may not see the version. */
export const selectCases = async (
  db: Queryable,
  { organizationId, id, version, viewer }: EvalKey & { version: number; viewer: Viewer },
  page: PageRequest<string>,
): Promise<EvalCase[]> => {
  const { rows } = await sql<{ content: EvalCase }>`select content from eval_cases
    where organization_id = ${organizationId} and eval_id = ${id} and ${isIn(version)} and ${isAfter(sql`id`, page)}
      and exists (select 1 from eval_versions as version where version.organization_id = ${organizationId}
        and version.eval_id = ${id} and version.version = ${version} and ${isVersionShown(viewer)})
    ${inOrder(sql`id`, page)} limit ${page.limit}`.execute(db)
  return rows.map(({ content }) => content)
}

const sizes = { size: sql`pg_column_size(definition)`, length: sql`octet_length(definition::text)` }

type Paged<Row> = { rows: Row[]; found: number }

const selectPage = async <Row>(
  db: Queryable,
  rows: ReturnType<typeof sql>,
  page: PageRequest<string> | PageRequest<number>,
): Promise<Paged<Row>> => {
  const cut = cutByLength({ rows, ...sizes }, { ...page, maxBytes: maxPageBytes / 2 })
  const read = await sql<
    Row & { found: number }
  >`select * from (${cut}) as fitting ${inOrder(sql`place`, page)}`.execute(db)
  return { rows: read.rows, found: read.rows[0]?.found ?? 0 }
}

/** A page of the evals of an organization that a viewer may see. */
export const selectEvals = (
  db: Queryable,
  organizationId: string,
  { archived, viewer }: { archived: boolean | undefined; viewer: Viewer },
  page: PageRequest<string>,
): Promise<Paged<EvalRow>> => {
  const isShown = isVisible(viewer, (userId) => hidesEval(sql`tested.organization_id`, sql`tested.id`, userId))
  return selectPage<EvalRow>(
    db,
    sql`select tested.id as place, ${columns} from ${withVersion}
      where tested.organization_id = ${organizationId} and ${isAfter(sql`tested.id`, page)}
        ${archived === undefined ? sql`` : archived ? sql`and archived_at is not null` : sql`and archived_at is null`}
        and ${isShown}
      ${inOrder(sql`tested.id`, page)} limit ${page.limit + 1}`,
    page,
  )
}

export type VersionRow = {
  version: number
  definition: EvalDefinition
  cases: number
  createdAt: Date
  createdBy: Actor
}

/** A page of the versions of an eval that a viewer may see. */
export const selectVersions = (
  db: Queryable,
  { organizationId, id, viewer }: EvalKey & { viewer: Viewer },
  page: PageRequest<number>,
): Promise<Paged<VersionRow>> =>
  selectPage<VersionRow>(
    db,
    sql`select version.version as place, version.version, definition, cases, created_at as "createdAt", created_by as "createdBy"
      from eval_versions as version where organization_id = ${organizationId} and eval_id = ${id}
        and ${isAfter(sql`version.version`, page)} and ${isVersionShown(viewer)}
      ${inOrder(sql`version.version`, page)} limit ${page.limit + 1}`,
    page,
  )

export const archiveRow = (tx: Tx, { organizationId, id }: EvalKey, now: Date) =>
  sql`update evals set archived_at = coalesce(archived_at, ${now})
    where organization_id = ${organizationId} and id = ${id}`.execute(tx)
