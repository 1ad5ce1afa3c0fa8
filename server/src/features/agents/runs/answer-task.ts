import type { Task } from '@noema/contracts/tasks.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { organizationTopic, runsTopic, runTopic, type Topics } from '../../../shared/concurrency/topics.ts'
import { conflict } from '../../../shared/errors.ts'
import type { Db } from '../../../storage/database.ts'
import { completeRow } from '../tasks/task-queries.ts'
import { findTask, taskView } from '../tasks/tasks.ts'
import { closeAnswered, lockRun } from './answer-queries.ts'
import { wakeRun } from './outcome-queries.ts'

type Deps = { db: Db; clock: Clock; topics: Pick<Topics, 'publish'> }
type Answer = { organizationId: string; id: string; answer: string; answeredBy: Actor }

/**
 * Answers a task: the operation that asked ends with the answer, and the run goes on once nothing else of that step is open.
 * The run's row is locked first, as its end does, so that a task is answered, or expires with its run, and never both.
 */
export const answerTask = async (deps: Deps, given: Answer): Promise<Task> => {
  const { organizationId } = given
  const { runId } = await findTask(deps, given)
  const now = deps.clock.now()
  const { task, isReported, isDue } = await deps.db.transaction().execute(async (tx) => {
    const run = { organizationId, id: runId }
    await lockRun(tx, run)
    const completed = await completeRow(tx, given, now)
    if (!completed)
      throw conflict('This task is not open any more: it was answered, its time is over, or its run has ended.', {
        code: 'task_not_open',
      })
    const reported = await closeAnswered(tx, { ...run, operationId: completed.operationId, answer: given.answer }, now)
    return { task: completed, isReported: reported, isDue: (await wakeRun(tx, run, now)).isDue }
  })
  deps.topics.publish(runTopic(runId))
  if (isDue) deps.topics.publish(runsTopic(organizationId))
  if (isReported) deps.topics.publish(organizationTopic(organizationId))
  return taskView(task)
}
