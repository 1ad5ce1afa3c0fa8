import type { cancelChange, decideChange, listChanges } from '@noema/contracts/changes.ts'
import type { BodyOutput, QueryOutput } from '@noema/contracts/endpoint.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { notFound } from '../../../shared/errors.ts'
import type { Db } from '../../../storage/database.ts'
import { type BrainRow, heldBrain } from '../../brain/brains/brains.ts'
import { fingerprintOf } from '../../platform/idempotency/idempotency.ts'
import { selectChanges, selectChangesAfter } from '../commit/change-store.ts'
import type { CommitBatch } from '../commit/commit-batch.ts'
import type { CommitEngine } from '../commit/commit-engine.ts'
import type { WriteRequest } from '../commit/execute-batch.ts'
import { detailOf, summaryOf } from './change-view.ts'
import { cancelApproved, decide, publishApproved, rebase, type Settled } from './decisions.ts'
import { answerOf, evolvesBy } from './publish.ts'

// What people do with changes, from their queue to their publication. Everything that settles one goes through the write
// door, so it takes its turn with the writes of its Brain.

export { createReleasedPublishing, createScheduledPublishing, publishHeldChanges } from './publish.ts'

type Deps = { commitEngine: CommitEngine; db: Db; clock: Clock }

/** Which change is settled, by whom, and under which idempotency key. */
export type Settling = { id: string; actor: Actor; idempotencyKey: string | undefined }

const settle = async (
  deps: Deps,
  brainId: number,
  { id, actor, idempotencyKey: key }: Settling,
  act: { request: unknown; publishes?: boolean; edits?: WriteRequest['edits']; run: (batch: CommitBatch) => Settled },
) => {
  const claim = key === undefined ? undefined : { sender: actor.id, key, fingerprint: fingerprintOf([id, act.request]) }
  return deps.commitEngine.submit(brainId, {
    operations: [],
    changeIds: [id],
    claim,
    leastCap: undefined,
    ...(act.edits ? { edits: act.edits } : {}),
    evolves: act.publishes === true && (await evolvesBy(deps, brainId, id)),
    run: (batch) => answerOf(act.run(batch)),
  })
}

/** Approves or rejects a change, or some of its items. */
export const decideOnChange = (
  deps: Deps,
  brainId: number,
  settling: Settling,
  given: BodyOutput<typeof decideChange>,
) =>
  settle(deps, brainId, settling, {
    request: ['decide', given],
    publishes: given.decision === 'approved' && given.publish === true,
    edits: Object.values(given.edits ?? {}),
    run: (batch) => decide(batch, settling.id, { actor: settling.actor, given }),
  })

/** Publishes an approved change now. A hold refuses it (D-24), where a decision would be kept for the release. */
export const publishChangeNow = (deps: Deps, brainId: number, settling: Settling) =>
  settle(deps, brainId, settling, {
    request: ['publish'],
    publishes: true,
    run: (batch) => {
      if (batch.brain.availability === 'held') throw heldBrain()
      return publishApproved(batch, settling.id)
    },
  })

/** Cancels an approved change that is not applied. */
export const cancelApprovedChange = (
  deps: Deps,
  brainId: number,
  settling: Settling,
  { reason }: BodyOutput<typeof cancelChange>,
) =>
  settle(deps, brainId, settling, {
    request: ['cancel', reason ?? null],
    run: (batch) => cancelApproved(batch, settling.id, reason),
  })

/** Puts a change on top of the Brain as it is now. */
export const rebaseOnCurrent = (deps: Deps, brainId: number, settling: Settling) =>
  settle(deps, brainId, settling, { request: ['rebase'], run: (batch) => rebase(batch, settling.id) })

/** A change with what it would do, or did. */
export const readChange = async (deps: { db: Db }, brain: BrainRow, id: string) => {
  const [change] = await selectChanges(deps.db, brain.brainId, [id])
  if (!change) throw notFound(`There is no change ${JSON.stringify(id)} in this Brain.`)
  return { change: await detailOf(deps.db, brain, change), stateVersion: brain.stateVersion }
}

/** Changes by id after one, as the queue lists them. */
export const changesAfter = async (
  deps: { db: Db },
  brain: BrainRow,
  query: QueryOutput<typeof listChanges>,
  page: { after: string; limit: number },
) => (await selectChangesAfter(deps.db, brain.brainId, query, page)).map(summaryOf)
