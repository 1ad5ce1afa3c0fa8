import { createTrigger, deleteTrigger, getTrigger, listTriggers, patchTrigger } from '@noema/contracts/triggers.ts'
import * as triggers from '../../features/agents/triggers/triggers.ts'
import { defineBinding } from '../binding.ts'
import { checkId } from '../path-arguments.ts'

export const triggerBindings = [
  defineBinding(listTriggers, async (deps, { principal }) => ({
    data: { triggers: await triggers.listTriggers(deps, principal.organization.id, principal.viewer) },
  })),
  defineBinding(createTrigger, async (deps, { principal, body }) => {
    const owner = { organizationId: principal.organization.id, createdBy: principal.actor }
    return { data: await triggers.makeTrigger(deps, owner, body) }
  }),
  defineBinding(getTrigger, async (deps, { principal, params }) => ({
    data: await triggers.readTrigger(deps.db, { organizationId: principal.organization.id, id: checkId(params.id) }),
  })),
  defineBinding(patchTrigger, async (deps, { principal, params, body }) => ({
    data: await triggers.changeTrigger(
      deps,
      { organizationId: principal.organization.id, id: checkId(params.id), by: principal.actor },
      body,
    ),
  })),
  defineBinding(deleteTrigger, async (deps, { principal, params }) => {
    const { organization, actor: by } = principal
    await triggers.deleteTrigger(deps, { organizationId: organization.id, id: checkId(params.id), by })
    return { data: { deleted: true } }
  }),
]
