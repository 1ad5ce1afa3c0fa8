import {
  createSchedule,
  deleteSchedule,
  getSchedule,
  listSchedules,
  patchSchedule,
} from '@noema/contracts/schedules.ts'
import * as schedules from '../../features/agents/schedules/schedules.ts'
import { defineBinding } from '../binding.ts'
import { type ListPage, listAnswer } from '../list-answer.ts'
import { checkId } from '../path-arguments.ts'

export const scheduleBindings = [
  defineBinding(createSchedule, async (deps, { principal, body }) => {
    const owner = { organizationId: principal.organization.id, createdBy: principal.actor }
    return { data: { schedule: await schedules.makeSchedule(deps, owner, body) } }
  }),
  defineBinding(listSchedules, async (deps, { principal, query }) => {
    const { id } = principal.organization
    const list = { scope: deps.listScope(id), list: 'schedules', start: '' }
    const read = (page: ListPage) =>
      schedules.listSchedulePage(
        deps,
        id,
        { agentId: query.agentId, evalId: query.evalId, viewer: principal.viewer },
        page,
      )
    return listAnswer('schedules', list, query, read, (item) => item.id)
  }),
  defineBinding(getSchedule, async (deps, { principal, params }) => {
    const target = { organizationId: principal.organization.id, id: checkId(params.id) }
    return { data: { schedule: await schedules.readSchedule(deps.db, target) } }
  }),
  defineBinding(patchSchedule, async (deps, { principal, params, body }) => {
    const target = { organizationId: principal.organization.id, id: checkId(params.id), by: principal.actor }
    return { data: { schedule: await schedules.changeSchedule(deps, target, body) } }
  }),
  defineBinding(deleteSchedule, async (deps, { principal, params }) => {
    const { organization, actor: by } = principal
    await schedules.deleteSchedule(deps, { organizationId: organization.id, id: checkId(params.id), by })
    return { data: { deleted: true } }
  }),
]
