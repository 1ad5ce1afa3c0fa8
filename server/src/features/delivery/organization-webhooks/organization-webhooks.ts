import { isDeepStrictEqual } from 'node:util'
import type { AuditAction } from '@noema/contracts/audit.ts'
import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import {
  type createOrganizationWebhook,
  maxRewound,
  type OrganizationDelivery,
  type OrganizationWebhook,
  type patchOrganizationWebhook,
  type rewindOrganizationWebhook,
  type WebhookScope,
} from '@noema/contracts/organization-webhooks.ts'
import type { Limits } from '../../../config/config.ts'
import { type Actor, summarizeActor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { type Topics, webhookTopic } from '../../../shared/concurrency/topics.ts'
import { conflict, notFound } from '../../../shared/errors.ts'
import { newId } from '../../../shared/ids.ts'
import type { Outbound } from '../../../shared/outbound/outbound.ts'
import type { SecretBox } from '../../../shared/secret-box.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { Db } from '../../../storage/database.ts'
import { holdAccess } from '../../accounts/keys/revoking.ts'
import { checkBrainExists } from '../../kernel/brains/brains.ts'
import { addAudit, addAuditOfChange } from '../../platform/audit/audit.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import type { OpenShares } from '../../platform/limits/limits.ts'
import { newEndpointSecret, rotateSecret, testEndpoint, toHeld, toNextSecretFrom } from '../endpoints/endpoints.ts'
import {
  beginAgain,
  beginManyAgain,
  countWebhooks,
  insertWebhook,
  postponeDeliveries,
  removeWebhook,
  resumeDeliveries,
  secretContext,
  selectDeliveries,
  selectWebhook,
  selectWebhooks,
  updateSecrets,
  updateWebhook,
  type WebhookRow,
} from './webhook-queries.ts'

// Webhooks of an organization: their settings. `expand-outbox.ts` and `deliver-to-organizations.ts` send their events.

type Deps = { db: Db; clock: Clock; outbound: Outbound; secretBox: SecretBox }
type Page = PageRequest<string>

/** The refusal of an id that no webhook of the organization has. */
export const noSuchWebhook = (id: string) => notFound(`This organization has no webhook ${JSON.stringify(id)}.`)

const toScope = ({ agentId, brain }: WebhookRow): OrganizationWebhook['scope'] =>
  agentId !== null ? { agentId } : brain !== null ? { brain } : null

const webhookView = (row: WebhookRow, now: Date): OrganizationWebhook => ({
  id: row.id,
  url: row.url,
  events: row.events,
  scope: toScope(row),
  createdAt: row.createdAt.toISOString(),
  createdByKeyId: row.createdBy.id,
  ...(row.createdBy.type === 'key' ? {} : { createdByActor: summarizeActor(row.createdBy) }),
  paused: row.paused,
  ownerLeft: row.ownerLeft,
  nextSecretFrom: toNextSecretFrom(row, now),
})

type DeliveryRow = Awaited<ReturnType<typeof selectDeliveries>>[number]

const deliveryView = (row: DeliveryRow): OrganizationDelivery => ({
  ...row,
  createdAt: row.createdAt.toISOString(),
  nextAttemptAt: row.nextAttemptAt?.toISOString() ?? null,
})

/** Refuses a scope that names no Brain of the organization (D-66). The caller checks that an agent exists. */
const checkScope = async (
  db: Db,
  { organizationId, by }: Acting,
  scope: WebhookScope | null | undefined,
): Promise<void> => {
  if (!scope || !('brain' in scope)) return
  await checkBrainExists(db, { organizationId, handle: scope.brain, viewer: by.userId }, ['scope', 'brain'])
}

/** Registers a webhook. Its secret is answered here and nowhere again. */
export const registerWebhook = async (
  deps: Deps & { limits: Pick<Limits, 'webhooks'> },
  { organizationId, createdBy }: { organizationId: string; createdBy: Actor },
  { url, events, scope }: BodyOutput<typeof createOrganizationWebhook>,
): Promise<{ webhook: OrganizationWebhook; secret: string }> => {
  await checkScope(deps.db, { organizationId, by: createdBy }, scope)
  await deps.outbound.check(url)
  const createdAt = deps.clock.now()
  const id = newId('whk', createdAt)
  const { secret, encrypted } = newEndpointSecret(deps.secretBox, secretContext(id))
  const row = await deps.db.transaction().execute(async (tx) => {
    await holdAccess(tx, createdBy, { organizationId })
    const count = await countWebhooks(tx, organizationId)
    if (count >= deps.limits.webhooks.organization)
      throw conflict(`This organization has ${count} webhooks, which is the maximum. Delete one first.`, {
        code: 'too_many_webhooks',
      })
    const given = { id, organizationId, url, events: [...new Set(events)], scope, createdAt, createdBy }
    const made = await insertWebhook(tx, { ...given, secret: encrypted })
    const act = toAct({ organizationId, by: createdBy }, 'webhook.created', made)
    await addAudit(tx, { ...act, after: { url, events: given.events, scope: scope ?? null } }, createdAt)
    return made
  })
  return { webhook: webhookView(row, createdAt), secret }
}

/** A page of an organization's webhooks. */
export const listWebhookPage = async (deps: Deps, organizationId: string, page: Page, viewer: Viewer) =>
  (await selectWebhooks(deps.db, organizationId, page, viewer)).map((row) => webhookView(row, deps.clock.now()))

/** The actor and the organization whose webhook it changes. */
type Acting = { organizationId: string; by: Actor }

const toAct = (acting: Acting, action: AuditAction, { id, url }: Pick<WebhookRow, 'id' | 'url'>) => ({
  ...{ ...acting, action },
  target: { type: 'webhook', id, name: url },
})

const findWebhook = async (deps: Deps, organizationId: string, id: string): Promise<WebhookRow> => {
  const row = await selectWebhook(deps.db, organizationId, id)
  if (!row) throw noSuchWebhook(id)
  return row
}

/** A webhook of an organization. */
export const readWebhook = async (deps: Deps, organizationId: string, id: string): Promise<OrganizationWebhook> =>
  webhookView(await findWebhook(deps, organizationId, id), deps.clock.now())

/** Deletes a webhook and its deliveries. */
export const deleteWebhook = (deps: Deps, acting: Acting, id: string): Promise<void> =>
  deps.db.transaction().execute(async (tx) => {
    const removed = await removeWebhook(tx, acting.organizationId, id)
    if (!removed) throw noSuchWebhook(id)
    await addAudit(tx, toAct(acting, 'webhook.deleted', { id, url: removed.url }), deps.clock.now())
  })

/** Sends a test delivery now and returns the outcome. */
export const testWebhook = async (deps: Deps & { open: OpenShares }, organization: string, id: string) => {
  const at = deps.clock.now()
  const body = JSON.stringify({ event: 'webhook.test', timestamp: at.toISOString(), data: { webhook: id } })
  return testEndpoint(deps, { id, organization }, at, async () => {
    const row = await findWebhook(deps, organization, id)
    const endpoint = { ...row, organization, context: secretContext(id) }
    return { endpoint, message: { id: newId('dlv', at), body } }
  })
}

/** Changes where a webhook leads, what it receives, or whether it is paused. A call that changes nothing leaves no audit entry. */
export const changeWebhook = async (
  deps: Deps & { topics: Topics },
  acting: Acting,
  id: string,
  given: BodyOutput<typeof patchOrganizationWebhook>,
): Promise<OrganizationWebhook> => {
  await checkScope(deps.db, acting, given.scope)
  if (given.url !== undefined) await deps.outbound.check(given.url)
  const now = deps.clock.now()
  const { row, isResumed } = await deps.db.transaction().execute(async (tx) => {
    await holdAccess(tx, acting.by, acting)
    const held = await selectWebhook(tx, acting.organizationId, id, { lock: true })
    if (!held) throw noSuchWebhook(id)
    const { url, events, paused, ownerLeft } = held
    const before = { url, events, scope: toScope(held), paused, ownerLeft }
    const { scope = before.scope } = given
    const after = { ...toHeld(held, given), events: given.events ? [...new Set(given.events)] : events, scope }
    if (isDeepStrictEqual(before, after)) return { row: held, isResumed: false }
    const urlBy = given.url === undefined ? undefined : acting.by.id
    const changed = await updateWebhook(tx, id, { ...after, urlBy })
    if (changed.paused && !paused) await postponeDeliveries(tx, [id])
    const isResumed = paused && !changed.paused
    if (isResumed) await resumeDeliveries(tx, id, now)
    await addAuditOfChange(tx, { ...toAct(acting, 'webhook.changed', changed), before, after }, now)
    return { row: changed, isResumed }
  })
  if (isResumed) deps.topics.publish(webhookTopic(id))
  return webhookView(row, now)
}

/** Makes a new secret. The old one signs as well for 24 hours. */
export const rotateWebhook = (deps: Deps, acting: Acting, id: string) =>
  deps.db.transaction().execute(async (tx) => {
    const now = deps.clock.now()
    await holdAccess(tx, acting.by, acting)
    const held = await selectWebhook(tx, acting.organizationId, id, { lock: true })
    if (!held) throw noSuchWebhook(id)
    const { secret, kept } = rotateSecret(deps.secretBox, { ...held, context: secretContext(id) }, now)
    const row = await updateSecrets(tx, id, { ...kept, secretBy: acting.by.id })
    await addAudit(tx, toAct(acting, 'webhook.rotated', row), now)
    return { webhook: webhookView(row, now), secret }
  })

/** A page of a webhook's deliveries. */
export const listDeliveryPage = async (deps: Deps, organizationId: string, id: string, page: Page) => {
  await findWebhook(deps, organizationId, id)
  return (await selectDeliveries(deps.db, id, page)).map(deliveryView)
}

const noSuchDelivery = (id: string) =>
  notFound(`This webhook has no delivery ${JSON.stringify(id)}. List its deliveries to see those that there are.`)

/** Sends a delivery again, from its first attempt on. */
export const redeliver = async (
  deps: Deps & { topics: Topics },
  organizationId: string,
  id: string,
  delivery: string,
) => {
  await findWebhook(deps, organizationId, id)
  const row = await beginAgain(deps.db, id, delivery, deps.clock.now())
  if (!row) throw noSuchDelivery(delivery)
  deps.topics.publish(webhookTopic(id))
  return deliveryView(row)
}

/** Sends a delivery again and those that were made after it, or those of them that failed. */
export const rewindWebhook = async (
  deps: Deps & { topics: Topics },
  acting: Acting,
  id: string,
  { from, failed }: BodyOutput<typeof rewindOrganizationWebhook>,
) => {
  const row = await findWebhook(deps, acting.organizationId, id)
  const now = deps.clock.now()
  const begun = await deps.db.transaction().execute(async (tx) => {
    const many = await beginManyAgain(tx, id, { from, failed, max: maxRewound, now })
    if (!many) throw noSuchDelivery(from)
    if (many.count > 0)
      await addAudit(tx, { ...toAct(acting, 'webhook.rewound', row), after: { from, failed, count: many.count } }, now)
    return many
  })
  deps.topics.publish(webhookTopic(id))
  return begun
}
