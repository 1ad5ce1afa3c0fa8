import {
  createWebhook,
  deleteWebhook,
  listWebhookDeliveries,
  listWebhooks,
  rewindWebhook,
  rotateWebhook,
  testWebhook,
} from '@noema/contracts/webhooks.ts'
import type { AppDeps } from '../../app-deps.ts'
import * as webhooks from '../../features/delivery/brain-webhooks/brain-webhooks.ts'
import { brainTopic } from '../../shared/topics.ts'
import { route } from '../endpoint.ts'
import { checkId } from '../path-ids.ts'

export const webhookRoutes = [
  route(createWebhook, async (deps: AppDeps, { caller, body }) => {
    const { brain, keyId } = caller
    const created = await webhooks.createWebhook(deps, { brain, createdBy: keyId }, body)
    if (created.webhook.pending) deps.topics.publish(brainTopic(brain.brainId))
    return { data: created }
  }),
  route(listWebhooks, async (deps: AppDeps, { caller }) => ({
    data: { webhooks: await webhooks.listWebhooks(deps, caller.brain) },
  })),
  route(deleteWebhook, async (deps: AppDeps, { caller, params }) => {
    await webhooks.deleteWebhook(deps, caller.brain, checkId(params.id))
    return { data: { deleted: true } }
  }),
  route(testWebhook, async (deps: AppDeps, { caller, params }) => ({
    data: await webhooks.testWebhook(deps, caller.brain, checkId(params.id)),
  })),
  route(rewindWebhook, async (deps: AppDeps, { caller, params, body }) => {
    const webhook = await webhooks.rewindWebhook(deps, caller.brain, checkId(params.id), body.after)
    deps.topics.publish(brainTopic(caller.brain.brainId))
    return { data: { webhook } }
  }),
  route(rotateWebhook, async (deps: AppDeps, { caller, params }) => ({
    data: await webhooks.rotateWebhook(deps, caller.brain, checkId(params.id)),
  })),
  route(listWebhookDeliveries, async (deps: AppDeps, { caller, params }) => ({
    json: `{"deliveries":[${await webhooks.listDeliveries(deps, caller.brain, checkId(params.id))}]}`,
  })),
]
