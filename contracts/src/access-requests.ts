import { z } from 'zod'
import { defineEndpoint } from './endpoint.ts'

/**
 * Asks the administrators of the service for access. It always returns true, also where nothing was stored because the same
 * address asked many times today.
 */
export const requestAccess = defineEndpoint({
  method: 'POST',
  path: '/v1/access-requests',
  summary: 'Ask for access to this service',
  access: 'public',
  body: z.object({
    email: z.email('email is a mail address.').max(254, 'An address has at most 254 characters.'),
    message: z.string().max(2000, 'message has at most 2000 characters.').optional(),
  }),
  status: [201],
  result: z.object({ submitted: z.literal(true) }),
})
