import { z } from 'zod'
import { tier } from './admin.ts'
import { displayName, emailAddress, itemId, listQuery, pageResult, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

export const requestAccess = defineEndpoint({
  method: 'POST',
  path: '/v1/access-requests',
  summary: 'Ask for access to this service',
  description:
    'Asks the administrators of the service for access. It always returns true, also where nothing was stored ' +
    'because the same address asked many times today.',
  access: 'public',
  body: z.object({
    email: z
      .email('email is a mail address.')
      .max(254, 'An address has at most 254 characters.')
      .describe('The email address.'),
    message: z
      .string()
      .max(2000, 'message has at most 2000 characters.')
      .optional()
      .describe('A message to the operator.'),
  }),
  status: [201],
  result: z.object({ submitted: z.literal(true).describe('True: the request was received.') }),
})

const accessRequestState = z.enum(['waiting', 'approved', 'refused'], {
  error: 'state is waiting, approved or refused.',
})

/**
 * A request for access as administrators see it. The address is not confirmed. `account` is the account that
 * has the address now, with the organization that was created with it and that organization's tier.
 */
export const accessRequest = z
  .object({
    id: itemId,
    email: emailAddress,
    message: z.string().nullable().describe('A message for people.'),
    state: accessRequestState.describe('The current state.'),
    createdAt: timestamp,
    decidedAt: timestamp.nullable().describe('When it was decided; null until then.'),
    decidedBy: z.string().nullable().describe('The id of the administrator'),
    reason: z.string().nullable().describe('Why it was refused'),
    tier: tier.nullable().describe('The tier that its approval gave'),
    code: z
      .object({
        code: z.string().describe('The code.'),
        usesLeft: z.int().min(0).nullable().describe('How often the code can still be used; null for any number.'),
        expiresAt: timestamp.nullable().describe('When it expires; null if never.'),
      })
      .nullable()
      .describe('The invitation code that its approval made, as long as there is one'),
    account: z
      .object({
        userId: z.string().describe('The id of the user.'),
        organization: z.object({ id: itemId, name: displayName, tier }).nullable().describe('The organization.'),
      })
      .nullable()
      .describe('The account.'),
  })
  .describe('A request for access, as administrators see it.')
export type AccessRequest = z.infer<typeof accessRequest>

export const listAccessRequests = defineEndpoint({
  method: 'GET',
  path: '/v1/admin/access-requests',
  summary: 'List requests for access',
  description: 'Lists requests for access by id, those of one state where it is given.',
  access: 'administrator',
  query: z.object({ state: accessRequestState.optional().describe('Only those in this state.'), ...listQuery }),
  status: [200],
  list: 'requests',
  result: z.object({ requests: z.array(accessRequest).describe('The requests of this page.'), ...pageResult }),
})

export const approveAccessRequest = defineEndpoint({
  method: 'POST',
  path: '/v1/admin/access-requests/{id}/approve',
  summary: 'Approve a request for access',
  description:
    'Approves a request for access and every other open one of the same address. A mail brings the address a link to ' +
    'sign up with: it carries an invitation code of one use and 30 days that gives `tier`. If an account has the ' +
    'address already, its own organization gets the tier instead. A decided request is 409 `already_decided`.',
  access: 'administrator',
  body: z.object({ tier: tier.default('business').describe('The tier that the new account gets') }),
  bodyOptional: true,
  errors: ['already_decided', 'no_organization'],
  status: [200],
  result: z.object({ request: accessRequest.describe('The request.') }),
})

export const refuseAccessRequest = defineEndpoint({
  method: 'POST',
  path: '/v1/admin/access-requests/{id}/refuse',
  summary: 'Refuse a request for access',
  description:
    'Refuses a request for access, and with it all that wait of the same address. The reason is mailed to the ' +
    'address unless `mail` is false. A request that is decided already is 409 `already_decided`.',
  access: 'administrator',
  body: z.object({
    reason: z
      .string()
      .trim()
      .min(1, 'A reason has 1 to 2000 characters.')
      .max(2000, 'A reason has 1 to 2000 characters.')
      .describe('Why, for people.'),
    mail: z.boolean().default(true).describe('Whether to mail the decision and its reason to the address'),
  }),
  errors: ['already_decided'],
  status: [200],
  result: z.object({ request: accessRequest.describe('The request.') }),
})
