import { z } from 'zod'
import {
  deletedResult,
  displayName,
  emailAddress,
  itemId,
  listQuery,
  pageResult,
  timestamp,
  wholeNumber,
} from './common.ts'
import { defineEndpoint } from './endpoint.ts'

/** The limits of an organization: each tier has its own caps and rates, and `staff` has no caps. */
export const tier = z
  .enum(['free', 'business', 'enterprise', 'staff'], {
    error: 'tier is free, business, enterprise or staff.',
  })
  .describe('The tier, which sets limits.')

export const setBillingTier = defineEndpoint({
  method: 'PUT',
  path: '/v1/admin/billing-tier',
  summary: 'Set the tier of an organization',
  description: 'Sets the tier of an organization, by its id, from its next request on.',
  access: 'administrator',
  body: z.object({
    tenantId: z
      .string()
      .min(1, 'tenantId is the id of an organization.')
      .max(200)
      .describe('The id of the organization.'),
    tier,
  }),
  errors: ['not_found'],
  status: [200],
  result: z.object({ tenantId: z.string().describe('The id of the organization.'), tier }),
})

export const invitationCode = z
  .object({
    id: itemId,
    code: z.string().describe('The code.'),
    label: z.string().nullable().describe('A note for the operator.'),
    tier,
    maxUses: z.int().nullable().describe('How often the code may be used; null for any number.'),
    useCount: z.int().min(0).describe('How often the code was used.'),
    expiresAt: timestamp.nullable().describe('When it expires; null if never.'),
    createdBy: z.string().nullable().describe('The id of the user who made it'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .describe(
    'A code that gives new accounts its tier, for as many uses and as long as it says. Times are ISO 8601 in UTC.',
  )
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

export const listInvitationCodes = defineEndpoint({
  method: 'GET',
  path: '/v1/admin/invitation-codes',
  summary: 'List the invitation codes',
  description: 'Lists every code, the newest first, spent and expired ones included.',
  access: 'administrator',
  query: z.object({}),
  status: [200],
  result: z.object({ codes: z.array(invitationCode).describe('The codes.') }),
})

export const createInvitationCode = defineEndpoint({
  method: 'POST',
  path: '/v1/admin/invitation-codes',
  summary: 'Make an invitation code',
  description: 'Makes a code. One that exists is 409.',
  access: 'administrator',
  body: z.object({
    code: codeText.describe('The code.'),
    label: z.string().max(200, 'label has at most 200 characters.').optional().describe('A note for the operator.'),
    tier: tier.default('business').describe('The tier that it gives'),
    maxUses: z
      .int('maxUses is a whole number, 1 or more.')
      .min(1)
      .max(2_147_483_647)
      .optional()
      .describe('How often the code may be used; without it, any number of times.'),
    expiresAt: utcTime.optional().describe('When it expires, in UTC, ending in Z; without it, never.'),
  }),
  errors: ['conflict'],
  status: [201],
  result: z.object({ code: invitationCode.describe('The code.') }),
})

export const deleteInvitationCode = defineEndpoint({
  method: 'DELETE',
  path: '/v1/admin/invitation-codes/{code}',
  summary: 'Delete an invitation code',
  description:
    'Deletes a code: it can no longer be used, and accounts that used it keep their tier. An unknown one is 404.',
  access: 'administrator',
  status: [200],
  result: deletedResult,
})

const adminEventKind = z.enum(['access_request', 'signup', 'organization_ended'], {
  error: 'kind is access_request, signup or organization_ended.',
})

export const adminEvent = z
  .object({
    id: itemId,
    kind: adminEventKind.describe('The kind.'),
    summary: z.string().describe('A summary in one sentence.'),
    detail: z
      .discriminatedUnion('kind', [
        z.object({
          kind: z.literal('access_request').describe('The kind.'),
          email: emailAddress,
          message: z.string().optional().describe('A message for people.'),
        }),
        z.object({
          kind: z.literal('signup').describe('The kind.'),
          email: emailAddress,
          userId: z.string().describe('The id of the user.'),
          inviteCode: z.string().optional().describe('The invitation code that counted, if one did'),
        }),
        z.object({
          kind: z.literal('organization_ended').describe('The kind.'),
          organizationId: z.string().describe('The id of the organization.'),
          userId: z.string().describe('The administrator who ended it'),
          reason: z.string().optional().describe('Why, for people.'),
        }),
      ])
      .describe('The known details.'),
    notificationType: z.string().nullable().describe('How the operator was notified.'),
    notificationSent: z.boolean().describe('True if the operator was notified.'),
    createdAt: timestamp,
  })
  .describe(
    'An event that administrators may want to know. `notificationType` says how they are notified, null if they are ' +
      'not; `notificationSent` is true once a mail about it has left.',
  )
export type AdminEvent = z.infer<typeof adminEvent>

export const listAdminEvents = defineEndpoint({
  method: 'GET',
  path: '/v1/admin/events',
  summary: 'List events for administrators',
  description:
    'Lists requests for access and sign-ups, the newest first; with `kind=organization_ended` the organizations that ' +
    'an administrator ended.',
  access: 'administrator',
  query: z.object({
    kind: adminEventKind.optional().describe('Only those of this kind.'),
    limit: wholeNumber('limit is a whole number from 1 to 200.', { min: 1, max: 200 })
      .default(100)
      .describe('The maximum number of items of the page.'),
    offset: wholeNumber('offset is a whole number, 0 or more.', { min: 0, max: 1_000_000_000 })
      .default(0)
      .describe('How many items to skip.'),
  }),
  status: [200],
  result: z.object({ events: z.array(adminEvent).describe('The events of this page.') }),
})

const organizationState = z
  .enum(['active', 'ended'], { error: 'state is active or ended.' })
  .describe('ended: refused to everybody, and being erased')

/** An organization as the operator sees it: its owners and its counts, without any content of its Brains. */
export const administeredOrganization = z
  .object({
    id: itemId,
    name: displayName,
    slug: z.string().describe('The readable name of the organization, as used in addresses.'),
    tier,
    state: organizationState,
    createdAt: timestamp,
    owners: z
      .array(
        z.object({
          userId: z.string().describe('The id of the user.'),
          email: emailAddress,
          emailVerified: z.boolean().describe('True if the address is confirmed.'),
        }),
      )
      .describe('The owners of the organization.'),
    members: z.int().min(0).describe('How many members there are.'),
    brains: z.int().min(0).describe('How many Brains there are.'),
  })
  .describe('An organization of the service, as its administrators see it.')
export type AdministeredOrganization = z.infer<typeof administeredOrganization>

export const listOrganizations = defineEndpoint({
  method: 'GET',
  path: '/v1/admin/organizations',
  summary: 'List the organizations of the service',
  description:
    'Lists every organization by id, those that go on unless `state` says otherwise. `q` finds by id, or by a part ' +
    "of the name, the slug or an owner's address, in whatever case.",
  access: 'administrator',
  query: z.object({
    owner: z.string().min(1).max(254).optional().describe('Only organizations that this address owns'),
    q: z.string().min(1).max(254).optional().describe('The text to search for.'),
    tier: tier.optional().describe('Only organizations of this tier.'),
    state: organizationState.default('active'),
    ...listQuery,
  }),
  status: [200],
  list: 'organizations',
  result: z.object({ organizations: z.array(administeredOrganization).describe('The organizations.'), ...pageResult }),
})

const mailState = z.enum(['stored', 'pending', 'sent', 'failed'], {
  error: 'state is stored, pending, sent or failed.',
})

/**
 * An email of the last month. `state` is `stored` without a mail server: its text is then shown while its link works, so
 * that the operator can pass it on. The text of an email that a server delivers is never shown.
 */
export const administeredMail = z
  .object({
    id: itemId,
    to: z.string().describe('The address that the mail is for.'),
    subject: z.string().describe('The subject line of the mail.'),
    text: z.string().nullable().describe('The text.'),
    state: mailState.describe('The current state.'),
    attempts: z.int().min(0).describe('How many attempts were made.'),
    nextAttemptAt: timestamp.nullable().describe('When it is tried next, where it is'),
    lastError: z.string().nullable().describe('The error of the last attempt.'),
    createdAt: timestamp,
    sentAt: timestamp.nullable().describe('When it was sent; null until then.'),
  })
  .describe('An email of the service, as its administrators see it.')
export type AdministeredMail = z.infer<typeof administeredMail>

export const listMail = defineEndpoint({
  method: 'GET',
  path: '/v1/admin/mail',
  summary: 'List the mails of the last month',
  description: 'Lists mails by id, those of one state where it is given.',
  access: 'administrator',
  query: z.object({ state: mailState.optional().describe('Only those in this state.'), ...listQuery }),
  status: [200],
  list: 'mail',
  result: z.object({ mail: z.array(administeredMail).describe('The mails of this page.'), ...pageResult }),
})

export const retryMail = defineEndpoint({
  method: 'POST',
  path: '/v1/admin/mail/{id}/retry',
  summary: 'Try a mail once more',
  description:
    'Tries a mail once more that was given up, or that was stored while there was no mail server: at once, and then ' +
    'as often as a new one. If there is still no mail server, its text is written to the log of the service once ' +
    'more. 409 `mail_not_retried` if it was sent, is being tried, or has lost its text because its link no longer ' +
    'works.',
  access: 'administrator',
  errors: ['mail_not_retried'],
  status: [200],
  result: z.object({ mail: administeredMail.describe('The mail.') }),
})
