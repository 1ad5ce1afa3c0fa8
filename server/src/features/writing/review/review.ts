import type { cancelChange, decideChange, listChanges } from '@noema/contracts/changes.ts'
import type { BodyOutput, QueryOutput } from '@noema/contracts/endpoint.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { ApiError, notFound } from '../../../shared/errors.ts'
import type { JsonObject } from '../../../shared/json.ts'
import type { Log } from '../../../shared/log.ts'
import type { Db, Queryable } from '../../../storage/database.ts'
import { type BrainRow, heldBrain } from '../../brain/brains/brains.ts'
import { kindByOperation } from '../../brain/content/content.ts'
import { loadHolders } from '../../brain/schema/schema.ts'
import { type IdempotencyClaim, type StoredAnswer, toClaim } from '../../platform/idempotency/idempotency.ts'
import {
  type CommitBatch,
  type CommitEngine,
  selectChanges,
  selectChangesAfter,
  selectDueChanges,
  selectHeldChanges,
  selectReleasedBrains,
  type WriteRequest,
} from '../commit/commit.ts'
import { countDuplicates, isSchemaChange } from '../schema-changes/schema-changes.ts'
import { detailOf, summaryOf } from './change-view.ts'
import { isOutdated } from './conflicts.ts'
import { cancelApproved, type Decided, type Deciding, decide, publishApproved, rebase } from './decisions.ts'
import { readItemVersions } from './item-versions.ts'

// What people do with changes, from their queue to their publication. Every decision goes through the commit engine, so
// it takes its turn with the writes of its Brain.

export { revertOf } from './revert.ts'

type Deps = { commitEngine: CommitEngine; db: Db; clock: Clock }

/** Which change is decided on, by whom, and under which idempotency key. */
export type Decision = { id: string; actor: Actor; idempotencyKey: string | undefined }

const toAnswer = ({ change, staged }: Decided): StoredAnswer => ({
  outcome: 'done',
  data: JSON.stringify({
    change: summaryOf(change),
    staged: staged.map(summaryOf),
    stateVersion: change.stateVersion,
  }),
})

type Act = {
  claim: IdempotencyClaim | undefined
  /** Whether it may publish the change, which of the schema takes a batch of its own. */
  publishes: boolean
  /** Contents that may be put in place of those of the change. */
  edits: readonly { fields: JsonObject }[] | undefined
  run: (deciding: Deciding) => StoredAnswer
}

/** Reads what a decision is made by, under the Brain's lock. */
const loadGrounds = async (
  db: Queryable,
  batch: CommitBatch,
  changeId: string,
  { edits, isAlone }: { edits: Act['edits']; isAlone: boolean },
): Promise<Deciding> => {
  const { content, brain } = batch
  const change = batch.findChange(changeId)
  const moved = (change?.items ?? []).filter(
    (item) =>
      item.operation !== undefined &&
      kindByOperation.get(item.operation.op)?.operations[item.operation.op] === 'patches' &&
      isOutdated(content, item),
  )
  if (edits) await loadHolders(db, brain.brainId, content.schema, edits)
  const bases = await readItemVersions(db, brain.brainId, moved)
  const duplicates = isAlone && change ? await countDuplicates(db, brain.brainId, [change]) : undefined
  return { batch, bases, duplicates }
}

/** A decision on a change, as it takes its turn. */
const toRequest = async (
  { db }: Deps,
  brainId: number,
  id: string,
  { claim, publishes, edits, run }: Act,
): Promise<WriteRequest> => {
  const isAlone = publishes && (await selectChanges(db, brainId, [id])).some(isSchemaChange)
  return {
    ...{ operations: [], changeIds: [id], claim, dailyCap: undefined, isAlone },
    load: async (tx, batch) => {
      const deciding = await loadGrounds(tx, batch, id, { edits, isAlone })
      return () => run(deciding)
    },
  }
}

