import type { TaskState } from '@noema/contracts/tasks.ts'
import { sql } from 'kysely'
import type { Actor } from '../../../shared/actor.ts'
import { actorValue } from '../../../storage/actor-columns.ts'
import { hidesEvalRun, hidesRun, isVisible, type Viewer } from '../../../storage/brain-access.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { inOrder, isAfter } from '../../platform/cursors/page-queries.ts'
import { hasWords, isMadeIn, type SearchedPage, searchRows, toStart } from '../../platform/cursors/search-queries.ts'

export type TaskRow = {
  id: string
  runId: string
  agentId: string
  operationId: string
  state: TaskState
  question: string
  options: string[] | null
  answer: string | null
  answeredBy: Actor | null
  createdAt: Date
  expiresAt: Date | null
  /** Of a case of an eval; such a task has no run of an agent. */
  evalRunId: string | null
  evalId: string | null
}

type TaskKey = { organizationId: string; id: string }

const columns = sql`id, run_id as "runId", agent_id as "agentId", operation_id as "operationId", state, question, options,
  answer, answered_by as "answeredBy", created_at as "createdAt", expires_at as "expiresAt", eval_run_id as "evalRunId", eval_id as "evalId"`

export const selectTask = async (db: Queryable, { organizationId, id }: TaskKey): Promise<TaskRow | undefined> => {
  const { rows } = await sql<TaskRow>`select ${columns} from run_tasks
    where organization_id = ${organizationId} and id = ${id}`.execute(db)
  return rows[0]
}

export type TaskFilter = {
  state?: TaskState | undefined
  runId?: string | undefined
  from?: string | undefined
  until?: string | undefined
  text?: string | undefined
  viewer?: Viewer
}

const isListed = (
  organizationId: string,
  { state, runId, viewer: _, ...range }: TaskFilter,
  page: PageRequest<string>,
) => sql`
  organization_id = ${organizationId} and ${isAfter(sql`id`, page)} and ${isMadeIn('tsk', sql`id`, range)}
    ${state === undefined ? sql`` : sql`and state = ${state}`} ${runId === undefined ? sql`` : sql`and run_id = ${runId}`}`

/** A page of the tasks of an organization's runs, by id. */
export const selectTasks = async (
  db: Queryable,
  organizationId: string,
  filter: TaskFilter,
  page: PageRequest<string>,
): Promise<TaskRow[]> => {
  const { rows } = await sql<TaskRow>`select ${columns} from run_tasks
    where ${isListed(organizationId, filter, page)} ${inOrder(sql`id`, page)} limit ${page.limit}`.execute(db)
  return rows
}

/** Searches tasks by the words of their question and by who may see their run, from the start of a page on. */
export const searchTasks = async (
  db: Queryable,
  organizationId: string,
  { text, viewer, ...filter }: TaskFilter,
  page: PageRequest<string>,
): Promise<SearchedPage<TaskRow>> => {
  const rows = sql`select id, run_id, eval_run_id, question from run_tasks where ${isListed(organizationId, filter, page)}`
  const hasText = text === undefined ? sql`true` : hasWords(toStart(sql`question`), text)
  const isShown = isVisible(
    viewer,
    (userId) => sql`(
    ${hidesRun(sql`${organizationId}::text`, sql`searched.run_id`, userId)}
      or ${hidesEvalRun(sql`${organizationId}::text`, sql`searched.eval_run_id`, userId)})`,
  )
  const found = await searchRows(
    db,
    { rows, size: sql`pg_column_size(question)`, isFound: sql`${hasText} and ${isShown}` },
    page,
  )
  const { rows: tasks } = await sql<TaskRow>`select ${columns} from run_tasks
    where organization_id = ${organizationId} and id = any(${found.ids}) ${inOrder(sql`id`, page)}`.execute(db)
  return { ...found, rows: tasks }
}

/** Completes a task that is open and whose time is not over; undefined where there is none. */
export const completeRow = async (
  tx: Tx,
  { organizationId, id, answer, answeredBy }: TaskKey & { answer: string; answeredBy: Actor },
  now: Date,
): Promise<TaskRow | undefined> => {
  const { rows } = await sql<TaskRow>`
    update run_tasks set state = 'completed', answer = ${answer}, answered_by = ${actorValue(answeredBy)},
      completed_at = ${now}
    where organization_id = ${organizationId} and id = ${id} and state = 'open'
      and (expires_at is null or expires_at > ${now}) returning ${columns}`.execute(tx)
  return rows[0]
}
