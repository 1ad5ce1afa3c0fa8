import { z } from 'zod'
import { tier } from './admin.ts'
import { listQuery, pageResult, timestamp } from './common.ts'
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

const accessRequestState = z.enum(['waiting', 'approved', 'refused'], {
  error: 'state is waiting, approved or refused.',
})

/**
 * A request for access as administrators see it. Nobody has shown that the address is whose who wrote it. `account` is the account
 * that has the address by now, with the organization that was made with it and that organization's tier.
 */
export const accessRequest = z.object({
  id: z.string(),
  email: z.string(),
  message: z.string().nullable(),
  state: accessRequestState,
  createdAt: timestamp,
  decidedAt: timestamp.nullable(),
  decidedBy: z.string().nullable().meta({ description: 'The id of the administrator' }),
  reason: z.string().nullable().meta({ description: 'Why it was refused' }),
  tier: tier.nullable().meta({ description: 'The tier that its approval gave' }),
  code: z
    .object({ code: z.string(), usesLeft: z.int().min(0).nullable(), expiresAt: timestamp.nullable() })
    .nullable()
    .meta({ description: 'The invitation code that its approval made, as long as there is one' }),
  account: z
    .object({
      userId: z.string(),
      organization: z.object({ id: z.string(), name: z.string(), tier }).nullable(),
    })
    .nullable(),
})
export type AccessRequest = z.infer<typeof accessRequest>

/** Lists requests for access by id, those of one state where it is given. */
export const listAccessRequests = defineEndpoint({
  method: 'GET',
  path: '/v1/admin/access-requests',
  summary: 'List requests for access',
  access: 'administrator',
  query: z.object({ state: accessRequestState.optional(), ...listQuery }),
  status: [200],
  list: 'requests',
  result: z.object({ requests: z.array(accessRequest), ...pageResult }),
})

/**
 * Approves a request for access, and with it all that wait of the same address. The address is mailed a link to sign up with: it
 * carries an invitation code of one use and 30 days that gives `tier`. Where an account has the address already, its own
 * organization gets the tier instead. A request that is decided already is 409 `already_decided`.
 */
export const approveAccessRequest = defineEndpoint({
  method: 'POST',
  path: '/v1/admin/access-requests/{id}/approve',
  summary: 'Approve a request for access',
  access: 'administrator',
  body: z.object({ tier: tier.default('business').meta({ description: 'The tier that whoever comes in gets' }) }),
  bodyOptional: true,
  errors: ['already_decided', 'no_organization'],
  status: [200],
  result: z.object({ request: accessRequest }),
})

/**
 * Refuses a request for access, and with it all that wait of the same address. The reason is mailed to the address unless `mail` is
 * false. A request that is decided already is 409 `already_decided`.
 */
export const refuseAccessRequest = defineEndpoint({
  method: 'POST',
  path: '/v1/admin/access-requests/{id}/refuse',
  summary: 'Refuse a request for access',
  access: 'administrator',
  body: z.object({
    reason: z
      .string()
      .trim()
      .min(1, 'A reason has 1 to 2000 characters.')
      .max(2000, 'A reason has 1 to 2000 characters.'),
    mail: z.boolean().default(true).meta({ description: 'Whether the address is told, and why' }),
  }),
  errors: ['already_decided'],
  status: [200],
  result: z.object({ request: accessRequest }),
})