const submitDecision = async (
  deps: Deps,
  brainId: number,
  { id, actor, idempotencyKey }: Decision,
  act: { request: unknown; publishes?: boolean; edits?: Act['edits']; run: (deciding: Deciding) => Decided },
) => {
  const { request, publishes = false, edits, run } = act
  const claim = toClaim(actor.id, idempotencyKey, [id, request])
  const decision = { claim, publishes, edits, run: (deciding: Deciding) => toAnswer(run(deciding)) }
  return deps.commitEngine.submit(brainId, await toRequest(deps, brainId, id, decision))
}

/** Approves or rejects a change, or some of its items. */
export const decideOnChange = (
  deps: Deps,
  brainId: number,
  decision: Decision,
  given: BodyOutput<typeof decideChange>,
) =>
  submitDecision(deps, brainId, decision, {
    request: ['decide', given],
    publishes: given.decision === 'approved' && given.publish === true,
    edits: Object.values(given.edits ?? {}),
    run: (deciding) => decide(deciding, decision.id, { actor: decision.actor, given }),
  })

/** Publishes an approved change now. A hold refuses it (D-24), where a decision would be kept for the release. */
export const publishChangeNow = (deps: Deps, brainId: number, decision: Decision) =>
  submitDecision(deps, brainId, decision, {
    request: ['publish'],
    publishes: true,
    run: (deciding) => {
      if (deciding.batch.brain.availability === 'held') throw heldBrain()
      return publishApproved(deciding, decision.id)
    },
  })

/** Cancels an approved change that is not applied. */
export const cancelApprovedChange = (
  deps: Deps,
  brainId: number,
  decision: Decision,
  { reason }: BodyOutput<typeof cancelChange>,
) =>
  submitDecision(deps, brainId, decision, {
    request: ['cancel', reason ?? null],
    run: (deciding) => cancelApproved(deciding, decision.id, reason),
  })

/** Puts a change on top of the Brain as it is now. */
export const rebaseOnCurrent = (deps: Deps, brainId: number, decision: Decision) =>
  submitDecision(deps, brainId, decision, { request: ['rebase'], run: (deciding) => rebase(deciding, decision.id) })

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

const publishQuietly = async (
  deps: Deps & { log: Log },
  brainId: number,
  id: string,
  isStillDue: (batch: CommitBatch) => boolean,
) => {
  const run = (deciding: Deciding): StoredAnswer =>
    isStillDue(deciding.batch) ? toAnswer(publishApproved(deciding, id)) : { outcome: 'done', data: '{}' }
  try {
    const request = await toRequest(deps, brainId, id, { claim: undefined, publishes: true, edits: undefined, run })
    await deps.commitEngine.submit(brainId, request)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    deps.log.warn({ change: id, error: error.message }, 'a change could not be published')
  }
}

/** Publishes the scheduled changes whose time has come. Any number of nodes may run it: each change is published once. */
export const publishDueChanges = async (deps: Deps & { log: Log }): Promise<void> => {
  const now = deps.clock.now()
  for (const { brainId, id } of await selectDueChanges(deps.db, now, 200)) {
    const isStillDue = (batch: CommitBatch) => batch.change(id).application === 'scheduled'
    await publishQuietly(deps, brainId, id, isStillDue)
  }
}

/** Publishes what a hold had blocked, once it is released. */
export const publishHeldChanges = async (deps: Deps & { log: Log }, brainId: number): Promise<void> => {
  for (const { id } of await selectHeldChanges(deps.db, brainId)) {
    const isReleased = (batch: CommitBatch) =>
      batch.change(id).blockedBy === 'held' && batch.brain.availability === 'active'
    await publishQuietly(deps, brainId, id, isReleased)
  }
}

/** Publishes what a release left over because its node went away before it was done. Safe on any number of nodes. */
export const publishReleasedChanges = async (deps: Deps & { log: Log }): Promise<void> => {
  for (const { brainId } of await selectReleasedBrains(deps.db, 50)) await publishHeldChanges(deps, brainId)
}
