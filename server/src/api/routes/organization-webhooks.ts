import {
  createOrganizationWebhook,
  deleteOrganizationWebhook,
  getOrganizationWebhook,
  listOrganizationDeliveries,
  listOrganizationWebhooks,
  patchOrganizationWebhook,
  redeliverToOrganization,
  rewindOrganizationWebhook,
  rotateOrganizationWebhook,
  testOrganizationWebhook,
  type WebhookScope,
} from '@noema/contracts/organization-webhooks.ts'
import type { ManagerPrincipal } from '../../access/principal.ts'
import { checkAgentExists } from '../../features/agents/agents/agents.ts'
import {
  changeWebhook,
  deleteWebhook,
  listDeliveryPage,
  listWebhookPage,
  readWebhook,
  redeliver,
  registerWebhook,
  rewindWebhook,
  rotateWebhook,
  testWebhook,
} from '../../features/delivery/organization-webhooks/organization-webhooks.ts'
import type { Db } from '../../storage/database.ts'
import { defineBinding } from '../binding.ts'
import { listAnswer } from '../list-answer.ts'
import { checkId } from '../path-arguments.ts'

const toPlace = ({ id }: { id: string }) => id

const toActing = ({ organization, actor }: ManagerPrincipal) => ({ organizationId: organization.id, by: actor })

/** Checks that the agents of a scope exist, because deliveries know nothing of agents. */
const checkAgent = async (db: Db, { organization }: ManagerPrincipal, scope: WebhookScope | null | undefined) => {
  if (!scope || !('agentId' in scope)) return
  await checkAgentExists(db, { organizationId: organization.id, id: scope.agentId }, ['scope', 'agentId'])
}

export const organizationWebhookBindings = [
  defineBinding(createOrganizationWebhook, async (deps, { principal, body }) => {
    const owner = { organizationId: principal.organization.id, createdBy: principal.actor }
    await checkAgent(deps.db, principal, body.scope)
    return { data: await registerWebhook(deps, owner, { ...body, events: [...new Set(body.events)] }) }
  }),
  defineBinding(listOrganizationWebhooks, async (deps, { principal, query }) => {
    const { id } = principal.organization
    const list = { scope: deps.listScope(id), list: 'webhooks', start: '' }
    return listAnswer('webhooks', list, query, (page) => listWebhookPage(deps, id, page, principal.viewer), toPlace)
  }),
  defineBinding(getOrganizationWebhook, async (deps, { principal, params }) => ({
    data: { webhook: await readWebhook(deps, principal.organization.id, checkId(params.id)) },
  })),
  defineBinding(patchOrganizationWebhook, async (deps, { principal, params, body }) => {
    await checkAgent(deps.db, principal, body.scope)
    return { data: { webhook: await changeWebhook(deps, toActing(principal), checkId(params.id), body) } }
  }),
  defineBinding(rewindOrganizationWebhook, async (deps, { principal, params, body }) => ({
    data: await rewindWebhook(deps, toActing(principal), checkId(params.id), body),
  })),
  defineBinding(deleteOrganizationWebhook, async (deps, { principal, params }) => {
    await deleteWebhook(deps, toActing(principal), checkId(params.id))
    return { data: { deleted: true } }
  }),
  defineBinding(testOrganizationWebhook, async (deps, { principal, params }) => ({
    data: await testWebhook(deps, principal.organization.id, checkId(params.id)),
  })),
  defineBinding(rotateOrganizationWebhook, async (deps, { principal, params }) => ({
    data: await rotateWebhook(deps, toActing(principal), checkId(params.id)),
  })),
  defineBinding(listOrganizationDeliveries, async (deps, { principal, params, query }) => {
    const { id } = principal.organization
    const webhook = checkId(params.id)
    const list = { scope: deps.listScope(id), list: `deliveries:${webhook}`, start: '' }
    return listAnswer('deliveries', list, query, (page) => listDeliveryPage(deps, id, webhook, page), toPlace)
  }),
  defineBinding(redeliverToOrganization, async (deps, { principal, params }) => ({
    data: {
      delivery: await redeliver(
        deps,
        principal.organization.id,
        checkId(params.id),
        checkId(params.delivery, 'delivery'),
      ),
    },
  })),
]
