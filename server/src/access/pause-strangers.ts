import { pauseTriggersOfStrangers } from '../features/agents/triggers/trigger-queries.ts'
import { pauseWebhooksOfStrangers } from '../features/delivery/brain-webhooks/webhook-queries.ts'
import { dropDeliveriesToStrangers } from '../features/delivery/organization-webhooks/delivery-queries.ts'
import type { Queryable } from '../storage/database.ts'

const reason = 'The Brain is no longer open to the person who made this trigger. Whoever changes it becomes its owner.'

/**
 * Stops what people have set up to receive content of a Brain that is not open to them any more: its webhooks and triggers are
 * paused, and what waits to be sent to their webhooks of the organization is dropped.
 */
export const pauseStrangers = async (
  db: Queryable,
  brain: { brainId: number; organizationId: string; handle: string },
): Promise<void> => {
  await pauseWebhooksOfStrangers(db, brain.brainId)
  await pauseTriggersOfStrangers(db, brain.brainId, reason)
  await dropDeliveriesToStrangers(db, brain)
}
