import type { Task } from '@noema/contracts/tasks.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { goalsTopic, organizationTopic, runsTopic, runTopic, type Topics } from '../../../shared/concurrency/topics.ts'
import { conflict } from '../../../shared/errors.ts'
import type { Db, Tx } from '../../../storage/database.ts'
import { toGoalId } from '../tasks/goal-of-task.ts'
import { completeRow } from '../tasks/task-queries.ts'
import { taskView } from '../tasks/tasks.ts'
import { closeAnswered, lockRun } from './answer-queries.ts'
import { wakeRun } from './outcome-queries.ts'
import type { RunKey } from './types.ts'

type Deps = {
  db: Db
  clock: Clock
  topics: Pick<Topics, 'publish'>
  /** Lets a goal that asked go on, in the transaction of the answer. */
  continueGoal?(tx: Tx, goal: { organizationId: string; id: string; advice: string }, now: Date): Promise<unknown>
  /** Lets a run without an agent go on, in the transaction of the answer to the question of an operation. */
  resumeFlow?(tx: Tx, run: RunKey, operationId: string, now: Date): Promise<unknown>
}
type Answer = { organizationId: string; id: string; runId: string; answer: string; answeredBy: Actor }

/**
 * Answers a task: the operation that asked ends with the answer, and the run goes on once nothing else of that step is open.
 * The run's row is locked first, as its end does, so that a task is answered, or expires with its run, and never both.
 */
export const answerTask = async (deps: Deps, given: Answer): Promise<Task> => {
  const { organizationId, runId } = given
  const now = deps.clock.now()
  const { task, isReported, isDue } = await deps.db.transaction().execute(async (tx) => {
    const run = { organizationId, id: runId }
    const { isFlow } = await lockRun(tx, run)
    const completed = await completeRow(tx, given, now)
    if (!completed)
      throw conflict('This task is not open any more: it was answered, its time is over, or its run has ended.', {
        code: 'task_not_open',
      })
    const goalId = toGoalId(completed.operationId)
    if (goalId !== undefined) await deps.continueGoal?.(tx, { organizationId, id: goalId, advice: given.answer }, now)
    const reported = await closeAnswered(tx, { ...run, operationId: completed.operationId, answer: given.answer }, now)
    if (isFlow) await deps.resumeFlow?.(tx, run, completed.operationId, now)
    return { task: completed, isReported: reported, isDue: (await wakeRun(tx, run, now)).isDue }
  })
  deps.topics.publish(runTopic(runId))
  const goalId = toGoalId(task.operationId)
  if (goalId !== undefined) deps.topics.publish(goalsTopic(organizationId))
  if (isDue) deps.topics.publish(runsTopic(organizationId))
  if (isReported) deps.topics.publish(organizationTopic(organizationId))
  return taskView(task)
}
