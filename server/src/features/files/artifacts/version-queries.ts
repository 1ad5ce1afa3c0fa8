import type { Artifact } from '@noema/contracts/artifacts.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../../shared/actor.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { inOrder, isAfter } from '../../platform/cursors/page-queries.ts'

// Files and their versions.

/** A version of a file as it is stored. */
export type VersionRow = Omit<Artifact, 'createdBy' | 'createdAt'> & {
  bodyId: string
  createdBy: Actor
  createdAt: Date
}

const versionColumns = sql`artifact.id, artifact.path, version.version, version.body_id as "bodyId",
  version.content_type as "contentType", version.bytes, version.sha256, version.source,
  version.created_by as "createdBy", version.created_at as "createdAt"`

const joinVersions = (organizationId: string, isVersion: RawBuilder<unknown>) => sql`
  from artifacts as artifact join artifact_versions as version
    on version.organization_id = artifact.organization_id and version.artifact_id = artifact.id and ${isVersion}
  where artifact.organization_id = ${organizationId}`

const isCurrent = sql`version.version = artifact.version`

/** Files by their ids or paths; `version` is undefined for the current one. */
export type VersionKey = { organizationId: string; id: string; version?: number | undefined }

export const findVersion = async (
  db: Queryable,
  { organizationId, id, version }: VersionKey,
): Promise<VersionRow | undefined> => {
  const isVersion = version === undefined ? isCurrent : sql`version.version = ${version}`
  const { rows } = await sql<VersionRow>`
    select ${versionColumns} ${joinVersions(organizationId, isVersion)} and artifact.id = ${id}`.execute(db)
  return rows[0]
}

/** The version that the file at a path had at a time. */
export const findVersionAtTime = async (
  db: Queryable,
  { organizationId, path, at }: { organizationId: string; path: string; at: Date },
): Promise<VersionRow | undefined> => {
  const { rows } = await sql<VersionRow>`
    select ${versionColumns} ${joinVersions(organizationId, sql`version.created_at <= ${at}`)} and artifact.path = ${path}
    order by version.version desc limit 1`.execute(db)
  return rows[0]
}

/** The files that a run wrote, each with its newest version by that run. */
const joinWritten = (organizationId: string, runId: string) => {
  const written = sql`from artifact_versions as written where written.organization_id = ${organizationId}
    and written.source = 'run' and written.created_by->>'runId' = ${runId}`
  const isNewest = sql`version.version = (select max(written.version) ${written} and written.artifact_id = artifact.id)`
  return sql`${joinVersions(organizationId, isNewest)} and artifact.id in (select written.artifact_id ${written})`
}

/** The files to list: under a prefix, or of a run. */
export type FileFilter = { organizationId: string; prefix?: string | undefined; runId?: string | undefined }

/** A page of files by path. */
export const selectCurrent = async (
  db: Queryable,
  { organizationId, prefix = '', runId }: FileFilter,
  page: PageRequest<string>,
): Promise<VersionRow[]> => {
  const path = sql`artifact.path`
  const { rows } = await sql<VersionRow>`
    select ${versionColumns} ${runId === undefined ? joinVersions(organizationId, isCurrent) : joinWritten(organizationId, runId)}
      and ${path} >= ${prefix} and ${path} < ${prefix} || chr(1114111) and starts_with(${path}, ${prefix})
      and ${isAfter(path, page)}
    ${inOrder(path, page)} limit ${page.limit}`.execute(db)
  return rows
}

/** A page of the versions of a file. */
export const selectVersions = async (
  db: Queryable,
  { organizationId, id }: { organizationId: string; id: string },
  page: PageRequest<number>,
): Promise<VersionRow[]> => {
  const number = sql`version.version`
  const { rows } = await sql<VersionRow>`
    select ${versionColumns} ${joinVersions(organizationId, sql`true`)} and artifact.id = ${id}
      and ${isAfter(number, page)} ${inOrder(number, page)} limit ${page.limit}`.execute(db)
  return rows
}

