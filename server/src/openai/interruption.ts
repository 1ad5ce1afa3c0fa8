import type { AppDeps } from '../api/app-deps.ts'
import { isRunHidden } from '../api/hidden-items.ts'
import { noSuchRun } from '../features/agents/runs/runs.ts'
import type { RunRow } from '../features/agents/runs/types.ts'
import { ApiError, unauthorized, unavailable } from '../shared/errors.ts'
import type { PostCall } from './begin-run.ts'

/** The refusal of a run that goes on after the call. */
export const toUnfinished = ({ id }: RunRow): ApiError =>
  unavailable(`The run ${id} takes longer than a call may wait, and goes on. Read it at GET /v1/responses/${id}.`, {
    code: 'run_unfinished',
  })

/** The failure of a run, if it has one. */
export const findFailure = ({ id, state, failureReason, abandonReason }: RunRow): ApiError | undefined => {
  if (state !== 'failed' && state !== 'abandoned') return undefined
  const reason = failureReason ?? abandonReason ?? 'no reason was given'
  const message = `The run ${id} ${state === 'failed' ? 'failed' : 'was cancelled'}: ${reason}`
  return new ApiError('internal', message, { code: 'run_failed' })
}

/** The run of a stream that came to its end, and the reason why it has no answer, if it has none. */
export const readEnd = async (
  deps: AppDeps,
  { principal, isStillAllowed }: Pick<PostCall, 'principal' | 'isStillAllowed'>,
  begun: RunRow,
): Promise<{ run: RunRow; error: ApiError | undefined; hasEnded: boolean }> => {
  const run = (await deps.runs.find(begun)) ?? begun
  if (await isRunHidden(deps.db, run, principal.userId)) return { run, error: noSuchRun(run.id), hasEnded: false }
  if (run.completedAt !== null) return { run, error: findFailure(run), hasEnded: true }
  const isRevoked = (await isStillAllowed()) === false
  const error = isRevoked ? unauthorized('This key was revoked while the run went on.') : toUnfinished(run)
  return { run, error, hasEnded: false }
}
