import type { Artifact } from '@noema/contracts/artifacts.ts'
import type { Subject } from '../../../shared/concurrency/fair-limiter.ts'
import { conflict, refuseAt } from '../../../shared/errors.ts'
import { newId } from '../../../shared/ids.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import { checkVersion } from '../../kernel/versioning/versioning.ts'
import { addAudit } from '../../platform/audit/audit.ts'
import { checkSameRequest, makeFingerprint } from '../../platform/idempotency/idempotency.ts'
import type { OpenShares } from '../../platform/limits/limits.ts'
import { artifactView, maxWaitMilliseconds } from './artifacts.ts'
import { settleBody } from './body-queries.ts'
import {
  discardBody,
  holdSender,
  type ReceiveDeps,
  type ReceivedBody,
  receiveBody,
  type Sender,
  type SentBytes,
} from './receive-body.ts'
import { findClaim, findVersion, insertClaim, insertVersion, lockPath, type VersionRow } from './version-queries.ts'

// Uploads of files: the bytes arrive first, then one short transaction makes them a version.

type Deps = ReceiveDeps & { open: OpenShares }

export type Upload = Sender & {
  subject: Subject
  path: string
  contentType: string
  source: Artifact['source']
  sha256: string | undefined
  ifMatch: number | undefined
  idempotencyKey: string | undefined
}

/** The outcome of an upload: the version that the file has now, and whether it took the body. */
type Stored = { row: VersionRow; outcome: 'created' | 'done'; replayed?: boolean; tookBody: boolean }

const checkPrecondition = ({ path, ifMatch }: Upload, current: number): void => {
  if (ifMatch !== undefined) checkVersion(`The file ${JSON.stringify(path)}`, ifMatch, current === 0 ? null : current)
}

const toClaim = (upload: Upload, { sha256 }: Pick<ReceivedBody, 'sha256'>) => {
  const { organizationId, idempotencyKey: key, by, path, contentType, source, ifMatch = null } = upload
  if (key === undefined) return undefined
  const fingerprint = makeFingerprint({ path, contentType, source, ifMatch, sha256 })
  return { organizationId, sender: by.id, key, fingerprint }
}

/** The version that an earlier upload with the same key made. */
const findReplayed = async (
  tx: Queryable,
  claim: NonNullable<ReturnType<typeof toClaim>>,
): Promise<Stored | undefined> => {
  const given = await findClaim(tx, claim)
  if (!given) return undefined
  const { id, version } = checkSameRequest(given, claim)
  const row = await findVersion(tx, { organizationId: claim.organizationId, id, version })
  return row && { row, outcome: 'created', replayed: true, tookBody: false }
}

type LockedFile = Awaited<ReturnType<typeof lockPath>>

/** Makes the body the next version of its file, unless the current version is the same already. */
const applyUpload = async (
  tx: Tx,
  upload: Upload,
  { file, body, now }: { file: LockedFile; body: ReceivedBody; now: Date },
): Promise<Stored> => {
  const { organizationId, path, contentType, source, by } = upload
  const current = file.version === 0 ? undefined : await findVersion(tx, { organizationId, id: file.id })
  if (current?.sha256 === body.sha256 && current.contentType === contentType)
    return { row: current, outcome: 'done', tookBody: false }
  checkPrecondition(upload, file.version)
  const { bytes, sha256, id: bodyId } = body
  const row = { id: file.id, version: file.version + 1, bodyId, contentType, bytes, sha256, source }
  await insertVersion(tx, { ...row, organizationId, createdBy: by, createdAt: now })
  if (!(await settleBody(tx, { organizationId, id: bodyId, bytes, eraseAt: null })))
    throw conflict('This upload was ended. Send the file again.')
  const target = { type: 'artifact', id: file.id, name: path }
  const after = { version: row.version, bytes, sha256, contentType }
  await addAudit(tx, { organizationId, by, action: 'artifact.stored', target, after }, now)
  return { row: { ...row, path, createdBy: by, createdAt: now }, outcome: 'created', tookBody: true }
}

const commitUpload = (deps: Deps, upload: Upload, body: ReceivedBody): Promise<Stored> =>
  deps.db.transaction().execute(async (tx) => {
    await holdSender(tx, upload)
    const { organizationId, path } = upload
    const now = deps.clock.now()
    const file = await lockPath(tx, { organizationId, path, newId: newId('art', now) })
    const claim = toClaim(upload, body)
    // Under the lock, a repeat finds what the first request made, also if both are sent at once.
    const replayed = claim && (await findReplayed(tx, claim))
    if (replayed) return replayed
    const stored = await applyUpload(tx, upload, { file, body, now })
    const { id, version } = stored.row
    if (claim && !(await insertClaim(tx, { ...claim, id, version }))) return (await findReplayed(tx, claim)) ?? stored
    return stored
  })

/** The version that an earlier upload of the same bytes with the same idempotency key made; undefined if there was none. */
export const findUploaded = async (
  { db }: Pick<Deps, 'db'>,
  upload: Upload & { sha256: string },
): Promise<Artifact | undefined> => {
  const claim = toClaim(upload, upload)
  const replayed = claim && (await findReplayed(db, claim))
  return replayed && artifactView(replayed.row)
}

/** Stores a file: its bytes, then a version of it. On an error, nothing is left of the bytes. */
export const storeArtifact = async (deps: Deps, upload: Upload, sent: SentBytes) => {
  const leave = await deps.open.wait('files', upload.subject, maxWaitMilliseconds)
  try {
    const body = await receiveBody(deps, upload, { id: newId('art', deps.clock.now()), sent })
    let tookBody = false
    try {
      if (upload.sha256 !== undefined && upload.sha256 !== body.sha256)
        throw refuseAt(['query', 'sha256'], `The bytes have the SHA-256 ${body.sha256}. Send the file again.`)
      const stored = await commitUpload(deps, upload, body)
      tookBody = stored.tookBody
      const { row, outcome, replayed = false } = stored
      return { outcome, replayed, artifact: artifactView(row) }
    } finally {
      if (!tookBody) await discardBody(deps, body)
    }
  } finally {
    leave()
  }
}
