import { z } from 'zod'
import { tier } from './admin.ts'
import { displayName, itemId, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

const amount = z.int().min(0)

/** The use of a limit. `max` is null if there is no limit. */
const use = z.object({ used: amount.describe('How much is used.'), max: amount.nullable().describe('The maximum.') })
export type Use = z.infer<typeof use>

/** So many requests a second in the long run, and so many at once. */
const rate = z.object({
  perSecond: z.number().describe('How many requests may be sent in a second, over time.'),
  burst: z.number().describe('How many requests may be sent at once.'),
})
export type Rate = z.infer<typeof rate>

/**
 * The storage, write and rate limits of an organization, by its tier; the lowest while none of its owners has `confirmed`
 * an address. All organizations of the account that owns this one are counted together. Daily use starts from zero at
 * `resetsAt`. Without `rates` there is no limit of requests.
 */
export const organizationLimits = z.object({
  tier,
  confirmed: z.boolean().describe('Whether one of its owners has confirmed an address'),
  brains: use.describe('The limit on Brains, and how many there are.'),
  writesToday: use.describe('The limit on writes of a day, and how many there were.'),
  bytesToday: use.describe('Bytes of content'),
  runsToday: use.describe('The limit on runs of a day, and how many there were.'),
  fileBytes: use.describe('The limit on bytes of files, and how many are kept.'),
  resetsAt: timestamp,
  rates: z
    .object({ key: rate.describe('Of each key or person'), organization: rate.describe('The organization.') })
    .nullable()
    .describe('How many requests may be sent.'),
})
export type OrganizationLimits = z.infer<typeof organizationLimits>

/**
 * An organization, as its members see it. `role` is that of the caller, or of the person who minted their key; null if that
 * person has left.
 */
export const organization = z.object({
  id: itemId,
  name: displayName,
  slug: z.string().describe('The readable name of the organization, as used in addresses.'),
  createdAt: timestamp,
  members: amount.describe('How many members there are.'),
  role: z.enum(['owner', 'admin', 'member']).nullable().describe('The role of the person in the organization.'),
  limits: organizationLimits.describe('The limits of the organization, and how much of them is used.'),
})
export type Organization = z.infer<typeof organization>

export const getOrganization = defineEndpoint({
  method: 'GET',
  path: '/v1/organization',
  summary: 'Read the organization, its limits and its use',
  description: 'Reads what the organization is called, what it may use, and how much of that it has used.',
  access: 'management',
  status: [200],
  result: z.object({ organization: organization.describe('The organization.') }),
})
