import type { ChangeEval } from '@noema/contracts/change-evals.ts'
import type { Clock } from '../../../shared/clock.ts'
import { conflict, notFound, type Path, unknownReference } from '../../../shared/errors.ts'
import type { Db, Queryable } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { requestForOne, selectDecision } from '../../writing/change-evals/change-eval-queries.ts'
import { maxEvalsOfChange, readChangeEval } from '../../writing/change-evals/change-evals.ts'
import { selectEval } from '../evals/eval-queries.ts'

// Evals for pending changes are requested here, and `run-change-evals.ts` runs them.

/**
 * Refuses an eval that does not read a Brain alone, or cannot be run. Callers of a Brain learn nothing of other evals: one of a corpus
 * or of an agent has content of other Brains.
 */
export const checkEvalOfBrain = async (
  db: Queryable,
  { organizationId, id }: Pick<BrainRow, 'organizationId' | 'id'>,
  evalId: string,
  path: Path,
): Promise<void> => {
  const found = await selectEval(db, { organizationId, id: evalId })
  const target = found?.definition.target
  if (!found || found.archivedAt !== null || !target || !('brainId' in target) || target.brainId !== id)
    throw unknownReference(
      path,
      `No eval ${JSON.stringify(evalId)} that is in use has this Brain as its target. For one of a corpus, start a run of the eval with a change.`,
    )
}

/** Starts an eval for a pending change, or finds what it says. */
export const requestChangeEval = async (
  { db, clock }: { db: Db; clock: Clock },
  { brain, changeId }: { brain: BrainRow; changeId: string },
  evalId: string,
): Promise<ChangeEval> => {
  await checkEvalOfBrain(db, brain, evalId, ['eval'])
  const { brainId } = brain
  const decision = await selectDecision(db, brainId, changeId)
  if (decision === undefined) throw notFound(`There is no change ${JSON.stringify(changeId)} in this Brain.`)
  if (decision !== 'pending')
    throw conflict(`This change is ${decision} already; only a pending change can be previewed.`, {
      code: 'already_decided',
    })
  const count = await requestForOne(db, { brainId, changeId, evalId, max: maxEvalsOfChange, now: clock.now() })
  if (count > maxEvalsOfChange) throw conflict(`This change has ${maxEvalsOfChange} evals, which is the maximum.`)
  return (await readChangeEval(db, { brainId, changeId, evalId })) ?? { evalId, state: 'pending' }
}
