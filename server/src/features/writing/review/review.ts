import type { cancelChange, decideChange, listChanges } from '@noema/contracts/changes.ts'
import type { BodyOutput, QueryOutput } from '@noema/contracts/endpoint.ts'
import type { Caps } from '../../../config/tiers.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { notFound } from '../../../shared/errors.ts'
import type { Db } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { brainList, heldBrain } from '../../kernel/brains/brains.ts'
import { endPage, openPage } from '../../platform/cursors/cursors.ts'
import { toClaim } from '../../platform/idempotency/idempotency.ts'
import { readRequiredEvals, toShown } from '../change-evals/change-evals.ts'
import { selectChangePage, selectChanges } from '../commit/change-store.ts'
import type { Commits } from '../commit/commit-engine.ts'
import { findRefusedCredentials } from '../credentials/credentials.ts'
import { summarize, toDetail } from './change-view.ts'
import { type Act, toAnswer, toRequest } from './decision-request.ts'
import { cancelApproved, type Decided, type Deciding, decide, publishApproved, rebase } from './decisions.ts'

// The operations on changes, from the queue to publication. Every decision goes through the commit engine, so it takes its turn
// with the writes of its Brain.

type Deps = { commitEngine: Commits; db: Db; clock: Clock }
type ReadDeps = Parameters<typeof toDetail>[0]

/** Which change is decided on, by whom, the limit of what may be stored by it, and under which idempotency key. */
export type Decision = { id: string; actor: Actor; caps: Caps; idempotencyKey: string | undefined }

const submitDecision = (
  deps: Deps,
  brainId: number,
  { id, actor, caps, idempotencyKey }: Decision,
  act: {
    request: unknown
    publishes?: boolean
    approves?: boolean
    edits?: Act['edits']
    run: (deciding: Deciding) => Decided
  },
) => {
  const { request, publishes = false, approves = false, edits, run } = act
  const claim = toClaim(actor.id, idempotencyKey, [id, request])
  const decision = {
    claim,
    caps: publishes ? caps : undefined,
    publishes,
    approves,
    edits,
    run: (deciding: Deciding) => toAnswer(run(deciding)),
  }
  return deps.commitEngine.submit(brainId, toRequest(id, decision))
}

/** Approves or rejects a change, or some of its items. */
export const decideOnChange = async (
  deps: Deps,
  brainId: number,
  decision: Decision,
  given: BodyOutput<typeof decideChange>,
) => {
  const edits = given.edits ?? {}
  if (given.edits && deps.commitEngine.refusesCredentials) {
    const refusal = await findRefusedCredentials([{ at: ['edits'], value: edits }])
    if (refusal) throw refusal
  }
  return submitDecision(deps, brainId, decision, {
    request: ['decide', given],
    publishes: given.decision === 'approved' && given.publish === true,
    approves: given.decision === 'approved',
    edits: Object.values(edits),
    run: (deciding) => decide(deciding, deciding.batch.change(decision.id), { actor: decision.actor, given }),
  })
}

/** Publishes an approved change now. A hold refuses it (D-24), where a decision would be kept for the release. */
export const publishChangeNow = (deps: Deps, brainId: number, decision: Decision) =>
  submitDecision(deps, brainId, decision, {
    request: ['publish'],
    publishes: true,
    run: (deciding) => {
      const { batch } = deciding
      if (batch.brain.availability === 'held') throw heldBrain()
      return publishApproved(deciding, batch.change(decision.id))
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
    run: (deciding) => cancelApproved(deciding, deciding.batch.change(decision.id), reason),
  })

/** Puts a change on top of the Brain as it is now. */
export const rebaseOnCurrent = (deps: Deps, brainId: number, decision: Decision) =>
  submitDecision(deps, brainId, decision, {
    request: ['rebase'],
    run: (deciding) => rebase(deciding, deciding.batch.change(decision.id)),
  })

/** A change with what it would do, or did, as the JSON text of `data`. */
export const readChange = async (deps: ReadDeps, brain: BrainRow, id: string) => {
  const [change] = await selectChanges(deps.db, brain.brainId, [id])
  if (!change) throw notFound(`There is no change ${JSON.stringify(id)} in this Brain.`)
  return `{"change":${await toDetail(deps, brain, change)},"stateVersion":${brain.stateVersion}}`
}

/** A page of changes as the queue lists them. */
export const listChangePage = async (deps: { db: Db }, brain: BrainRow, query: QueryOutput<typeof listChanges>) => {
  const { limit, order } = query
  const page = await openPage(brainList(deps.db, brain, { list: 'changes', start: '' }), query)
  const requested = { after: page.after, limit, order }
  const { changes, found } = await selectChangePage(deps.db, brain.brainId, query, requested)
  const evals = await readRequiredEvals(deps.db, brain, changes)
  const show = (change: (typeof changes)[number]) => ({ ...summarize(change), ...toShown(evals.get(change.id)) })
  return {
    changes: changes.map(show),
    cursor: endPage(page, changes.at(-1)?.id),
    hasMore: found > changes.length,
  }
}
