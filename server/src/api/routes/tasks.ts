import { completeTask, getTask, listTasks } from '@noema/contracts/tasks.ts'
import { answerTask } from '../../features/agents/runs/answer-task.ts'
import { findTask, listTaskPage, taskView } from '../../features/agents/tasks/tasks.ts'
import { defineBinding } from '../binding.ts'
import { listAnswer } from '../list-answer.ts'
import { checkId } from '../path-arguments.ts'

export const taskBindings = [
  defineBinding(listTasks, async (deps, { principal, query }) => {
    const { id } = principal.organization
    const { state, runId } = query
    const list = { scope: deps.listScope(id), list: `tasks ${JSON.stringify({ state, runId })}`, start: '' }
    return listAnswer(
      'tasks',
      list,
      query,
      (page) => listTaskPage(deps, id, { state, runId }, page),
      (task) => task.taskId,
    )
  }),
  defineBinding(getTask, async (deps, { principal, params }) => {
    const place = { organizationId: principal.organization.id, id: checkId(params.id) }
    return { data: { task: taskView(await findTask(deps, place)) } }
  }),
  defineBinding(completeTask, async (deps, { principal, params, body }) => {
    const place = { organizationId: principal.organization.id, id: checkId(params.id) }
    return { data: { task: await answerTask(deps, { ...place, ...body, answeredBy: principal.actor }) } }
  }),
]
