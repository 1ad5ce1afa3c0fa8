import { z } from 'zod'
import { brain } from './brains.ts'
import { actor, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

/** The hold of a Brain: its reason, since when, and who placed it: the id of a key, or of the `byActor` that is not one. */
export const hold = z.object({ reason: z.string(), since: timestamp, by: z.string(), byActor: actor.optional() })
export type Hold = z.infer<typeof hold>

const result = z.object({ brain, hold: hold.nullable().meta({ description: 'null if the Brain has no hold' }) })

/**
 * Places a hold on a Brain: content writes, publications and deletion are refused with `brain_held` (409); reads, events and
 * decisions still work. Once this call has returned, no write is applied. A repeat replaces the reason and nothing else.
 */
export const holdBrain = defineEndpoint({
  method: 'PUT',
  path: '/v1/brains/{handle}/hold',
  summary: 'Place a hold on a Brain, which makes it read-only',
  access: 'management',
  body: z.object({ reason: z.string().min(1).max(2000) }),
  status: [200],
  result,
})

/** Releases the hold; changes that were approved meanwhile are published. Without a hold, this changes nothing. */
export const releaseBrain = defineEndpoint({
  method: 'DELETE',
  path: '/v1/brains/{handle}/hold',
  summary: 'Release the hold of a Brain',
  access: 'management',
  status: [200],
  result,
})
