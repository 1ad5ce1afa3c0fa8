import { z } from 'zod'
import { brain, hold } from './brains.ts'
import { defineEndpoint } from './endpoint.ts'
import { lockErrors } from './error-codes.ts'

const result = z
  .object({ brain: brain.describe('The Brain.'), hold: hold.nullable().describe('null if the Brain has no hold') })
  .describe('The Brain with its hold, or without one.')

export const holdBrain = defineEndpoint({
  method: 'PUT',
  path: '/v1/brains/{handle}/hold',
  summary: 'Place a hold on a Brain, which makes it read-only',
  description:
    'Places a hold on a Brain: content writes, publications and deletion are refused with `brain_held` (409); reads, ' +
    'events and decisions still work. Once this call has returned, no write is applied. A repeat replaces the reason ' +
    'and nothing else.',
  access: 'management',
  body: z.object({ reason: z.string().min(1).max(2000).describe('Why, for people.') }),
  errors: lockErrors,
  status: [200],
  result,
})

export const releaseBrain = defineEndpoint({
  method: 'DELETE',
  path: '/v1/brains/{handle}/hold',
  summary: 'Release the hold of a Brain',
  description:
    'Releases the hold; changes that were approved meanwhile are published. Without a hold, this changes nothing.',
  access: 'management',
  errors: lockErrors,
  status: [200],
  result,
})
