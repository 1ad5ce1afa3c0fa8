import { completeTask, getTask, listTasks } from '@noema/contracts/tasks.ts'
import { resumeFlow } from '../../features/agents/flows/steps.ts'
import { answerTask } from '../../features/agents/runs/answer-task.ts'
import { findTask, listTaskPage, taskView } from '../../features/agents/tasks/tasks.ts'
import { answerEvalTask } from '../../features/evals/eval-runs/person-tasks.ts'
import { continueBlocked } from '../../features/evals/goals/goals.ts'
import { endPage, openPage } from '../../features/platform/cursors/cursors.ts'
import { defineBinding } from '../binding.ts'
import { checkId } from '../path-arguments.ts'

export const taskBindings = [
  defineBinding(listTasks, async (deps, { principal, query }) => {
    const { id } = principal.organization
    const { limit, order, after: _, ...filter } = query
    const list = { scope: deps.listScope(id), list: `tasks ${JSON.stringify(filter)}`, start: '' }
    const page = await openPage(list, query)
    const { shown, last, hasMore } = await listTaskPage(
      deps,
      id,
      { ...filter, viewer: principal.viewer },
      { after: page.after, limit, order },
    )
    return { data: { tasks: shown, cursor: endPage(page, last), hasMore } }
  }),
  defineBinding(getTask, async (deps, { principal, params }) => {
    const place = { organizationId: principal.organization.id, id: checkId(params.id) }
    return { data: { task: taskView(await findTask(deps, place)) } }
  }),
  defineBinding(completeTask, async (deps, { principal, params, body }) => {
    const place = { organizationId: principal.organization.id, id: checkId(params.id) }
    const answering = { ...place, ...body, answeredBy: principal.actor }
    const { runId, evalRunId } = await findTask(deps, place)
    if (evalRunId !== null) return { data: { task: await answerEvalTask(deps, { ...answering, evalRunId }) } }
    const goingOn = { ...deps, continueGoal: continueBlocked, resumeFlow }
    return { data: { task: await answerTask(goingOn, { ...answering, runId }) } }
  }),
]
