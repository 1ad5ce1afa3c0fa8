import { createHash } from 'node:crypto'
import type { Caps } from '../../../config/tiers.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { type ApiError, conflict, rateLimited, validation } from '../../../shared/errors.ts'
import type { Log } from '../../../shared/log.ts'
import type { Db, Tx } from '../../../storage/database.ts'
import { holdAccess } from '../../accounts/keys/revoking.ts'
import { secondsLeftToday } from '../../kernel/usage/usage.ts'
import { lockUsage } from '../../kernel/usage/usage-queries.ts'
import { type IsStillAllowed, inTime, watchTransfer } from '../../writing/transfers/transfer-limits.ts'
import { chunkBytes, createSink, partBytes } from './body-objects.ts'
import { type ArtifactUsage, type BodyKey, reserveBody, selectArtifactUsage, settleBody } from './body-queries.ts'
import { eraseBody } from './erase-bodies.ts'
import { insertObjects } from './object-queries.ts'
import { type ObjectStore, StoreFailed } from './object-store.ts'

// Receives the bytes of a file in chunks, each stored by a separate call, so that a slow sender holds neither memory nor a
// connection. The bytes are counted before they arrive; they are erased unless a version takes them.

/** A body of unknown length is counted in steps of this size. */
const stepBytes = 1024 * 1024

type ArtifactLimits = {
  artifacts: number
  transfers: { maxMinutes: number; maxLineSeconds: number }
}
export type ReceiveDeps = { db: Db; clock: Clock; log: Log; objects: ObjectStore; limits: ArtifactLimits }

/** The sender of a body, and the caps of the organization. */
export type Sender = {
  organizationId: string
  by: Actor
  caps: Caps
  isStillAllowed: IsStillAllowed
  /** Holds the access of a sender until a transaction ends, if they have neither a key nor a session. */
  hold?: (tx: Tx) => Promise<void>
}

/** Holds the access of a sender until the transaction ends; throws if it has ended. */
export const holdSender = (tx: Tx, { organizationId, by, hold }: Sender): Promise<void> =>
  hold ? hold(tx) : holdAccess(tx, by, { organizationId })

/** Bytes as they come; `length` is undefined if the sender did not say how many. */
export type SentBytes = { bytes: AsyncIterable<Buffer>; length: number | undefined; maxBytes: number }

/** A body that arrived whole. */
export type ReceivedBody = BodyKey & { bytes: number; sha256: string }

const tooLarge = (maxBytes: number): ApiError =>
  validation(`A file has at most ${maxBytes / 1024 / 1024} MiB.`, {
    code: 'body_too_large',
    details: [{ path: ['body'], message: 'Too large.' }],
  })

const checkCaps = (caps: NonNullable<Caps>, used: ArtifactUsage, more: number, now: Date): void => {
  if (used.bytes + more > caps.fileBytes)
    throw conflict(
      `This account keeps ${used.bytes} of at most ${caps.fileBytes} bytes of files. Delete some, or ask the operator to raise the limit.`,
      { code: 'artifact_cap' },
    )
  if (used.dayBytes + more > caps.dailyBytes)
    throw rateLimited(
      `This account has sent ${used.dayBytes} of its ${caps.dailyBytes} bytes of files of today. Continue tomorrow (UTC).`,
      { code: 'content_cap', retryAfterSeconds: secondsLeftToday(now) },
    )
}

/** Counts bytes before they arrive, exactly: uploads of one account do so one after the other. */
const reserve = async (
  { db, clock, objects, limits }: ReceiveDeps,
  sender: Sender,
  body: BodyKey & { bytes: number },
) => {
  const { organizationId, caps } = sender
  const now = clock.now()
  const eraseAt = new Date(now.getTime() + (limits.transfers.maxMinutes + 10) * 60_000)
  await db.transaction().execute(async (tx) => {
    await holdSender(tx, sender)
    await lockUsage(tx, organizationId)
    const used = await selectArtifactUsage(tx, organizationId, now)
    if (caps) checkCaps(caps, used, body.bytes, now)
    if (used.bodies >= limits.artifacts)
      throw conflict(
        `This organization keeps ${used.bodies} versions of files, which is the maximum. Delete some first.`,
        { code: 'too_many_artifacts' },
      )
    await reserveBody(tx, { ...body, eraseAt, now })
    if (objects.isOpen) await insertObjects(tx, { ...body, partBytes, isCopy: false })
  })
}

