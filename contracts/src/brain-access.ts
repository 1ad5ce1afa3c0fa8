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

const role = brainRole.describe(
  'The role: a `reader` reads, a `writer` also writes, a `reviewer` also decides changes, and a `manager` also changes ' +
    'settings, keys and members.',
)

export const brainMember = z
  .object({
    userId: itemId,
    name: z.string().describe('The name, for people.'),
    email: z.string().describe('The email address.'),
    role,
    addedAt: timestamp.describe('When they got this role.'),
    addedBy: z.string().describe('The id of who gave it to them: a person, or a key.'),
  })
  .describe('A member of the organization whom a restricted Brain names.')
export type BrainMember = z.infer<typeof brainMember>

export const brainAccess = z
  .object({
    openTo,
    role: brainRole
      .nullable()
      .describe(
        "The caller's role: `manager` in a Brain that is open to the organization; null for an owner without one.",
      ),
    members: z.array(brainMember).describe('The members whom the Brain names, by email. Empty if it is open to all.'),
  })
  .describe('Who may use a Brain.')
export type BrainAccess = z.infer<typeof brainAccess>

const path = '/v1/brains/{handle}/access' as const
const accessResult = z.object({ access: brainAccess.describe('Who may use the Brain, as it is now.') })

export const readBrainAccess = defineEndpoint({
  method: 'GET',
  path,
  summary: 'Read who may use a Brain',
  description:
    'Reads whether a Brain is open to its organization or to named members, and who they are. Owners of the organization ' +
    'may read it for every Brain, also for one in which they have no role.',
  access: 'management',
  leastRole: 'reader',
  ownersReach: true,
  status: [200],
  result: accessResult,
})

export const changeBrainAccess = defineEndpoint({
  method: 'PATCH',
  path,
  summary: 'Restrict a Brain to named members, or open it to the organization',
  description:
    'Restricts a Brain to named members, or opens it to the whole organization. Owners and admins restrict an open Brain; ' +
    'its managers open it again. Who restricts a Brain becomes a manager of it. Everyone else loses access with their next ' +
    'request, with the Brain keys that they minted; their open streams end, and their webhooks and triggers of the Brain ' +
    'are paused. Opening it deletes the list of members.',
  access: 'management',
  body: z.object({
    openTo,
    members: z
      .array(
        z.object({
          member: z.string().min(1).max(320).describe('The id of the person, or their email address.'),
          role,
        }),
      )
      .max(maxBrainMembers)
      .optional()
      .describe(
        'The members to name in the same step, so that they keep their access. Only with `"openTo": "members"`.',
      ),
  }),
  errors: [...lockErrors, 'last_manager', 'too_many_members'],
  status: [200],
  result: accessResult,
})

const memberPath = '/v1/brains/{handle}/members/{member}' as const

export const putBrainMember = defineEndpoint({
  method: 'PUT',
  path: memberPath,
  summary: 'Give a member a role in a restricted Brain',
  description:
    'Gives a member of the organization a role in a restricted Brain, or another role than they have. The path names the ' +
    'person by id or by email address. A lesser role takes effect with their next request.',
  access: 'management',
  body: z.object({ role }),
  errors: [...lockErrors, 'last_manager', 'not_restricted', 'too_many_members'],
  status: [200],
  result: z.object({ member: brainMember.describe('The member.') }),
})

export const removeBrainMember = defineEndpoint({
  method: 'DELETE',
  path: memberPath,
  summary: 'Take a member out of a restricted Brain',
  description:
    'Ends the access of a member to a restricted Brain with their next request. Managers take out anyone, and every member ' +
    'themselves.',
  access: 'management',
  leastRole: 'reader',
  errors: [...lockErrors, 'last_manager', 'not_restricted'],
  status: [200],
  result: z.object({ member: brainMember.describe('The member, as they were.') }),
})

export const takeOverBrain = defineEndpoint({
  method: 'POST',
  path: '/v1/brains/{handle}/take-over',
  summary: 'Become a manager of a restricted Brain',
  description:
    'Makes an owner of the organization a manager of a restricted Brain. It is for people, not for keys. The audit log keeps ' +
    'it, and the managers of the Brain are notified.',
  access: 'session',
  leastRole: 'reader',
  ownersReach: true,
  body: z.object({}),
  bodyOptional: true,
  errors: [...lockErrors, 'not_restricted', 'too_many_members'],
  status: [200],
  result: accessResult,
})

export const restrictedBrain = z
  .object({
    id: itemId,
    handle,
    restrictedAt: timestamp.describe('Since when it is open to named members only.'),
    members: z.int().min(0).describe('How many members it names.'),
    managers: z
      .array(z.string())
      .describe('The email addresses of its managers, ten at most; nobody manages it if empty.'),
    role: brainRole.nullable().describe("The caller's own role; null if the Brain does not name them."),
  })
  .describe('A Brain that is open to named members only, as owners of the organization see it: nothing of its content.')
export type RestrictedBrain = z.infer<typeof restrictedBrain>

export const listRestrictedBrains = defineEndpoint({
  method: 'GET',
  path: '/v1/restricted-brains',
  summary: 'List the Brains that are open to named members only',
  description:
    'Lists the restricted Brains of the organization for its owners: handles, numbers of members and managers, nothing of ' +
    'their content. Everyone else gets 403.',
  access: 'management',
  query: z.object(listQuery),
  status: [200],
  list: 'brains',
  result: z.object({ brains: z.array(restrictedBrain).describe('The Brains of this page.'), ...pageResult }),
})
