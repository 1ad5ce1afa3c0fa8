import type { Provenance } from '@noema/contracts/common.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { ApiError } from '../../../shared/errors.ts'
import type { Log } from '../../../shared/log.ts'
import type { Db } from '../../../storage/database.ts'
import { type BrainTurn, type BrainTurnEnd, createBrainWork } from '../../kernel/leases/leases.ts'
import {
  brainsWithExpired,
  type Expiring,
  type ExpiringTable,
  selectBrainsWithExpired,
  selectExpired,
} from '../../kernel/versioning/expiry-queries.ts'
import { applyOrStage } from '../commit/apply-or-stage.ts'
import type { CommitBatch } from '../commit/commit-batch.ts'
import type { Commits } from '../commit/commit-engine.ts'

// Records and documents that expire are deleted and retired by a change each, so that one of them can be reverted alone. The
// change is applied in any mode of the Brain: the time was reviewed with the write that set it.

type Deps = { db: Db; clock: Clock; log: Log; commitEngine: Commits }

type Kind = { type: 'record' | 'document'; op: 'record.delete' | 'document.retire'; table: ExpiringTable }

/** Items that are ended at once: the commit engine commits those of one moment together. */
const atOnce = 50
/** Such groups of one turn, after which other Brains have theirs. */
const maxGroups = 20

/** The author of the version that expires. So a run is the cause of what it let expire, and that fires none of its triggers. */
const toActor = ({ key, actor }: Provenance): Actor => {
  const { type, id, userId, runId } = actor ?? { type: 'key', id: key }
  return { type, id, ...(userId === undefined ? {} : { userId }), ...(runId === undefined ? {} : { runId }) }
}

/** Ends an item, if it is still live and has still expired: another node, or a later write, may have been first. */
const endExpired = (batch: CommitBatch, { type, op }: Kind, id: string): void => {
  const content = batch.content[type].current(id)?.content
  const now = batch.now.toISOString()
  if (content?.expiresAt === undefined || content.expiresAt > now) return
  applyOrStage(batch, {
    operations: [{ op, id }],
    isBatch: false,
    submitter: { actor: toActor(content.provenance), mayRead: false, caps: undefined },
    corrects: undefined,
    reason: `Expired at ${content.expiresAt}.`,
    isReviewed: true,
  })
}

/** Ends one expired item. False where that is refused. */
const submitEnding = async ({ commitEngine, log }: Deps, brainId: number, kind: Kind, id: string): Promise<boolean> => {
  try {
    await commitEngine.submit(brainId, {
      operations: [{ op: kind.op, id }],
      ...{ changeIds: [], claim: undefined, caps: undefined },
      run: (batch) => {
        endExpired(batch, kind, id)
        return { outcome: 'done', data: '{}' }
      },
    })
    return true
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind === 'not_found') throw error
    log.warn({ [kind.type]: id, error: error.message }, 'an expired item could not be ended')
    return false
  }
}

const endAll = async (
  deps: Deps,
  brainId: number,
  { kind, turn }: { kind: Kind; turn: BrainTurn },
): Promise<BrainTurnEnd> => {
  const now = deps.clock.now()
  let after: Expiring | undefined
  let isAll = true
  for (let group = 0; group < maxGroups; group++) {
    const expired = await selectExpired(deps.db, kind.table, brainId, { now, after, limit: atOnce })
    const ended = await Promise.all(expired.map(({ id }) => submitEnding(deps, brainId, kind, id)))
    if (ended.includes(false)) isAll = false
    after = expired.at(-1)
    if (expired.length < atOnce) return isAll ? 'done' : 'later'
    if (turn.stopping.aborted || !(await turn.renew())) return 'unfinished'
  }
  return 'unfinished'
}

const createEnding = (deps: Deps, kind: Kind) =>
  createBrainWork(deps, {
    name: kind.type === 'record' ? 'delete expired records' : 'retire expired documents',
    ...{ work: `expire ${kind.type}s`, maxTurns: 4, leaseSeconds: 15, everySeconds: 60 },
    behind: brainsWithExpired(kind.table),
    dueKeys: selectBrainsWithExpired(kind.table),
    run: (brainId, turn) => endAll(deps, brainId, { kind, turn }),
  })

/** Deletes the records whose time has come. */
export const createRecordExpiry = (deps: Deps) =>
  createEnding(deps, { type: 'record', op: 'record.delete', table: 'record_versions' })

/** Retires the documents whose time has come. */
export const createDocumentExpiry = (deps: Deps) =>
  createEnding(deps, { type: 'document', op: 'document.retire', table: 'document_versions' })
