import { z } from 'zod'
import { administeredOrganization, tier } from './admin.ts'
import { timestamp } from './common.ts'
import { organizationContents } from './endings.ts'
import { defineEndpoint } from './endpoint.ts'

// One organization as the operator of the service sees it: who belongs to it, how much of its caps is used, and how it ends.
// Nothing of what its Brains hold, nor what they are called.

const count = z.int().min(0)

/** How much is used, and how much may be; null where there is no limit. */
const use = z.object({ used: count, max: count.nullable() })

const administeredMember = z.object({
  userId: z.string(),
  name: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  role: z.string(),
  joinedAt: timestamp,
})

/**
 * Reads one organization: its first 500 members, and how much it uses of what it may. Caps count over all organizations of its
 * first owner, `countedTogether` of them; `caps` names those that hold: those of its tier, or `unverified` while none of its owners
 * has confirmed an address. An organization that an administrator owns is `protected`: only its owners end it.
 */
export const getAdministeredOrganization = defineEndpoint({
  method: 'GET',
  path: '/v1/admin/organizations/{id}',
  summary: 'Read an organization of the service',
  access: 'administrator',
  status: [200],
  result: z.object({
    organization: administeredOrganization,
    members: z.array(administeredMember),
    caps: z.union([tier, z.literal('unverified')]),
    use: z.object({ brains: use, dailyWrites: use, dailyBytes: use, dailyRuns: use }),
    countedTogether: count,
    protected: z.boolean(),
  }),
})
export type OrganizationDetail = z.infer<typeof getAdministeredOrganization.result>

/** Tells what ending an organization would take, in numbers alone. */
export const previewOrganizationEnd = defineEndpoint({
  method: 'GET',
  path: '/v1/admin/organizations/{id}/deletion',
  summary: 'Tell what ending an organization would take',
  access: 'administrator',
  status: [200],
  result: z.object({
    organization: z.object({ id: z.string(), name: z.string(), slug: z.string() }),
    takes: organizationContents,
    heldBrains: count.meta({ description: 'Brains with a hold, which keep it from being ended' }),
    protected: z.boolean(),
  }),
})

/**
 * Ends an organization with all that it has, for good, as its owner's `DELETE /v1/organization` does. `confirm` repeats its name or its
 * slug. Its owners are mailed, with the reason where there is one, and an event of administrators keeps who ended it. One that an
 * administrator owns is 409 `organization_protected`, one with a hold on a Brain 409 `brain_held`.
 */
export const endOrganization = defineEndpoint({
  method: 'DELETE',
  path: '/v1/admin/organizations/{id}',
  summary: 'End an organization and everything that it has',
  access: 'administrator',
  body: z.object({
    confirm: z.string().max(200).meta({ description: 'The name or the slug of the organization' }),
    reason: z.string().trim().max(2000, 'A reason has at most 2000 characters.').optional(),
  }),
  errors: ['organization_protected', 'brain_held'],
  status: [200],
  result: z.object({ deleted: z.literal(true), erased: organizationContents }),
})

const rate = z.object({ perSecond: count, burst: count })

/** What accounts of a tier may keep, write and send; null where there is no limit. Bytes, and a day of UTC. */
export const tierLimits = z.object({
  tier: z.union([tier, z.literal('unverified')]).meta({
    description: 'unverified: whatever the tier, while no owner has confirmed an address',
  }),
  isDefault: z.boolean().meta({ description: 'Whether a new account has it' }),
  brains: count.nullable(),
  dailyWrites: count.nullable(),
  dailyBytes: count.nullable(),
  dailyRuns: count.nullable(),
  rate: rate.nullable().meta({ description: 'Requests of one key, in a second in the long run and at once' }),
})
export type TierLimits = z.infer<typeof tierLimits>

/** Lists the tiers with their limits. The operator changes them by settings, from the next start of the service on. */
export const listTiers = defineEndpoint({
  method: 'GET',
  path: '/v1/admin/tiers',
  summary: 'List the tiers with their limits',
  access: 'administrator',
  query: z.object({}),
  status: [200],
  result: z.object({ tiers: z.array(tierLimits) }),
})
