import { z } from 'zod'
import { administeredOrganization, tier } from './admin.ts'
import { deleted, displayName, emailAddress, itemId, timestamp } from './common.ts'
import { organizationContents } from './deletions.ts'
import { defineEndpoint } from './endpoint.ts'

// One organization as the operator of the service sees it: its members, the use of its caps, and its deletion.
// Administrators see neither content nor names of Brains.

const count = z.int().min(0)

/** The used amount, and its maximum; null if there is no limit. */
const use = z.object({ used: count.describe('How much is used.'), max: count.nullable().describe('The maximum.') })

const administeredMember = z.object({
  userId: z.string().describe('The id of the user.'),
  name: displayName,
  email: emailAddress,
  emailVerified: z.boolean().describe('True if the address is confirmed.'),
  role: z.string().describe('The role of the person in the organization.'),
  joinedAt: timestamp,
})

export const getAdministeredOrganization = defineEndpoint({
  method: 'GET',
  path: '/v1/admin/organizations/{id}',
  summary: 'Read an organization of the service',
  description:
    'Reads one organization: its first 500 members, and how much it uses of what it may. Caps count over all ' +
    'organizations of its first owner, `countedTogether` of them; `caps` names those that hold: those of its tier, ' +
    'or `unverified` while none of its owners has confirmed an address. An organization that an administrator owns ' +
    'is `protected`: only its owners end it.',
  access: 'administrator',
  status: [200],
  result: z.object({
    organization: administeredOrganization.describe('The organization.'),
    members: z.array(administeredMember).describe('The members.'),
    caps: z.union([tier, z.literal('unverified')]).describe('The tier whose limits hold now.'),
    use: z
      .object({
        brains: use.describe('The limit on Brains, and how many there are.'),
        dailyWrites: use.describe('The number of writes of a day.'),
        dailyBytes: use.describe('The bytes of content of a day.'),
        dailyRuns: use.describe('The number of runs of a day.'),
        fileBytes: use.describe('The bytes of all files.'),
      })
      .describe('How much is used, today and in all.'),
    countedTogether: count.describe('How many organizations of the same owners are counted together.'),
    protected: z
      .boolean()
      .describe('True if an administrator of the service owns it: then only its owners may delete it.'),
  }),
})
export type OrganizationDetail = z.infer<typeof getAdministeredOrganization.result>

export const previewOrganizationEnd = defineEndpoint({
  method: 'GET',
  path: '/v1/admin/organizations/{id}/deletion',
  summary: 'Preview the deletion of an organization',
  description: 'Previews the deletion of an organization, in numbers only.',
  access: 'administrator',
  status: [200],
  result: z.object({
    organization: z
      .object({
        id: itemId,
        name: displayName,
        slug: z.string().describe('The readable name of the organization, as used in addresses.'),
      })
      .describe('The organization.'),
    takes: organizationContents.describe('The counts of everything that is deleted with it.'),
    heldBrains: count.describe('Brains with a hold, which keep it from being ended'),
    protected: z
      .boolean()
      .describe('True if an administrator of the service owns it: then only its owners may delete it.'),
  }),
})

export const endOrganization = defineEndpoint({
  method: 'DELETE',
  path: '/v1/admin/organizations/{id}',
  summary: 'End an organization and everything that it has',
  description:
    "Permanently deletes an organization with all its data, as its owner's `DELETE /v1/organization` does. `confirm` " +
    'repeats its name or its slug. Its owners get a mail, with the reason if there is one, and an event for ' +
    'administrators names who ended it. One that an administrator owns is 409 `organization_protected`, one with a ' +
    'hold on a Brain 409 `brain_held`.',
  access: 'administrator',
  body: z.object({
    confirm: z.string().max(200).describe('The name or the slug of the organization'),
    reason: z
      .string()
      .trim()
      .max(2000, 'A reason has at most 2000 characters.')
      .optional()
      .describe('Why, for people.'),
  }),
  errors: ['organization_protected', 'brain_held'],
  status: [200],
  result: z.object({ deleted, erased: organizationContents.describe('The counts of everything that was erased.') }),
})

const rate = z.object({
  perSecond: count.describe('How many requests may be sent in a second, over time.'),
  burst: count.describe('How many requests may be sent at once.'),
})

/** The limits of a tier; null means no limit. Sizes are bytes, days are days of UTC. */
export const tierLimits = z.object({
  tier: z
    .union([tier, z.literal('unverified')])
    .describe('unverified: no owner has confirmed an email address; the tier does not apply until then'),
  isDefault: z.boolean().describe('Whether a new account has it'),
  brains: count.nullable().describe('How many Brains an account may have; null for any number.'),
  dailyWrites: count.nullable().describe('The number of writes of a day.'),
  dailyBytes: count.nullable().describe('The bytes of content of a day.'),
  dailyRuns: count.nullable().describe('The number of runs of a day.'),
  fileBytes: count.nullable().describe('The bytes of all files of an account.'),
  receipts: count.describe('How many receipts a Brain keeps; older ones are deleted.'),
  dailyModelCents: count
    .nullable()
    .describe("The cents of a day for models that are called by the operator's own provider keys."),
  rate: rate.nullable().describe('Requests of one key, in a second in the long run and at once'),
})
export type TierLimits = z.infer<typeof tierLimits>

export const listTiers = defineEndpoint({
  method: 'GET',
  path: '/v1/admin/tiers',
  summary: 'List the tiers with their limits',
  description:
    'Lists the tiers with their limits. The operator changes them by settings, from the next start of the service on.',
  access: 'administrator',
  query: z.object({}),
  status: [200],
  result: z.object({ tiers: z.array(tierLimits).describe('The tiers with their limits; null means no limit.') }),
})
