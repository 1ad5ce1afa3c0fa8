import { z } from 'zod'
import { actor, deletedResult, itemId, listQuery, pageResult, timeInput, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

// Runs that are shared by a link: a page that anyone who has the address can read, until it ends.

/** The days that a link works, unless the call says otherwise, and at most. */
export const shareDays = { usual: 7, most: 90 } as const

/** The parts of a run that its page can show besides its answer. */
export const sharedParts = ['input', 'messages', 'operations', 'citations'] as const
export type SharedPart = (typeof sharedParts)[number]

const include = z.array(z.enum(sharedParts)).max(sharedParts.length)

export const runShare = z
  .object({
    id: itemId,
    runId: z.string().describe('The id of the run.'),
    include: include.describe('The parts that the page shows besides the answer.'),
    createdBy: actor.describe('Who shared the run. The link ends with their access.'),
    createdAt: timestamp,
    expiresAt: timestamp.describe('When the link ends.'),
    views: z.int().min(0).describe('How often the page was opened.'),
    lastViewedAt: timestamp.nullable().describe('When it was opened last; null if never.'),
    revokedAt: timestamp.nullable().describe('When the link was revoked; null if it was not.'),
  })
  .describe('A link by which anyone can read a run.')
export type RunShare = z.infer<typeof runShare>

const share = runShare.describe('The link.')

export const shareRun = defineEndpoint({
  method: 'POST',
  path: '/v1/runs/{id}/share',
  summary: 'Share a run by a link',
  description:
    'Makes a link to a page that shows the answer of a run, as text, to anyone who has it: no account is needed. ' +
    '`include` adds parts: `input` is the question, `messages` is what people and the model said, `operations` are ' +
    'names and states of calls without their data, and `citations` are titles and addresses of sources. The link ends ' +
    'at `expiresAt`, when it is revoked, and when the access of its maker ends. The operator has to allow it.',
  access: 'management',
  body: z.object({
    expiresAt: timeInput
      .optional()
      .describe(`When the link ends: ${shareDays.usual} days from now if left out, ${shareDays.most} at most.`),
    include: include.default(['input', 'citations']).describe('The parts that the page shows besides the answer.'),
  }),
  errors: ['not_found', 'shared_runs_off', 'too_many_shares'],
  status: [201],
  result: z.object({
    share,
    url: z.string().describe('The address of the page. It is shown this once.'),
  }),
})

export const listRunShares = defineEndpoint({
  method: 'GET',
  path: '/v1/shared-runs',
  summary: 'List the links to runs',
  description: 'Lists the links by which runs are shared, the first made first, with those that ended.',
  access: 'management',
  query: z.object({ ...listQuery, runId: z.string().min(1).max(100).optional().describe('Only links to this run.') }),
  status: [200],
  list: 'shares',
  result: z.object({ shares: z.array(runShare).describe('The links of this page.'), ...pageResult }),
})

export const revokeRunShare = defineEndpoint({
  method: 'DELETE',
  path: '/v1/shared-runs/{id}',
  summary: 'Revoke a link to a run',
  description: 'Revokes a link: its page is gone at once, and for good.',
  access: 'management',
  errors: ['not_found'],
  status: [200],
  result: deletedResult,
})
