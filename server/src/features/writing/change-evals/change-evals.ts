import type { ChangeEval, ChangeEvalState } from '@noema/contracts/change-evals.ts'
import { summarizeActor } from '../../../shared/actor.ts'
import type { Queryable } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { type ChangeEvalRow, selectChangeEvals } from './change-eval-queries.ts'

// The results of evals for changes, as answers show them. `gate.ts` decides by them; the area `evals` runs the evals.

/** The most evals that a change may have. */
export const maxEvalsOfChange = 10

/** The reason of an eval that no commit has requested: the change was imported, or staged by an earlier release. */
const notStarted = 'It was not started. Preview the change with this eval, which starts it.'

type Found = Pick<ChangeEvalRow, 'state' | 'isMoved'>

/** The state of a result. `isOpen`: false for a change that is decided, whose items it has written itself. */
export const toState = ({ state, isMoved }: Found, isOpen: boolean): ChangeEvalState =>
  isMoved && isOpen ? 'stale' : state

const toResult = ({ result, beforeRun, afterRun }: ChangeEvalRow): Partial<ChangeEval> => {
  if (result === null || beforeRun === null || afterRun === null) return {}
  const { cases, before, after, broken, mended } = result
  return {
    cases,
    before: { evalRunId: beforeRun, ...before },
    after: { evalRunId: afterRun, ...after },
    broken,
    mended,
  }
}

/** The result of an eval for a change. */
const viewChangeEval = (row: ChangeEvalRow, isOpen: boolean): ChangeEval => ({
  evalId: row.evalId,
  state: toState(row, isOpen),
  ...(row.reason === null ? {} : { reason: row.reason }),
  ...(row.evalVersion === null ? {} : { evalVersion: row.evalVersion }),
  ...toResult(row),
  ...(row.completedAt === null ? {} : { completedAt: row.completedAt.toISOString() }),
  ...(row.override === null ? {} : { override: { ...row.override, by: summarizeActor(row.override.by) } }),
})

type Shown = { id: string; decision: string }

/** The results of the eval that a Brain requires, by the ids of the changes. Nothing is read where it requires none. */
export const readRequiredEvals = async (
  db: Queryable,
  { brainId, reviewRules: { requireEval } }: Pick<BrainRow, 'brainId' | 'reviewRules'>,
  changes: readonly Shown[],
): Promise<ReadonlyMap<string, ChangeEval>> => {
  if (requireEval === undefined || changes.length === 0) return new Map()
  const changeIds = changes.map(({ id }) => id)
  const rows = await selectChangeEvals(db, { brainId, evalId: requireEval, changeIds })
  const found = new Map(rows.map((row) => [row.changeId, row]))
  return new Map(
    changes.flatMap(({ id, decision }): [string, ChangeEval][] => {
      const row = found.get(id)
      if (row) return [[id, viewChangeEval(row, decision === 'pending')]]
      return decision === 'pending' ? [[id, { evalId: requireEval, state: 'pending', reason: notStarted }]] : []
    }),
  )
}

/** The property of a change that has it, if there is something to show. */
export const toShown = (found: ChangeEval | undefined): { eval?: ChangeEval } =>
  found === undefined ? {} : { eval: found }

/** The result of an eval for a pending change; undefined where it was not requested. */
export const readChangeEval = async (
  db: Queryable,
  { brainId, changeId, evalId }: { brainId: number; changeId: string; evalId: string },
): Promise<ChangeEval | undefined> => {
  const [row] = await selectChangeEvals(db, { brainId, evalId, changeIds: [changeId] })
  return row && viewChangeEval(row, true)
}
