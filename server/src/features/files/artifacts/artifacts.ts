import type { Artifact } from '@noema/contracts/artifacts.ts'
import { type Actor, summarizeActor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { Subject } from '../../../shared/concurrency/fair-limiter.ts'
import { conflict, notFound } from '../../../shared/errors.ts'
import type { Db } from '../../../storage/database.ts'
import { holdAccess } from '../../accounts/keys/revoking.ts'
import { addAudit } from '../../platform/audit/audit.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import type { OpenShares } from '../../platform/limits/limits.ts'
import { type IsStillAllowed, type TransferLimits, watchTransfer } from '../../writing/transfers/transfer-limits.ts'
import { createReader } from './body-objects.ts'
import { releaseBodies, selectArtifactUsage } from './body-queries.ts'
import { eraseBody } from './erase-bodies.ts'
import { type ObjectStore, StoreFailed } from './object-store.ts'
import {
  deleteRow,
  deleteVersions,
  type FileFilter,
  findIdAt,
  findVersion,
  findVersionAtTime,
  lockArtifact,
  selectCurrent,
  selectVersions,
  type VersionKey,
  type VersionRow,
} from './version-queries.ts'

// Files of an organization: versions at paths. Every member reads them, and nothing of them changes but by a new version.

type Deps = { db: Db; clock: Clock }
type Target = { organizationId: string; id: string }

const noSuchArtifact = (id: string) => notFound(`This organization has no file ${JSON.stringify(id)}.`)

/** The bytes of files of an organization, and of all that are counted together with it. */
export const readArtifactUsage = selectArtifactUsage

/** A version as answers show it. */
export const artifactView = ({ bodyId: _bodyId, createdBy, createdAt, ...row }: VersionRow): Artifact => ({
  ...row,
  createdBy: summarizeActor(createdBy),
  createdAt: createdAt.toISOString(),
})

/** A version of a file, with where its bytes are. */
export const findArtifact = async (db: Db, key: VersionKey): Promise<VersionRow> => {
  const row = await findVersion(db, key)
  if (row) return row
  if (key.version === undefined) throw noSuchArtifact(key.id)
  throw notFound(`The file ${JSON.stringify(key.id)} has no version ${key.version}.`)
}

/** A version of the file at a path. */
export const findArtifactAt = async (
  db: Db,
  { organizationId, path, version }: { organizationId: string; path: string; version?: number | undefined },
): Promise<VersionRow> => {
  const id = await findIdAt(db, organizationId, path)
  if (id === undefined) throw noSuchArtifact(path)
  return findArtifact(db, { organizationId, id, version })
}

/** The version that the file at a path had at a time, so that a repeated call reads what the first one did. */
export const findArtifactAtTime = async (
  db: Db,
  target: { organizationId: string; path: string; at: Date },
): Promise<VersionRow> => {
  const row = await findVersionAtTime(db, target)
  if (!row) throw noSuchArtifact(target.path)
  return row
}

/** A page of the files of an organization. */
export const listArtifactPage = async (db: Db, filter: FileFilter, page: PageRequest<string>): Promise<Artifact[]> =>
  (await selectCurrent(db, filter, page)).map(artifactView)

/** A page of the versions of a file. */
export const listVersionPage = async (db: Db, target: Target, page: PageRequest<number>): Promise<Artifact[]> => {
  await findArtifact(db, target)
  return (await selectVersions(db, target, page)).map(artifactView)
}

/** The maximum wait for a slot, in milliseconds, when an organization uses all of its slots. */
export const maxWaitMilliseconds = 10_000

type Reading = { organizationId: string; subject: Subject; isStillAllowed: IsStillAllowed }
type ReadDeps = Deps & { objects: ObjectStore; open: OpenShares; limits: { transfers: TransferLimits } }

/** Reads the bytes `from` to before `to`, one call for each chunk, so that a slow reader holds no connection. */
async function* readBytes(
  deps: ReadDeps,
  { organizationId, subject, isStillAllowed }: Reading,
  { bodyId: id, path }: VersionRow,
  { from, to }: { from: number; to: number },
): AsyncGenerator<Buffer> {
  const leave = await deps.open.wait('files', subject, maxWaitMilliseconds)
  try {
    const check = watchTransfer(deps.clock, deps.limits.transfers, isStillAllowed)
    const read = createReader(deps, { organizationId, id })
    for (let at = from; at < to; ) {
      const bytes = await read({ from: at, to })
      if (!bytes) throw notFound(`The file ${JSON.stringify(path)} was deleted meanwhile.`)
      yield bytes
      at += bytes.length
      await check()
    }
  } finally {
    leave()
  }
}

/** A version of a file with its bytes, which are read when they are sent. */
export const openArtifact = (deps: ReadDeps, reading: Reading, row: VersionRow) => {
  const { path, contentType, bytes, sha256 } = row
  const read = (range: { from: number; to: number }) => readBytes(deps, reading, row, range)
  return { path, contentType, bytes, sha256, read }
}

/** So many bodies are erased before a deletion is answered, within so many milliseconds; a worker erases the rest. */
const erasedAtOnce = 16
const erasingMilliseconds = 5_000

/** Deletes a file, or an earlier version of it, and erases the bytes: as soon as the store is back, if it does not answer. */
export const deleteArtifact = async (
  deps: Deps & { objects: ObjectStore },
  { by, ...key }: VersionKey & { by: Actor },
): Promise<void> => {
  const { db, clock } = deps
  const { organizationId, id, version } = key
  const now = clock.now()
  const bodies = await db.transaction().execute(async (tx) => {
    await holdAccess(tx, by, { organizationId })
    const file = await lockArtifact(tx, { organizationId, id })
    if (!file) throw noSuchArtifact(id)
    if (version === file.version)
      throw conflict('This is the current version. Upload another one first, or delete the file.')
    const ids = (await deleteVersions(tx, key)).map(({ bodyId }) => bodyId)
    if (ids.length === 0) throw notFound(`The file ${JSON.stringify(id)} has no version ${version}.`)
    await releaseBodies(tx, organizationId, ids, now)
    if (version === undefined) await deleteRow(tx, { organizationId, id })
    const before = version === undefined ? { versions: ids.length } : { version }
    const target = { type: 'artifact', id, name: file.path }
    await addAudit(tx, { organizationId, by, action: 'artifact.deleted', target, before }, now)
    return ids
  })
  const end = performance.now() + erasingMilliseconds
  try {
    for (const bodyId of bodies.slice(0, erasedAtOnce))
      if (performance.now() < end) await eraseBody(deps, { organizationId, id: bodyId }, { isWaitedFor: true })
  } catch (error) {
    if (!(error instanceof StoreFailed)) throw error
  }
}
