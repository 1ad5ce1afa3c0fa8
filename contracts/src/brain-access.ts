import { z } from 'zod'
import { brainRole } from './access.ts'
import { handle } from './brains.ts'
import { itemId, listQuery, pageResult, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { lockErrors } from './error-codes.ts'
import { openTo } from './open-to.ts'

// Access per person: a Brain is open to its whole organization, or to named members with a role each.

/** The maximum number of members that a Brain names. */
export const maxBrainMembers = 500

export const brainMember = z
  .object({
    userId: itemId,
    name: z.string().describe('The name, for people.'),
    email: z.string().describe('The email address.'),
    role: brainRole,
    addedAt: timestamp.describe('When they got this role.'),
    addedBy: z.string().describe('The id of who gave it.'),
  })
  .describe('A member of the organization whom a restricted Brain names.')
export type BrainMember = z.infer<typeof brainMember>

export const brainAccess = z
  .object({
    openTo,
    role: brainRole.nullable().describe("The caller's role; null for an owner without one."),
    members: z.array(brainMember).describe('Whom a restricted Brain names, by email.'),
  })
  .describe('Who may use a Brain.')
export type BrainAccess = z.infer<typeof brainAccess>

const path = '/v1/brains/{handle}/access' as const
const errors = [...lockErrors, 'last_manager', 'not_restricted', 'too_many_members'] as const
const accessResult = z.object({ access: brainAccess })

export const readBrainAccess = defineEndpoint({
  method: 'GET',
  path,
  summary: 'Read who may use a Brain',
  description: 'Owners of the organization may read it for every Brain.',
  access: 'management',
  minRole: 'reader',
  ownersReach: true,
  status: [200],
  result: accessResult,
})

export const changeBrainAccess = defineEndpoint({
  method: 'PATCH',
  path,
  summary: 'Restrict a Brain to named members, or open it to the organization',
  description:
    'Owners and admins restrict an open Brain and become its managers; managers open it again. Members who are not named ' +
    'lose access with their next request, and so do keys that they minted.',
  access: 'management',
  body: z.object({
    openTo,
    members: z
      .array(
        z.object({
          member: z.string().min(1).max(320).describe('The id of the person, or their email address.'),
          role: brainRole,
        }),
      )
      .max(maxBrainMembers)
      .optional()
      .describe('Whom to name in the same step, so that they keep their access.'),
  }),
  errors,
  status: [200],
  result: accessResult,
})

const memberPath = '/v1/brains/{handle}/members/{member}' as const

export const putBrainMember = defineEndpoint({
  method: 'PUT',
  path: memberPath,
  summary: 'Give a member a role in a restricted Brain',
  description: 'Another role takes effect with their next request.',
  access: 'management',
  body: z.object({ role: brainRole }),
  errors,
  status: [200],
  result: z.object({ member: brainMember }),
})

export const removeBrainMember = defineEndpoint({
  method: 'DELETE',
  path: memberPath,
  summary: 'Take a member out of a restricted Brain',
  description:
    'Ends the access of a member with their next request. Managers take out anyone, and every member themselves.',
  access: 'management',
  minRole: 'reader',
  errors,
  status: [200],
  result: z.object({ member: brainMember }),
})

export const takeOverBrain = defineEndpoint({
  method: 'POST',
  path: '/v1/brains/{handle}/take-over',
  summary: 'Become a manager of a restricted Brain',
  description: 'Makes an owner of the organization a manager. It is audited, and managers are notified.',
  access: 'session',
  minRole: 'reader',
  ownersReach: true,
  errors,
  status: [200],
  result: accessResult,
})

export const restrictedBrain = z
  .object({
    id: itemId,
    handle,
    restrictedAt: timestamp.describe('Since when.'),
    members: z.int().min(0).describe('How many it names.'),
    managers: z.array(z.string()).describe('The email addresses of its managers, ten at most.'),
    role: brainRole.nullable().describe("The caller's role, if any."),
  })
  .describe('A Brain that is open to named members only, as owners see it.')
export type RestrictedBrain = z.infer<typeof restrictedBrain>

export const listRestrictedBrains = defineEndpoint({
  method: 'GET',
  path: '/v1/restricted-brains',
  summary: 'List the Brains that are open to named members only',
  description: 'For owners of the organization. It shows nothing of their content.',
  access: 'management',
  query: z.object(listQuery),
  status: [200],
  list: 'brains',
  result: z.object({ brains: z.array(restrictedBrain).describe('The Brains of this page.'), ...pageResult }),
})
