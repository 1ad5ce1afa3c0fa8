import { z } from 'zod'
import { stateVersion, timeInput, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { consumerId } from './receipts.ts'
import { kind } from './records.ts'
import { degradation, evidence, itemType, minEvidence, rerankDescription, span } from './search.ts'

/** The minimum, maximum and default token budget of a context. */
export const contextTokens = { min: 200, max: 100_000, default: 4_000 } as const

/** One item of a context: what it is, and how many tokens of the budget it used. */
export const contextItem = z.object({
  item: z.int().min(1).meta({ description: 'Its number in `context`' }),
  type: itemType,
  id: z.string(),
  kind: z.string().optional(),
  version: z.int().min(1),
  title: z.string(),
  score: z.number(),
  evidence: evidence.meta({ description: 'How much speaks for this item answering the query' }),
  tokens: z.int(),
  cut: z.boolean().meta({ description: 'Whether its text was cut to fit' }),
  spans: z.array(span).optional().meta({ description: "The parts of a document's text that are shown" }),
  validFrom: timestamp.nullable().optional().meta({ description: 'Of a statement' }),
  validTo: timestamp.nullable().optional().meta({ description: 'Of a statement' }),
})
export type ContextItem = z.infer<typeof contextItem>

const message = z.strictObject({
  role: z.enum(['user', 'assistant', 'system', 'tool']),
  content: z.string().max(100_000),
})

const tokensRule = `tokens is a whole number from ${contextTokens.min} to ${contextTokens.max}.`

/**
 * Collects what is relevant to a `query`, or to the latest part of a conversation (`messages`): records, statements and
 * passages of documents, as Markdown that fits a token budget. Tokens are estimated, on the high side of what models count.
 * Every item is quoted between lines with a mark that is unique to this response and its type, id and version, and each line
 * of its text begins with `> `, so that text from the Brain cannot imitate instructions or another item.
 *
 * A context holds the items with strong evidence, or, where there are none, those with weak evidence, and then its first line
 * says so. With `minEvidence` weak it holds both, with strong only the former. Where `evidence` is none, `context` is one line
 * that says that nothing here seems to answer the query.
 */
export const readContext = defineEndpoint({
  method: 'POST',
  path: '/v1/brains/{handle}/context',
  summary: 'Collect the context for a question, within a token budget',
  access: { capabilities: ['read'] },
  body: z
    .strictObject({
      query: z.string().max(4_000, 'query has at most 4,000 characters.').optional(),
      messages: z.array(message).min(1).max(500).optional().meta({ description: 'A conversation, oldest first' }),
      consumerId: consumerId.optional(),
      budget: z
        .strictObject({
          tokens: z.int(tokensRule).min(contextTokens.min, tokensRule).max(contextTokens.max, tokensRule),
        })
        .optional(),
      kinds: z.array(kind).min(1).max(50).optional(),
      include: z.array(itemType).min(1).max(3).optional().meta({ description: 'Only items of these types' }),
      minEvidence: minEvidence
        .optional()
        .meta({ description: 'Leaves out items with less evidence; without it, weak ones if there are strong ones' }),
      rerank: z.boolean('rerank is true or false.').optional().meta({ description: rerankDescription }),
      asOf: z.int('asOf is a stateVersion: a whole number, 0 or more.').min(0).optional(),
      validAt: timeInput.optional().meta({ description: 'Only statements that are valid at this time' }),
      limit: z.int('limit is a whole number from 1 to 100.').min(1).max(100).default(20),
    })
    .refine(({ query, messages }) => (query === undefined) !== (messages === undefined), {
      error: 'Send either query or messages.',
    }),
  errors: ['conflict'],
  status: [200],
  result: z.object({
    context: z.string().meta({ description: 'Markdown' }),
    items: z.array(contextItem),
    evidence: evidence.meta({
      description: 'The best of its items; none where nothing here seems to answer the query',
    }),
    budget: z.object({
      tokens: z.int(),
      used: z.int(),
      dropped: z.int().meta({ description: 'How many items were found but did not fit' }),
    }),
    degraded: z.array(degradation).optional(),
    receipt: z.string().meta({ description: 'The receipt of the versions that were returned' }),
    stateVersion,
  }),
})
