import type { Task } from '@noema/contracts/tasks.ts'
import { summarizeActor } from '../../../shared/actor.ts'
import { notFound } from '../../../shared/errors.ts'
import type { Db } from '../../../storage/database.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { endList, endSearch } from '../../platform/cursors/search-queries.ts'
import { toGoalId } from './goal-of-task.ts'
import { searchTasks, selectTask, selectTasks, type TaskFilter, type TaskRow } from './task-queries.ts'

// Questions of runs to people. A run makes a task with the operation that asks; answering it is an operation on the run. A run of an
// eval makes a task for each case that a person grades.

type Deps = { db: Db }

/** A task as answers show it. */
export const taskView = (row: TaskRow): Task => ({
  taskId: row.id,
  runId: row.evalRunId === null ? row.runId : null,
  agentId: row.evalRunId === null ? row.agentId : null,
  ...(row.evalId === null ? {} : { evalId: row.evalId }),
  ...(row.evalRunId === null ? {} : { evalRunId: row.evalRunId }),
  state: row.state,
  question: row.question,
  options: row.options,
  ...(toGoalId(row.operationId) === undefined ? {} : { goalId: row.operationId }),
  ...(row.answer === null ? {} : { answer: row.answer }),
  ...(row.answeredBy === null ? {} : { answeredBy: summarizeActor(row.answeredBy) }),
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt?.toISOString() ?? null,
})

/** The refusal of an id that no task of the organization has. */
export const noSuchTask = (id: string) => notFound(`This organization has no task ${JSON.stringify(id)}.`)

/** A task of an organization; throws where it is not there. */
export const findTask = async ({ db }: Deps, place: { organizationId: string; id: string }): Promise<TaskRow> => {
  const found = await selectTask(db, place)
  if (!found) throw noSuchTask(place.id)
  return found
}

/** A page of the tasks of an organization's runs, the place of its end, and whether there are more. */
export const listTaskPage = async (
  { db }: Deps,
  organizationId: string,
  { text, viewer, ...filter }: TaskFilter,
  { limit, ...page }: PageRequest<string>,
): Promise<{ shown: Task[]; last: string | undefined; hasMore: boolean }> => {
  // One more than the page has says that there are others.
  const requested = { ...page, limit: limit + 1 }
  const { shown, ...end } =
    text === undefined && viewer === undefined
      ? endList(await selectTasks(db, organizationId, filter, requested), limit)
      : endSearch(await searchTasks(db, organizationId, { ...filter, text, viewer }, requested), limit)
  return { ...end, shown: shown.map(taskView) }
}
