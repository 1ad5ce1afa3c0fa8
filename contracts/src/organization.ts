import { z } from 'zod'
import { tier } from './admin.ts'
import { timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

const amount = z.int().min(0)

/** What of a limit is used. `max` is null where there is no limit. */
const use = z.object({ used: amount, max: amount.nullable() })
export type Use = z.infer<typeof use>

/** So many requests a second in the long run, and so many at once. */
const rate = z.object({ perSecond: z.number(), burst: z.number() })
export type Rate = z.infer<typeof rate>

/**
 * How much an organization may keep, write and send, by its tier; least while none of its owners has confirmed an address, which
 * `confirmed` tells. Use is that of all organizations which the account owns together that owns this one. Daily use begins anew at
 * `resetsAt`. Without `rates` there is no limit of requests.
 */
export const organizationLimits = z.object({
  tier,
  confirmed: z.boolean().meta({ description: 'Whether one of its owners has confirmed an address' }),
  brains: use,
  writesToday: use,
  bytesToday: use.meta({ description: 'Bytes of content' }),
  runsToday: use,
  resetsAt: timestamp,
  rates: z.object({ key: rate.meta({ description: 'Of each key or person' }), organization: rate }).nullable(),
})
export type OrganizationLimits = z.infer<typeof organizationLimits>

/** An organization, as its members see it. `role` is that of the caller, or of whoever minted their key; null where they left. */
export const organization = z.object({
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  createdAt: timestamp,
  members: amount,
  role: z.enum(['owner', 'admin', 'member']).nullable(),
  limits: organizationLimits,
})
export type Organization = z.infer<typeof organization>

/** Reads what the organization is called, what it may use, and how much of that it has used. */
export const getOrganization = defineEndpoint({
  method: 'GET',
  path: '/v1/organization',
  summary: 'Read the organization, its limits and its use',
  access: 'management',
  status: [200],
  result: z.object({ organization }),
})
