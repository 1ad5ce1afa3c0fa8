import {
  createWebhook,
  deleteWebhook,
  listWebhookDeliveries,
  listWebhooks,
  rewindWebhook,
  rotateWebhook,
  testWebhook,
} from '@noema/contracts/webhooks.ts'
import * as webhooks from '../../features/delivery/brain-webhooks/brain-webhooks.ts'
import { brainTopic } from '../../shared/topics.ts'
import { defineBinding } from '../binding.ts'
import { checkId } from '../path-arguments.ts'

export const brainWebhookBindings = [
  defineBinding(createWebhook, async (deps, { caller, body }) => {
    const { brain, actor } = caller
    const created = await webhooks.createWebhook(deps, { brain, createdBy: actor }, body)
    if (created.webhook.pending) deps.topics.publish(brainTopic(brain.brainId))
    return { data: created }
  }),
  defineBinding(listWebhooks, async (deps, { caller }) => ({
    data: { webhooks: await webhooks.listWebhooks(deps, caller.brain) },
  })),
  defineBinding(deleteWebhook, async (deps, { caller, params }) => {
    await webhooks.deleteWebhook(deps, caller.brain, checkId(params.id))
    return { data: { deleted: true } }
  }),
  defineBinding(testWebhook, async (deps, { caller, params }) => ({
    data: await webhooks.testWebhook(deps, caller.brain, checkId(params.id)),
  })),
  defineBinding(rewindWebhook, async (deps, { caller, params, body }) => {
    const webhook = await webhooks.rewindWebhook(deps, caller.brain, checkId(params.id), body.after)
    deps.topics.publish(brainTopic(caller.brain.brainId))
    return { data: { webhook } }
  }),
  defineBinding(rotateWebhook, async (deps, { caller, params }) => ({
    data: await webhooks.rotateWebhook(deps, caller.brain, checkId(params.id)),
  })),
  defineBinding(listWebhookDeliveries, async (deps, { caller, params }) => ({
    json: `{"deliveries":[${await webhooks.listDeliveries(deps, caller.brain, checkId(params.id))}]}`,
  })),
]
