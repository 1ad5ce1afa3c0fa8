import {
  createOrganizationWebhook,
  deleteOrganizationWebhook,
  listOrganizationDeliveries,
  listOrganizationWebhooks,
  redeliverToOrganization,
  rotateOrganizationWebhook,
  testOrganizationWebhook,
} from '@noema/contracts/organization-webhooks.ts'
import {
  deleteWebhook,
  pageOfDeliveries,
  pageOfWebhooks,
  redeliver,
  registerWebhook,
  rotateWebhook,
  testWebhook,
} from '../../features/delivery/organization-webhooks/organization-webhooks.ts'
import { defineBinding } from '../binding.ts'
import { listAnswer, startOf } from '../list-answer.ts'
import { checkId } from '../path-arguments.ts'

const place = ({ id }: { id: string }) => id

export const organizationWebhookBindings = [
  defineBinding(createOrganizationWebhook, async (deps, { caller, body }) => {
    const owner = { organizationId: caller.organization.id, createdBy: caller.actor.id }
    return { data: await registerWebhook(deps, owner, body) }
  }),
  defineBinding(listOrganizationWebhooks, async (deps, { caller, query }) => {
    const { id } = caller.organization
    const [scope, { limit }] = [deps.listScope(id), query]
    const after = startOf('webhooks', scope, query.after)
    const items = await pageOfWebhooks(deps, id, { after, limit: limit + 1 })
    return listAnswer('webhooks', 'webhooks', scope, { items, place, limit, after })
  }),
  defineBinding(deleteOrganizationWebhook, async (deps, { caller, params }) => {
    await deleteWebhook(deps, caller.organization.id, checkId(params.id))
    return { data: { deleted: true } }
  }),
  defineBinding(testOrganizationWebhook, async (deps, { caller, params }) => ({
    data: await testWebhook(deps, caller.organization.id, checkId(params.id)),
  })),
  defineBinding(rotateOrganizationWebhook, async (deps, { caller, params }) => ({
    data: await rotateWebhook(deps, caller.organization.id, checkId(params.id)),
  })),
  defineBinding(listOrganizationDeliveries, async (deps, { caller, params, query }) => {
    const { id } = caller.organization
    const [scope, webhook, { limit }] = [deps.listScope(id), checkId(params.id), query]
    const after = startOf(`deliveries:${webhook}`, scope, query.after)
    const items = await pageOfDeliveries(deps, id, webhook, { after, limit: limit + 1 })
    return listAnswer(`deliveries:${webhook}`, 'deliveries', scope, { items, place, limit, after })
  }),
  defineBinding(redeliverToOrganization, async (deps, { caller, params }) => ({
    data: {
      delivery: await redeliver(deps, caller.organization.id, checkId(params.id), checkId(params.delivery, 'delivery')),
    },
  })),
]
