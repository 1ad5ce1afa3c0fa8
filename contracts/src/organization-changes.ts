import { z } from 'zod'
import { application, changeFlag, changeSummary, changeTarget, decision } from './changes.ts'
import { itemId, listQuery, pageResult } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

export const organizationChange = changeSummary
  .extend({
    brain: z
      .object({
        id: itemId,
        handle: z.string().describe('The name of the Brain in addresses. It is its identity.'),
        name: z.string().nullable().describe('The name, for people.'),
      })
      .describe('The Brain.'),
    stagedByName: z
      .string()
      .optional()
      .describe('The name of the key, of the person, or of the agent whose run it was, while that is known'),
    decidedByName: z.string().optional().describe('The name of the person who decided.'),
    operations: z.record(z.string(), z.int()).describe('How many operations of each kind the change has.'),
    targets: z.array(changeTarget).describe('The first items of the change.'),
    flags: z.array(changeFlag).describe('Warnings for the reviewer.'),
    outdated: z.boolean().nullable().describe('True if the state that the change is based on has changed since.'),
  })
  .describe(
    'A change as the queue of an organization lists it: with its Brain, and what a reviewer chooses by. `operations` ' +
      'counts the items by what they do (`{ "record.put": 3 }`), `targets` are those of the first three. `flags` are ' +
      'those of any item of a change that is not applied; they have `unchecked` where the change is too long to be ' +
      'looked at in a list. `outdated`: what it was proposed on has changed since; null where that was not looked at ' +
      'either.',
  )
export type OrganizationChange = z.infer<typeof organizationChange>

export const listOrganizationChanges = defineEndpoint({
  method: 'GET',
  path: '/v1/changes',
  summary: 'List the changes of all Brains, by decision, application and Brain',
  description: 'Lists the changes of all Brains of the organization by id, which is by time. `brain` is a handle.',
  access: 'management',
  query: z.object({
    decision: decision.optional().describe('Only changes with this decision.'),
    application: application.optional().describe('Only changes in this state of application.'),
    brain: z.string().min(1).max(100).optional().describe('Only changes of the Brain with this handle'),
    ...listQuery,
  }),
  errors: ['not_found'],
  status: [200],
  list: 'changes',
  result: z.object({ changes: z.array(organizationChange).describe('The changes of this page.'), ...pageResult }),
})
