import { listActivity, listRunOperations } from '@noema/contracts/activity.ts'
import { readActivityDays as activityDays } from '@noema/contracts/activity-days.ts'
import { listRunMessages } from '@noema/contracts/runs.ts'
import { listOperationPage, listActivity as readActivity } from '../../features/agents/activity/activity.ts'
import { readActivityDays } from '../../features/agents/activity/activity-days.ts'
import { listMessagePage } from '../../features/agents/messages/messages.ts'
import { findRun } from '../../features/agents/runs/runs.ts'
import { defineBinding } from '../binding.ts'
import { checkId } from '../path-arguments.ts'

export const activityBindings = [
  defineBinding(listActivity, async (deps, { principal, query }) => ({
    data: { operations: await readActivity(deps, principal.organization.id, { ...query, viewer: principal.viewer }) },
  })),
  defineBinding(activityDays, async (deps, { principal, query }) => {
    const asked = { ...query, viewer: principal.viewer }
    return { data: { timezone: query.timezone, days: await readActivityDays(deps, principal.organization.id, asked) } }
  }),
  defineBinding(listRunOperations, async (deps, { principal, params, query }) => {
    const place = { organizationId: principal.organization.id, id: checkId(params.id) }
    const run = await findRun(deps, place)
    const list = { scope: deps.listScope(place.organizationId), list: `operations:${run.id}`, start: 0 }
    return { data: await listOperationPage(deps, place, { list, query }) }
  }),
  defineBinding(listRunMessages, async (deps, { principal, params, query }) => {
    const { organizationId, id: runId } = await findRun(deps, {
      organizationId: principal.organization.id,
      id: checkId(params.id),
    })
    const list = { scope: deps.listScope(organizationId), list: `messages:${runId}`, start: '' }
    return { data: await listMessagePage(deps, { organizationId, runId }, { list, query }) }
  }),
]
