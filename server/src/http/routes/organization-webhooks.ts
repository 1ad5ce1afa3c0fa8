import {
  createOrganizationWebhook,
  deleteOrganizationWebhook,
  listOrganizationDeliveries,
  listOrganizationWebhooks,
  redeliverToOrganization,
  rotateOrganizationWebhook,
  testOrganizationWebhook,
} from '@noema/contracts/organization-webhooks.ts'
import type { AppDeps } from '../../app-deps.ts'
import {
  deleteWebhook,
  pageOfDeliveries,
  pageOfWebhooks,
  redeliver,
  registerWebhook,
  rotateWebhook,
  testWebhook,
} from '../../features/delivery/organization-webhooks/organization-webhooks.ts'
import { route } from '../endpoint.ts'
import { checkId } from '../path-ids.ts'
import { listAnswer, startOf } from './lists.ts'

const place = ({ id }: { id: string }) => id

export const organizationWebhookRoutes = [
  route(createOrganizationWebhook, async (deps: AppDeps, { caller, body }) => {
    const owner = { organizationId: caller.organization.id, createdBy: caller.actor.id }
    return { data: await registerWebhook(deps, owner, body) }
  }),
  route(listOrganizationWebhooks, async (deps: AppDeps, { caller, query }) => {
    const { id } = caller.organization
    const [scope, { limit }] = [deps.listScope(id), query]
    const after = startOf('webhooks', scope, query.after)
    const items = await pageOfWebhooks(deps, id, { after, limit: limit + 1 })
    return listAnswer('webhooks', 'webhooks', scope, { items, place, limit, after })
  }),
  route(deleteOrganizationWebhook, async (deps: AppDeps, { caller, params }) => {
    await deleteWebhook(deps, caller.organization.id, checkId(params.id))
    return { data: { deleted: true } }
  }),
  route(testOrganizationWebhook, async (deps: AppDeps, { caller, params }) => ({
    data: await testWebhook(deps, caller.organization.id, checkId(params.id)),
  })),
  route(rotateOrganizationWebhook, async (deps: AppDeps, { caller, params }) => ({
    data: await rotateWebhook(deps, caller.organization.id, checkId(params.id)),
  })),
  route(listOrganizationDeliveries, async (deps: AppDeps, { caller, params, query }) => {
    const { id } = caller.organization
    const [scope, webhook, { limit }] = [deps.listScope(id), checkId(params.id), query]
    const after = startOf(`deliveries:${webhook}`, scope, query.after)
    const items = await pageOfDeliveries(deps, id, webhook, { after, limit: limit + 1 })
    return listAnswer(`deliveries:${webhook}`, 'deliveries', scope, { items, place, limit, after })
  }),
  route(redeliverToOrganization, async (deps: AppDeps, { caller, params }) => ({
    data: {
      delivery: await redeliver(deps, caller.organization.id, checkId(params.id), checkId(params.delivery)),
    },
  })),
]
