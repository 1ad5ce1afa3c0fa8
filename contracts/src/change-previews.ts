import { z } from 'zod'
import { changeEval } from './change-evals.ts'
import { itemId, itemVersion, preview, stateVersion } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { previewErrors } from './error-codes.ts'
import { consumerId } from './receipts.ts'
import { degradation, evidence, itemType } from './search.ts'

// Questions that are asked of a Brain as it is, and as it would be with a pending change.

/** The most questions of one preview, and the most results that each side shows of a question. */
export const maxQuestions = 50
export const maxQuestionResults = 20

const limitRule = `limit is a whole number from 1 to ${maxQuestionResults}.`

const place = z.object({ type: itemType.describe('The type.'), id: itemId })

export const previewResult = place
  .extend({
    version: itemVersion,
    title: z.string().describe('The title, for people.'),
    snippet: z.string().describe('Plain text.'),
    evidence: evidence.describe('How much speaks for it.'),
  })
  .describe('One result of a question.')

const answers = z.object({
  evidence: evidence.describe('The best of the results.'),
  results: z.array(previewResult).describe('The results, the best one first.'),
})

export const questionPreview = z
  .object({
    question: z.string().describe('The question.'),
    before: answers.describe('The answer of the Brain as it is.'),
    after: answers.describe('The answer with the change.'),
    entered: z.array(place).describe('Results that only the change brings.'),
    left: z.array(place).describe('Results that the change takes away.'),
    changed: z.array(place).describe('Results of both sides in another version.'),
    moved: z
      .array(
        place.extend({
          from: z.int().min(1).describe('Its place before, from 1.'),
          to: z.int().min(1).describe('Its place after.'),
        }),
      )
      .describe('Results in another place.'),
  })
  .describe('What a question finds before and after a change.')
export type QuestionPreview = z.infer<typeof questionPreview>

export const previewChange = defineEndpoint({
  method: 'POST',
  path: '/v1/brains/{handle}/changes/{id}/preview',
  summary: 'Ask questions, or run an eval, before and after a pending change',
  description:
    'Searches for each question, without and with the pending change. Counts as five requests, and two for each ' +
    'question. After 10 seconds no more are answered. `eval` starts an eval; repeat the call for its result.',
  access: { capabilities: ['read', 'review'] },
  body: z.object({
    questions: z
      .array(
        z
          .string()
          .max(1_000, 'A question has at most 1,000 characters.')
          .refine((text) => text.trim() !== '', 'A question has one word or more.'),
      )
      .max(maxQuestions, `A preview has at most ${maxQuestions} questions.`)
      .default([])
      .describe('The questions.'),
    eval: z.string().min(1).max(100).optional().describe('The id of an eval of this Brain.'),
    limit: z
      .int(limitRule)
      .min(1, limitRule)
      .max(maxQuestionResults, limitRule)
      .default(5)
      .describe('The maximum number of results of each question.'),
    consumerId: consumerId.optional(),
  }),
  errors: previewErrors,
  status: [200],
  result: z.object({
    questions: z.array(questionPreview).describe('The questions in their order.'),
    unanswered: z.int().describe('How many there was no time for.'),
    degraded: z.array(degradation).optional().describe('Why the answer may be incomplete.'),
    receipts: z
      .object({ before: z.string().describe('Without.'), after: z.string().describe('With.') })
      .optional()
      .describe('The receipts, without and with the change; none without questions.'),
    eval: changeEval.optional(),
    preview,
    stateVersion,
  }),
})
