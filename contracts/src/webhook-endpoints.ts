import { z } from 'zod'
import { actor, timestamp } from './common.ts'

// Shared parts of both kinds of webhooks: those of Brains and those of organizations.

/** The URL that a webhook leads to. It must be https on a public host. */
export const webhookUrl = z
  .string()
  .min(1)
  .max(2048)
  .describe('The address to send events to: HTTPS and a public host.')

/** The secret of a webhook, as it is returned once. */
export const webhookSecret = z.string().describe('Signs deliveries; shown once')

/** The creator of a webhook. */
export const webhookCreator = {
  createdAt: timestamp,
  createdByKeyId: z.string().describe('The id of the key, or of the `createdByActor`'),
  createdByActor: actor.optional().describe('Who created it, if that was not a key'),
}

/** The part of a webhook that says if it delivers at present. */
export const webhookPause = {
  paused: z.boolean().describe('True if nothing is delivered until it is resumed.'),
  ownerLeft: z
    .boolean()
    .describe(
      'True if it was paused because the person who last set its address or saw its secret lost their access. To resume it, ' +
        'send its `url`, too.',
    ),
}

/** The result of one attempt: `answer` is the first kilobyte of the response, `status` null if no response came. */
export const attemptResult = {
  status: z.int().nullable().describe('The HTTP status of the answer; null if there was none.'),
  error: z.string().nullable().describe('The error; null if there was none.'),
  answer: z.string().describe('The beginning of the response.'),
  milliseconds: z.int().min(0).describe('How long it took, in milliseconds.'),
}

export const testResult = z
  .object({
    delivered: z.boolean().describe('True if the receiver answered with a status from 200 to 299.'),
    ...attemptResult,
  })
  .describe('The result of a test delivery.')