/** The same bytes in chunks of one size. Each chunk is valid until the next is read. */
async function* cutIntoChunks(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunk = Buffer.allocUnsafeSlow(chunkBytes)
  let filled = 0
  for await (const piece of bytes)
    for (let at = 0; at < piece.length; ) {
      const copied = piece.copy(chunk, filled, at)
      filled += copied
      at += copied
      if (filled < chunkBytes) continue
      yield chunk
      filled = 0
    }
  if (filled > 0) yield chunk.subarray(0, filled)
}

const late = (seconds: number) => validation(`No 256 KiB arrived within ${seconds} seconds. Send the file again.`)

/** After a call to the store failed, it may still write the object for so long. */
const lateMinutes = 10

/** Has a body erased that no version takes, at once if possible; later if `failure` says that more may still arrive. */
export const discardBody = async (
  deps: ReceiveDeps,
  { bytes, ...key }: BodyKey & { bytes: number },
  failure?: unknown,
) => {
  const { db, clock, log } = deps
  const isLate = failure instanceof StoreFailed
  const eraseAt = new Date(clock.now().getTime() + (isLate ? lateMinutes * 60_000 : 0))
  try {
    // A version may have taken it in a commit whose answer was lost.
    const isUntaken = await settleBody(db, { ...key, bytes, eraseAt })
    if (isUntaken && !isLate) await eraseBody(deps, key, { isWaitedFor: true })
  } catch (error) {
    log.warn({ err: error }, 'a body is erased later')
  }
}

const storeChunks = async (
  deps: ReceiveDeps,
  sender: Sender,
  key: BodyKey,
  sent: SentBytes,
  count: { bytes: number },
) => {
  const { maxLineSeconds } = deps.limits.transfers
  const check = watchTransfer(deps.clock, deps.limits.transfers, sender.isStillAllowed)
  const sha256 = createHash('sha256')
  const sink = createSink(deps, key, sent.length)
  const keep = async (isKept: Promise<boolean>) => {
    if (!(await isKept)) throw conflict('This upload was ended. Send the file again.')
  }
  let reserved = sent.length ?? stepBytes
  for await (const chunk of inTime(cutIntoChunks(sent.bytes), maxLineSeconds, () => late(maxLineSeconds))) {
    if (count.bytes + chunk.length > sent.maxBytes) throw tooLarge(sent.maxBytes)
    if (count.bytes + chunk.length > reserved) {
      await reserve(deps, sender, { ...key, bytes: stepBytes })
      reserved += stepBytes
    }
    sha256.update(chunk)
    await keep(sink.add(chunk))
    count.bytes += chunk.length
    await check()
  }
  await keep(sink.end())
  return sha256.digest('hex')
}

/** Receives a body. On an error, nothing is left of it. */
export const receiveBody = async (
  deps: ReceiveDeps,
  sender: Sender,
  { id, sent }: { id: string; sent: SentBytes },
): Promise<ReceivedBody> => {
  const key = { organizationId: sender.organizationId, id }
  if ((sent.length ?? 0) > sent.maxBytes) throw tooLarge(sent.maxBytes)
  const count = { bytes: 0 }
  await reserve(deps, sender, { ...key, bytes: sent.length ?? stepBytes })
  try {
    const sha256 = await storeChunks(deps, sender, key, sent, count)
    return { ...key, bytes: count.bytes, sha256 }
  } catch (error) {
    await discardBody(deps, { ...key, bytes: count.bytes }, error)
    throw error
  }
}
