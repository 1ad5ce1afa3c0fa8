import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhookDeliveries,
  listWebhooks,
  patchWebhook,
  rewindWebhook,
  rotateWebhook,
  testWebhook,
} from '@noema/contracts/webhooks.ts'
import * as webhooks from '../../features/delivery/brain-webhooks/brain-webhooks.ts'
import type { BrainRow } from '../../features/kernel/brains/brain-queries.ts'
import type { Actor } from '../../shared/actor.ts'
import { brainTopic } from '../../shared/concurrency/topics.ts'
import { defineBinding } from '../binding.ts'
import { checkId } from '../path-arguments.ts'

const toActing = ({ brain, actor }: { brain: BrainRow; actor: Actor }) => ({ brain, by: actor })

export const brainWebhookBindings = [
  defineBinding(createWebhook, async (deps, { principal, body }) => {
    const { brain, actor } = principal
    const types = body.types && [...new Set(body.types)]
    const created = await webhooks.createWebhook(deps, { brain, createdBy: actor }, { ...body, types })
    if (created.webhook.pending) deps.topics.publish(brainTopic(brain.brainId))
    return { data: created }
  }),
  defineBinding(listWebhooks, async (deps, { principal }) => ({
    data: { webhooks: await webhooks.listWebhooks(deps, principal.brain) },
  })),
  defineBinding(getWebhook, async (deps, { principal, params }) => ({
    data: { webhook: await webhooks.readWebhook(deps, principal.brain, checkId(params.id)) },
  })),
  defineBinding(deleteWebhook, async (deps, { principal, params }) => {
    await webhooks.deleteWebhook(deps, toActing(principal), checkId(params.id))
    return { data: { deleted: true } }
  }),
  defineBinding(testWebhook, async (deps, { principal, params }) => ({
    data: await webhooks.testWebhook(deps, principal.brain, checkId(params.id)),
  })),
  defineBinding(patchWebhook, async (deps, { principal, params, body }) => {
    const webhook = await webhooks.changeWebhook(deps, toActing(principal), checkId(params.id), body)
    if (webhook.pending && !webhook.paused) deps.topics.publish(brainTopic(principal.brain.brainId))
    return { data: { webhook } }
  }),
  defineBinding(rewindWebhook, async (deps, { principal, params, body }) => {
    const webhook = await webhooks.rewindWebhook(deps, toActing(principal), checkId(params.id), body)
    deps.topics.publish(brainTopic(principal.brain.brainId))
    return { data: { webhook } }
  }),
  defineBinding(rotateWebhook, async (deps, { principal, params }) => ({
    data: await webhooks.rotateWebhook(deps, toActing(principal), checkId(params.id)),
  })),
  defineBinding(listWebhookDeliveries, async (deps, { principal, params, query }) => ({
    data: await webhooks.listDeliveries(deps, principal.brain, checkId(params.id), query),
  })),
]
