import { z } from 'zod'
import { brain } from './brains.ts'
import { timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

/** Why a Brain is held, since when, and the key that held it. */
export const hold = z.object({ reason: z.string(), since: timestamp, by: z.string() })
export type Hold = z.infer<typeof hold>

const result = z.object({ brain, hold: hold.nullable().meta({ description: 'null while the Brain is not held' }) })

/**
 * Holds a Brain: content writes, publishing and deletion are refused with `brain_held` (409); reads, events and decisions
 * go on. Once this is answered, no write lands. A repeat replaces the reason and changes nothing else.
 */
export const holdBrain = defineEndpoint({
  method: 'PUT',
  path: '/v1/brains/{handle}/hold',
  summary: 'Hold a Brain: read, but not written',
  access: 'management',
  body: z.object({ reason: z.string().min(1).max(2000) }),
  status: [200],
  result,
})

/** Releases a held Brain; changes that were approved meanwhile are published. Releasing what is not held changes nothing. */
export const releaseBrain = defineEndpoint({
  method: 'DELETE',
  path: '/v1/brains/{handle}/hold',
  summary: 'Release a held Brain',
  access: 'management',
  status: [200],
  result,
})
