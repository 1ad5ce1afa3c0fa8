import { z } from 'zod'
import { actor, timestamp } from './common.ts'

// What both sorts of webhooks have in common: those of a Brain and those of an organization.

/** The URL that a webhook leads to. It must be https on a public host. */
export const webhookUrl = z.string().min(1).max(2048)

/** The secret of a webhook, as it is returned once. */
export const webhookSecret = z.string().meta({ description: 'Signs deliveries; shown once' })

/** Who created a webhook. */
export const webhookCreator = {
  createdAt: timestamp,
  createdByKeyId: z.string().meta({ description: 'The id of the key, or of the `createdByActor`' }),
  createdByActor: actor.optional().meta({ description: 'Who created it, if that was not a key' }),
}

/** The result of one attempt: `answer` is the first kilobyte of the response, `status` null if no response came. */
export const attemptResult = {
  status: z.int().nullable(),
  error: z.string().nullable(),
  answer: z.string(),
  milliseconds: z.int().min(0),
}

/** The result of a test delivery. */
export const testResult = z.object({ delivered: z.boolean(), ...attemptResult })
