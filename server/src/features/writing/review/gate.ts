import type { ChangeEvalState } from '@noema/contracts/change-evals.ts'
import type { Actor } from '../../../shared/actor.ts'
import { type ApiError, conflict, forbidden } from '../../../shared/errors.ts'
import type { Queryable } from '../../../storage/database.ts'
import { addAudit } from '../../platform/audit/audit.ts'
import { type ChangeEvalRow, selectChangeEvals, storeOverride } from '../change-evals/change-eval-queries.ts'
import { toState } from '../change-evals/change-evals.ts'
import type { CommitBatch } from '../commit/commit-batch.ts'
import { NeedsOwnBatch } from '../commit/execute-batch.ts'

// A Brain may require an eval: then a change is approved only while its result stands, or by a person who says why. The result is
// read under the Brain's lock, in a batch without other requests, so that no other decision comes in between.

/** The eval that a Brain requires, and what it says about a change; undefined where it was not requested. */
export type Gate = { evalId: string; found: ChangeEvalRow | undefined }

/** Reads what is needed to decide on a change. `isOnly`: the request has a batch of its own. */
export const readGate = async (
  db: Queryable,
  { brainId, evalId, changeId }: { brainId: number; evalId: string; changeId: string },
  isOnly: boolean,
): Promise<Gate> => {
  if (!isOnly) throw new NeedsOwnBatch()
  const [found] = await selectChangeEvals(db, { brainId, evalId, changeIds: [changeId] })
  return { evalId, found }
}

const override = 'A person who is signed in can approve it nevertheless: overrideEval, with a reason.'

const refuse = ({ evalId, found }: Gate, state: Exclude<ChangeEvalState, 'passed'>): ApiError => {
  const named = `the eval ${evalId}, which this Brain requires,`
  const again = `A preview of the change with this eval runs it again. ${override}`
  const { ids = [], count = 0 } = found?.result?.broken ?? {}
  const texts = {
    pending: `This change waits for ${named} to finish. If it was not started, a preview with this eval starts it. ${override}`,
    failed: `With this change, ${count === 1 ? 'a case' : `${count} cases`} of ${named} would fail: ${ids.slice(0, 5).join(', ')}. ${override}`,
    stale: `Items of this change were written to since ${named} was run. ${again}`,
    unavailable: `There is no result of ${named} because it cannot be run: ${found?.reason ?? ''} ${again} A manager of the Brain can also change reviewRules.requireEval.`,
  }
  return conflict(texts[state], { code: `eval_${state}` })
}

const partOnly = () =>
  conflict(
    'The eval that this Brain requires was run for the whole change, as it was proposed. Approve it without items and edits; or reject ' +
      `the other items first, so that the rest becomes a change that is tested for itself. ${override}`,
    { code: 'eval_pending' },
  )

type Approving = {
  gate: Gate
  changeId: string
  actor: Actor
  /** True where what is approved is not what was tested. */
  isOther: boolean
  reason: string | undefined
}

/** Refuses to approve a change whose eval has not passed, unless a person overrides it. Throws 409 or 403. */
export const passGate = (batch: CommitBatch, { gate, changeId, actor, isOther, reason }: Approving): void => {
  const { evalId, found } = gate
  const state = found ? toState(found, true) : 'pending'
  if (state === 'passed' && !isOther) return
  if (reason === undefined) throw state === 'passed' ? partOnly() : refuse(gate, state)
  if (actor.type !== 'session')
    throw forbidden('Only a person who is signed in can override an eval. A key or a run cannot.', {
      code: 'person_required',
    })
  const { brainId, handle, organizationId } = batch.brain
  const at = batch.now.toISOString()
  batch.write(storeOverride({ brainId, changeId, evalId, override: JSON.stringify({ by: actor, reason, at }) }))
  batch.beforeCommit((tx) =>
    addAudit(
      tx,
      {
        ...{ organizationId, by: actor, action: 'change.eval_overridden' },
        target: { type: 'change', id: changeId, brain: handle },
        after: { evalId, state, reason },
      },
      batch.now,
    ),
  )
}

/** Why a change that was approved before may not be published now: its items were written to since its eval passed. */
export const findGateBlock = ({ found }: Gate): string | undefined =>
  found?.isMoved && found.override === null
    ? 'Its items were written to since the eval that the Brain requires was run. Rebase the change.'
    : undefined
