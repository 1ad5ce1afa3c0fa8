import { z } from 'zod'
import { application, changeFlag, changeSummary, changeTarget, decision } from './changes.ts'
import { listQuery, pageResult } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

/**
 * A change as the queue of an organization lists it: with its Brain, and what a reviewer chooses by. `operations` counts the
 * items by what they do (`{ "record.put": 3 }`), `targets` are those of the first three. `flags` are those of any item of a
 * change that is not applied; they have `unchecked` where the change is too long to be looked at in a list. `outdated`: what it
 * was proposed on has changed since; null where that was not looked at either.
 */
export const organizationChange = changeSummary.extend({
  brain: z.object({ id: z.string(), handle: z.string(), name: z.string().nullable() }),
  stagedByName: z
    .string()
    .optional()
    .meta({ description: 'The name of the key, of the person, or of the agent whose run it was, while that is known' }),
  decidedByName: z.string().optional(),
  operations: z.record(z.string(), z.int()),
  targets: z.array(changeTarget),
  flags: z.array(changeFlag),
  outdated: z.boolean().nullable(),
})
export type OrganizationChange = z.infer<typeof organizationChange>

/** Lists the changes of all Brains of the organization by id, which is by time. `brain` is a handle. */
export const listOrganizationChanges = defineEndpoint({
  method: 'GET',
  path: '/v1/changes',
  summary: 'List the changes of all Brains, by decision, application and Brain',
  access: 'management',
  query: z.object({
    decision: decision.optional(),
    application: application.optional(),
    brain: z.string().min(1).max(100).optional().meta({ description: 'Only changes of the Brain with this handle' }),
    ...listQuery,
  }),
  errors: ['not_found'],
  status: [200],
  list: 'changes',
  result: z.object({ changes: z.array(organizationChange), ...pageResult }),
})
