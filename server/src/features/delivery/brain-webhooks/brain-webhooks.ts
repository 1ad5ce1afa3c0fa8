import { isDeepStrictEqual } from 'node:util'
import type { AuditAction } from '@noema/contracts/audit.ts'
import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import type {
  createWebhook as createWebhookEndpoint,
  patchWebhook as patchWebhookEndpoint,
  rewindWebhook as rewindWebhookEndpoint,
  Webhook,
  WebhookProgress,
} from '@noema/contracts/webhooks.ts'
import type { Limits } from '../../../config/config.ts'
import { type Actor, summarizeActor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { conflict, notFound } from '../../../shared/errors.ts'
import { newId } from '../../../shared/ids.ts'
import type { Outbound } from '../../../shared/outbound/outbound.ts'
import type { SecretBox } from '../../../shared/secret-box.ts'
import type { Db, Tx } from '../../../storage/database.ts'
import { holdAccess } from '../../accounts/keys/revoking.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { brainList, noSuchBrain } from '../../kernel/brains/brains.ts'
import type { LockWait } from '../../kernel/locks/lock-queries.ts'
import type { BrainLocks } from '../../kernel/locks/locks.ts'
import { encodeEventCursor, eventList } from '../../kernel/stream/stream.ts'
import { addAudit, addAuditOfChange } from '../../platform/audit/audit.ts'
import { openPosition, type PageQuery, type PageRequest, readListPage } from '../../platform/cursors/cursors.ts'
import type { OpenShares } from '../../platform/limits/limits.ts'
import { newEndpointSecret, rotateSecret, testEndpoint, toHeld, toNextSecretFrom } from '../endpoints/endpoints.ts'
import { toMessage } from './message.ts'
import {
  insertWebhook,
  lockBrain,
  lockSecrets,
  lockWebhook,
  moveWebhook,
  removeWebhook,
  secretContext,
  selectDeliveries,
  selectTarget,
  selectWebhooks,
  updateSecrets,
  updateWebhook,
  type WebhookRow,
} from './webhook-queries.ts'

// Webhooks are set up here and delivered by `deliver-webhooks.ts`. Taking the lease away, by deleting or moving a webhook,
// is what stops a delivery on whichever node it runs.

type Deps = { db: Db; clock: Clock; brainLocks: BrainLocks; outbound: Outbound; secretBox: SecretBox }

const noSuchWebhook = (id: string) => notFound(`This Brain has no webhook ${JSON.stringify(id)}.`)

const webhookView = (row: WebhookRow): Webhook => ({
  id: row.id,
  url: row.url,
  types: row.types,
  createdAt: row.createdAt.toISOString(),
  createdByKeyId: row.createdBy.id,
  ...(row.createdBy.type === 'key' ? {} : { createdByActor: summarizeActor(row.createdBy) }),
  pending: row.head > row.examined,
})

const progressView = (brain: BrainRow, row: WebhookRow, now: Date): WebhookProgress => ({
  ...webhookView(row),
  lastCursor: row.settled === null ? null : encodeEventCursor(brain, row.settled),
  lastFailure: row.lastFailure,
  behind: row.head - row.examined,
  attempts: row.attempts,
  nextAttemptAt: (row.head > row.examined && row.retryAt?.toISOString()) || null,
  failingSince: row.failingSince?.toISOString() ?? null,
  paused: row.isPaused,
  ownerLeft: row.ownerLeft,
  nextSecretFrom: toNextSecretFrom(row, now),
})

/** A webhook of a Brain, and who acts on it. */
type Acting = { brain: BrainRow; by: Actor }

const toAct = ({ brain, by }: Acting, action: AuditAction, { id, url }: Pick<WebhookRow, 'id' | 'url'>) => ({
  ...{ organizationId: brain.organizationId, by, action },
  target: { type: 'brain_webhook', id, name: url, brain: brain.handle },
})

const findPosition = (deps: Deps, brain: BrainRow, cursor: string): Promise<number> =>
  openPosition(brainList(deps.db, brain, eventList), cursor)

/** Makes a webhook of a Brain. Its secret is answered here and nowhere again. */
export const createWebhook = async (
  deps: Deps & { limits: Pick<Limits, 'webhooks'> },
  { brain, createdBy }: { brain: BrainRow; createdBy: Actor },
  { url, types, after }: BodyOutput<typeof createWebhookEndpoint>,
): Promise<{ webhook: Webhook; secret: string }> => {
  await deps.outbound.check(url)
  const start = after === undefined ? undefined : await findPosition(deps, brain, after)
  const createdAt = deps.clock.now()
  const id = newId('whk', createdAt)
  const { secret, encrypted } = newEndpointSecret(deps.secretBox, secretContext(brain.brainId, id))
  const insert = async (tx: Tx, wait: LockWait) => {
    // Creations take turns on the Brain, so that no two of them are both the last.
    const found = await lockBrain(tx, brain.brainId, wait)
    if (!found) throw noSuchBrain(brain.handle)
    await holdAccess(tx, createdBy, brain)
    if (found.webhooks >= deps.limits.webhooks.brain)
      throw conflict(`This Brain has ${found.webhooks} webhooks, which is the maximum. Delete one first.`, {
        code: 'too_many_webhooks',
      })
    const row = await insertWebhook(tx, brain.brainId, {
      ...{ id, url, types, secret: encrypted, createdAt, createdBy },
      after: start,
    })
    if (row)
      await addAudit(
        tx,
        { ...toAct({ brain, by: createdBy }, 'webhook.created', row), after: { url, types } },
        createdAt,
      )
    return row
  }
  const row = await deps.brainLocks.run(brain.brainId, (wait) =>
    deps.db.transaction().execute((tx) => insert(tx, wait)),
  )
  if (!row) throw noSuchBrain(brain.handle)
  return { webhook: webhookView(row), secret }
}

/** A Brain's webhooks with their progress. */
export const listWebhooks = async (deps: Deps, brain: BrainRow): Promise<WebhookProgress[]> => {
  const now = deps.clock.now()
  return (await selectWebhooks(deps.db, brain.brainId)).map((row) => progressView(brain, row, now))
}

/** A webhook of a Brain with its progress. */
export const readWebhook = async ({ db, clock }: Deps, brain: BrainRow, id: string): Promise<WebhookProgress> => {
  const row = (await selectWebhooks(db, brain.brainId)).find((one) => one.id === id)
  if (!row) throw noSuchWebhook(id)
  return progressView(brain, row, clock.now())
}

/** Deletes a webhook; nothing is sent to it any more. */
export const deleteWebhook = (deps: Deps, acting: Acting, id: string): Promise<void> =>
  deps.db.transaction().execute(async (tx) => {
    const removed = await removeWebhook(tx, acting.brain.brainId, id)
    if (!removed) throw noSuchWebhook(id)
    await addAudit(tx, toAct(acting, 'webhook.deleted', { id, url: removed.url }), deps.clock.now())
  })

/** Changes a webhook's URL or filter, or pauses it. The audit records only fields that changed. */
export const changeWebhook = async (
  deps: Deps,
  acting: Acting,
  id: string,
  given: BodyOutput<typeof patchWebhookEndpoint>,
): Promise<WebhookProgress> => {
  const { brain } = acting
  if (given.url !== undefined) await deps.outbound.check(given.url)
  return deps.db.transaction().execute(async (tx) => {
    const now = deps.clock.now()
    await holdAccess(tx, acting.by, brain)
    const before = await lockWebhook(tx, brain.brainId, id)
    if (!before) throw noSuchWebhook(id)
    const types = given.types === undefined ? before.types : given.types && [...new Set(given.types)]
    const after = { ...toHeld(before, given), types }
    if (isDeepStrictEqual(before, after)) {
      const row = (await selectWebhooks(tx, brain.brainId)).find((one) => one.id === id)
      if (!row) throw noSuchWebhook(id)
      return progressView(brain, row, now)
    }
    const urlBy = given.url === undefined ? undefined : acting.by.id
    const row = await updateWebhook(tx, brain.brainId, id, { ...after, urlBy }, now)
    if (!row) throw noSuchWebhook(id)
    await addAuditOfChange(tx, { ...toAct(acting, 'webhook.changed', row), before, after }, now)
    return progressView(brain, row, now)
  })
}

/** Lets a webhook go on after a cursor, or with the event of one. */
export const rewindWebhook = async (
  deps: Deps,
  acting: Acting,
  id: string,
  given: BodyOutput<typeof rewindWebhookEndpoint>,
): Promise<WebhookProgress> => {
  const { brain } = acting
  const now = deps.clock.now()
  if (!(await selectTarget(deps.db, brain.brainId, id))) throw noSuchWebhook(id)
  const position = await findPosition(deps, brain, given.after ?? given.from ?? '')
  const after = given.after === undefined ? Math.max(0, position - 1) : position
  return deps.db.transaction().execute(async (tx) => {
    const row = await moveWebhook(tx, brain.brainId, id, { after, now })
    if (!row) throw noSuchWebhook(id)
    await addAudit(tx, { ...toAct(acting, 'webhook.rewound', row), after: given }, now)
    return progressView(brain, row, now)
  })
}

/** Makes a new secret. The old one signs as well for 24 hours. */
export const rotateWebhook = (deps: Deps, acting: Acting, id: string) =>
  deps.db.transaction().execute(async (tx) => {
    const { brain } = acting
    const now = deps.clock.now()
    await holdAccess(tx, acting.by, brain)
    const held = await lockSecrets(tx, brain.brainId, id)
    if (!held) throw noSuchWebhook(id)
    const { secret, kept } = rotateSecret(deps.secretBox, { ...held, context: secretContext(brain.brainId, id) }, now)
    const row = await updateSecrets(tx, brain.brainId, id, { ...kept, secretBy: acting.by.id })
    if (!row) throw noSuchWebhook(id)
    await addAudit(tx, toAct(acting, 'webhook.rotated', row), now)
    return { webhook: progressView(brain, row, now), secret }
  })

/** Sends a test delivery now and returns the outcome. The webhook's progress stays as it is. */
export const testWebhook = async (
  deps: Deps & { open: OpenShares },
  { brainId, organizationId: organization }: BrainRow,
  id: string,
) => {
  const at = deps.clock.now()
  const cursor = newId('whk', at).replace('whk', 'test')
  const event = { cursor, type: 'webhook.test', occurredAt: at.toISOString(), data: { webhook: id } }
  const message = toMessage({ webhook: id, previousCursor: null, cursor, event: JSON.stringify(event) })
  return testEndpoint(deps, { id, organization }, at, async () => {
    const target = await selectTarget(deps.db, brainId, id)
    if (!target) throw noSuchWebhook(id)
    return { endpoint: { ...target, organization, context: secretContext(brainId, id) }, message }
  })
}

/** A page of a webhook's latest deliveries. */
export const listDeliveries = async (deps: Pick<Deps, 'db'>, brain: BrainRow, id: string, query: PageQuery) => {
  if (!(await selectTarget(deps.db, brain.brainId, id))) throw noSuchWebhook(id)
  const list = brainList(deps.db, brain, { list: `deliveries:${id}`, start: 0 })
  const read = (page: PageRequest<number>) => selectDeliveries(deps.db, brain.brainId, id, page)
  const { items, ...rest } = await readListPage(list, query, read, ({ number }) => number)
  return { deliveries: items.map(({ delivery }) => delivery), ...rest }
}
