import { z } from 'zod'
import { actor, itemId, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

// Comments on changes are for their reviewers, and decide nothing.

/** The most comments of a change, and of characters of one. */
export const maxComments = 100
export const maxCommentLength = 4_000

export const changeComment = z
  .object({
    id: itemId,
    text: z.string().describe('Plain text.'),
    by: actor.describe('Who wrote it.'),
    at: timestamp,
  })
  .describe('A comment on a change. It decides nothing.')
export type ChangeComment = z.infer<typeof changeComment>

export const commentOnChange = defineEndpoint({
  method: 'POST',
  path: '/v1/brains/{handle}/changes/{id}/comments',
  summary: 'Comment on a change',
  description: 'Adds a comment to a change, for its reviewers.',
  access: { capabilities: ['review'] },
  body: z.object({
    text: z
      .string()
      .max(maxCommentLength, 'A comment has at most 4,000 characters.')
      .refine((text) => text.trim() !== '', 'A comment has a text.')
      .describe('The comment: plain text.'),
  }),
  errors: ['too_many_comments'],
  status: [201],
  result: z.object({ comment: changeComment.describe('The comment.') }),
})
