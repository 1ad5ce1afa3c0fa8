import { z } from 'zod'
import { itemId, itemVersion, stateResult, timeInput, timestamp, withChange } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { previewErrors } from './error-codes.ts'
import { filtersDescription, searchFilters } from './filters.ts'
import { forModels } from './for-models.ts'
import { inputMessage, maxInputMessages } from './messages.ts'
import { consumerId } from './receipts.ts'
import { kind } from './records.ts'
import { degradation, evidence, itemType, minEvidence, rerankDescription, span } from './search.ts'

/** The minimum, maximum and default token budget of a context. */
export const contextTokens = { min: 200, max: 100_000, default: 4_000 } as const

export const contextItem = z
  .object({
    item: z.int().min(1).describe('Its number in `context`'),
    type: itemType.describe('The type.'),
    id: itemId,
    kind: z.string().optional().describe('The kind.'),
    version: itemVersion,
    title: z.string().describe('The title, for people.'),
    score: z.number().describe('How well it matches. Comparable within one answer only.'),
    evidence: evidence.describe('How much speaks for this item answering the query'),
    tokens: z.int().describe('How many tokens.'),
    cut: z.boolean().describe('Whether its text was cut to fit'),
    spans: z.array(span).optional().describe("The parts of a document's text that are shown"),
    pages: z
      .array(z.int().min(1))
      .optional()
      .describe('The pages of the file that the shown parts are on, if it has pages'),
    validFrom: timestamp.nullable().optional().describe('Of a statement'),
    validTo: timestamp.nullable().optional().describe('Of a statement'),
  })
  .describe('One item of a context: what it is, and how many tokens of the budget it used.')
export type ContextItem = z.infer<typeof contextItem>

const tokensRule = `tokens is a whole number from ${contextTokens.min} to ${contextTokens.max}.`

/** A message of the conversation whose question a context answers. */
export const contextMessage = inputMessage
  .strict()
  .describe('A message of a conversation: its text as `text`, `content` or parts.')

/** The body of a request for a context, from one Brain or several. */
export const contextRequest = {
  query: z.string().max(4_000, 'query has at most 4,000 characters.').optional().describe('The text to search for.'),
  messages: z
    .array(contextMessage)
    .min(1)
    .max(maxInputMessages)
    .optional()
    .meta(forModels('A conversation, oldest first')),
  consumerId: consumerId.optional(),
  budget: z
    .strictObject({
      tokens: z
        .int(tokensRule)
        .min(contextTokens.min, tokensRule)
        .max(contextTokens.max, tokensRule)
        .describe('How many tokens.'),
    })
    .optional()
    .describe('How many tokens the context may have.'),
  kinds: z.array(kind).min(1).max(50).optional().describe('Only records of these kinds.'),
  types: z.array(itemType).min(1).max(3).optional().meta(forModels('Only items of these types')),
  ...searchFilters,
  minEvidence: minEvidence
    .optional()
    .meta(forModels('Leaves out items with less evidence; without it, weak ones if there are strong ones')),
  rerank: z.boolean('rerank is true or false.').optional().meta(forModels(rerankDescription)),
  validAt: timeInput.optional().meta(forModels('Only statements that are valid at this time')),
  limit: z
    .int('limit is a whole number from 1 to 100.')
    .min(1)
    .max(100)
    .default(20)
    .describe('The maximum number of items.'),
}

/** A context needs something to search for, once. */
export const hasOneQuestion = ({ query, messages }: { query?: unknown; messages?: unknown }): boolean =>
  (query === undefined) !== (messages === undefined)

/** The budget of a context, as it was spent. */
export const spentBudget = z
  .object({
    tokens: z.int().describe('How many tokens.'),
    used: z.int().describe('How many tokens the context has.'),
    dropped: z.int().describe('How many items were found but did not fit'),
  })
  .describe('How the tokens were spent.')

export const readContext = defineEndpoint({
  method: 'POST',
  path: '/v1/brains/{handle}/context',
  summary: 'Collect the context for a question, within a token budget',
  description:
    'Collects what is relevant to a `query`, or to the latest part of a conversation (`messages`): records, ' +
    'statements and passages of documents, as Markdown that fits a token budget. Tokens are estimated, on the high ' +
    'side of what models count. Every item is quoted between lines with a mark that is unique to this response and ' +
    'its type, id and version, and each line of its text begins with `> `, so that text from the Brain cannot ' +
    'imitate instructions or another item.\n\nA context holds the items with strong evidence, or, if there are ' +
    'none, those with weak evidence, and then its first line says so. With `minEvidence` weak it holds both, with ' +
    'strong only the former. If `evidence` is none, `context` is one line that says that nothing here seems to ' +
    `answer the query.\n\n${filtersDescription}`,
  access: { capabilities: ['read'] },
  body: z
    .strictObject({
      ...contextRequest,
      include: z.array(itemType).min(1).max(3).optional().describe('The former name of `types`.'),
      asOf: z
        .int('asOf is a stateVersion: a whole number, 0 or more.')
        .min(0)
        .optional()
        .describe('Read the Brain as it was at this stateVersion.'),
      change: withChange,
    })
    .refine(hasOneQuestion, { error: 'Send either query or messages.' })
    .refine(({ types, include }) => types === undefined || include === undefined, {
      error: 'Send types; include is its former name.',
    }),
  errors: [...previewErrors, 'conflict', 'index_not_ready'],
  status: [200],
  result: z.object({
    context: z.string().describe('Markdown'),
    items: z.array(contextItem).describe('The items.'),
    evidence: evidence.describe('The best of its items; none where nothing here seems to answer the query'),
    budget: spentBudget,
    degraded: z.array(degradation).optional().describe('Why the answer may be incomplete; absent if nothing lacks.'),
    receipt: z.string().describe('The receipt of the versions that were returned'),
    ...stateResult,
  }),
})
