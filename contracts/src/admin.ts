import { z } from 'zod'
import { listQuery, pageResult, timestamp, wholeNumber } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

/** What an organization may use: each tier has its own caps and rates, and `staff` has no caps. */
export const tier = z.enum(['free', 'business', 'enterprise', 'staff'], {
  error: 'tier is free, business, enterprise or staff.',
})

/** Sets the tier of an organization, by its id, from its next request on. */
export const setBillingTier = defineEndpoint({
  method: 'PUT',
  path: '/v1/admin/billing-tier',
  summary: 'Set the tier of an organization',
  access: 'administrator',
  body: z.object({ tenantId: z.string().min(1, 'tenantId is the id of an organization.').max(200), tier }),
  errors: ['not_found'],
  status: [200],
  result: z.object({ tenantId: z.string(), tier }),
})

/** A code that gives whoever signs up with it its tier, so often and so long as it says. Times are ISO 8601 in UTC. */
export const invitationCode = z.object({
  id: z.string(),
  code: z.string(),
  label: z.string().nullable(),
  tier,
  maxUses: z.int().nullable(),
  useCount: z.int().min(0),
  expiresAt: timestamp.nullable(),
  createdBy: z.string().nullable().meta({ description: 'The id of the user who made it' }),
  createdAt: timestamp,
  updatedAt: timestamp,
})
export type InvitationCode = z.infer<typeof invitationCode>

/** The text of a code: any 1 to 100 characters that can be read. */
export const codeText = z
  .string()
  .min(1, 'A code has 1 to 100 characters.')
  .max(100, 'A code has 1 to 100 characters.')
  .refine((code) => code.isWellFormed() && !/\p{C}/u.test(code), 'A code has no control characters.')

/** A time in UTC that ends in Z, in any precision; returned with milliseconds. */
const utcTime = z.iso
  .datetime({ error: 'expiresAt is an ISO 8601 date-time in UTC that ends in Z, such as 2027-03-01T12:00:00Z.' })
  .transform((text) => new Date(text).toISOString())

/** Lists every code, the newest first, spent and expired ones included. */
export const listInvitationCodes = defineEndpoint({
  method: 'GET',
  path: '/v1/admin/invitation-codes',
  summary: 'List the invitation codes',
  access: 'administrator',
  query: z.object({}),
  status: [200],
  result: z.object({ codes: z.array(invitationCode) }),
})

/** Makes a code. One that exists is 409. */
export const createInvitationCode = defineEndpoint({
  method: 'POST',
  path: '/v1/admin/invitation-codes',
  summary: 'Make an invitation code',
  access: 'administrator',
  body: z.object({
    code: codeText,
    label: z.string().max(200, 'label has at most 200 characters.').optional(),
    tier: tier.default('business').meta({ description: 'The tier that it gives' }),
    maxUses: z.int('maxUses is a whole number, 1 or more.').min(1).max(2_147_483_647).optional(),
    expiresAt: utcTime.optional(),
  }),
  errors: ['conflict'],
  status: [201],
  result: z.object({ code: invitationCode }),
})

/** Deletes a code: nobody signs up with it any more, and whoever did keeps what it gave. An unknown one is 404. */
export const deleteInvitationCode = defineEndpoint({
  method: 'DELETE',
  path: '/v1/admin/invitation-codes/{code}',
  summary: 'Delete an invitation code',
  access: 'administrator',
  status: [200],
  result: z.object({ deleted: z.literal(true) }),
})

const adminEventKind = z.enum(['access_request', 'signup', 'organization_ended'], {
  error: 'kind is access_request, signup or organization_ended.',
})

/**
 * Something that administrators may want to know. `notificationType` says how they are told of it, null where they are not;
 * `notificationSent` is true once a mail of it has left.
 */
export const adminEvent = z.object({
  id: z.string(),
  kind: adminEventKind,
  summary: z.string(),
  detail: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('access_request'), email: z.string(), message: z.string().optional() }),
    z.object({
      kind: z.literal('signup'),
      email: z.string(),
      userId: z.string(),
      inviteCode: z.string().optional().meta({ description: 'The invitation code that counted, if one did' }),
    }),
    z.object({
      kind: z.literal('organization_ended'),
      organizationId: z.string(),
      userId: z.string().meta({ description: 'The administrator who ended it' }),
      reason: z.string().optional(),
    }),
  ]),
  notificationType: z.string().nullable(),
  notificationSent: z.boolean(),
  createdAt: timestamp,
})
export type AdminEvent = z.infer<typeof adminEvent>