/** The id of the file at a path. */
export const findIdAt = async (db: Queryable, organizationId: string, path: string): Promise<string | undefined> => {
  const { rows } = await sql<{ id: string }>`
    select id from artifacts where organization_id = ${organizationId} and path = ${path}`.execute(db)
  return rows[0]?.id
}

/** Locks the file at a path until the transaction ends, and makes it if it is not there: its version is then 0. */
export const lockPath = async (
  tx: Tx,
  { organizationId, path, newId }: { organizationId: string; path: string; newId: string },
): Promise<{ id: string; version: number }> => {
  const { rows } = await sql<{ id: string; version: number }>`
    insert into artifacts (organization_id, id, path, version) values (${organizationId}, ${newId}, ${path}, 0)
    on conflict (organization_id, path) do update set path = excluded.path returning id, version`.execute(tx)
  const [row] = rows
  if (!row) throw new Error('locking a path answered nothing')
  return row
}

/** Locks a file until the transaction ends. */
export const lockArtifact = async (
  tx: Tx,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<{ path: string; version: number } | undefined> => {
  const { rows } = await sql<{ path: string; version: number }>`
    select path, version from artifacts where organization_id = ${organizationId} and id = ${id} for update`.execute(tx)
  return rows[0]
}

type NewVersion = Omit<VersionRow, 'path'> & { organizationId: string }

/** Adds a version of a locked file, and makes it the current one. */
export const insertVersion = (tx: Tx, { organizationId, id, version, ...row }: NewVersion) =>
  sql`
  with current as (
    update artifacts set version = ${version} where organization_id = ${organizationId} and id = ${id})
  insert into artifact_versions (organization_id, artifact_id, version, body_id, content_type, bytes, sha256, source,
    created_by, created_at)
  values (${organizationId}, ${id}, ${version}, ${row.bodyId}, ${row.contentType}, ${row.bytes}, ${row.sha256},
    ${row.source}, ${JSON.stringify(row.createdBy)}, ${row.createdAt})`.execute(tx)

/** Deletes versions of a locked file (all, or one), and answers the bodies that they had. */
export const deleteVersions = async (
  tx: Tx,
  { organizationId, id, version }: VersionKey,
): Promise<{ bodyId: string }[]> => {
  const { rows } = await sql<{ bodyId: string }>`
    delete from artifact_versions where organization_id = ${organizationId} and artifact_id = ${id}
      ${version === undefined ? sql`` : sql`and version = ${version}`} returning body_id as "bodyId"`.execute(tx)
  return rows
}

export const deleteRow = (tx: Tx, { organizationId, id }: { organizationId: string; id: string }) =>
  sql`delete from artifacts where organization_id = ${organizationId} and id = ${id}`.execute(tx)

/** The idempotency key of an upload, in its organization. */
export type ClaimKey = { organizationId: string; sender: string; key: string }

/** The version that an upload with this key made, and a hash of that upload. */
export const findClaim = async (
  tx: Queryable,
  { organizationId, sender, key }: ClaimKey,
): Promise<{ fingerprint: Buffer; id: string; version: number } | undefined> => {
  const { rows } = await sql<{ fingerprint: Buffer; id: string; version: number }>`
    select fingerprint, artifact_id as id, version from artifact_claims
    where organization_id = ${organizationId} and sender = ${sender} and key = ${key}`.execute(tx)
  return rows[0]
}

/** Stores a claim. False if another upload with the same key was first. */
export const insertClaim = async (
  tx: Tx,
  {
    organizationId,
    sender,
    key,
    fingerprint,
    id,
    version,
  }: ClaimKey & {
    fingerprint: Buffer
    id: string
    version: number
  },
): Promise<boolean> => {
  const { numAffectedRows } = await sql`
    insert into artifact_claims (organization_id, sender, key, fingerprint, artifact_id, version)
    values (${organizationId}, ${sender}, ${key}, ${fingerprint}, ${id}, ${version}) on conflict do nothing`.execute(tx)
  return numAffectedRows === 1n
}