/**
 * Lists requests for access and sign-ups, the newest first; with `kind=organization_ended` the organizations that an administrator
 * ended.
 */
export const listAdminEvents = defineEndpoint({
  method: 'GET',
  path: '/v1/admin/events',
  summary: 'List what administrators are told of',
  access: 'administrator',
  query: z.object({
    kind: adminEventKind.optional(),
    limit: wholeNumber('limit is a whole number from 1 to 200.', { min: 1, max: 200 }).default(100),
    offset: wholeNumber('offset is a whole number, 0 or more.', { min: 0, max: 1_000_000_000 }).default(0),
  }),
  status: [200],
  result: z.object({ events: z.array(adminEvent) }),
})

const organizationState = z
  .enum(['active', 'ended'], { error: 'state is active or ended.' })
  .meta({ description: 'ended: refused to everybody, and being erased' })

/** An organization as the operator sees it: who owns it, and how much it has. Nothing of what its Brains hold. */
export const administeredOrganization = z.object({
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  tier,
  state: organizationState,
  createdAt: timestamp,
  owners: z.array(z.object({ userId: z.string(), email: z.string(), emailVerified: z.boolean() })),
  members: z.int().min(0),
  brains: z.int().min(0),
})
export type AdministeredOrganization = z.infer<typeof administeredOrganization>

/**
 * Lists every organization by id, those that go on unless `state` says otherwise. `q` finds by id, or by a part of the name, the slug
 * or an owner's address, in whatever case.
 */
export const listOrganizations = defineEndpoint({
  method: 'GET',
  path: '/v1/admin/organizations',
  summary: 'List the organizations of the service',
  access: 'administrator',
  query: z.object({
    owner: z.string().min(1).max(254).optional().meta({ description: 'Only organizations that this address owns' }),
    q: z.string().min(1).max(254).optional(),
    tier: tier.optional(),
    state: organizationState.default('active'),
    ...listQuery,
  }),
  status: [200],
  list: 'organizations',
  result: z.object({ organizations: z.array(administeredOrganization), ...pageResult }),
})

const mailState = z.enum(['stored', 'pending', 'sent', 'failed'], {
  error: 'state is stored, pending, sent or failed.',
})

/**
 * A mail of the last month. `state` is `stored` where no mail server is set up: its text is then shown while what it links to
 * works, so that the operator can hand it over. Of mails that a server delivers the text is never shown.
 */
export const administeredMail = z.object({
  id: z.string(),
  to: z.string(),
  subject: z.string(),
  text: z.string().nullable(),
  state: mailState,
  attempts: z.int().min(0),
  nextAttemptAt: timestamp.nullable().meta({ description: 'When it is tried next, where it is' }),
  lastError: z.string().nullable(),
  createdAt: timestamp,
  sentAt: timestamp.nullable(),
})
export type AdministeredMail = z.infer<typeof administeredMail>

/** Lists mails by id, those of one state where it is given. */
export const listMail = defineEndpoint({
  method: 'GET',
  path: '/v1/admin/mail',
  summary: 'List the mails of the last month',
  access: 'administrator',
  query: z.object({ state: mailState.optional(), ...listQuery }),
  status: [200],
  list: 'mail',
  result: z.object({ mail: z.array(administeredMail), ...pageResult }),
})

/**
 * Tries a mail once more that was given up, or that was stored while there was no mail server: at once, and then as often as a new one.
 * Where there is still no mail server, its text is written to the log of the service once more. 409 `mail_not_retried` where it was
 * sent, is being tried, or has no text any more because what it links to works no longer.
 */
export const retryMail = defineEndpoint({
  method: 'POST',
  path: '/v1/admin/mail/{id}/retry',
  summary: 'Try a mail once more',
  access: 'administrator',
  errors: ['mail_not_retried'],
  status: [200],
  result: z.object({ mail: administeredMail }),
})
