import { z } from 'zod'
import { stateVersion, timeInput, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { consumerId } from './receipts.ts'
import { kind } from './records.ts'
import { degradation, span, thingType } from './search.ts'

/** The most and the least tokens that a context may be asked to fit in, and what it fits in unless told. */
export const contextTokens = { least: 200, most: 100_000, usual: 4_000 } as const

/** One thing in a context: what it is, and how many tokens of the budget it took. */
export const contextItem = z.object({
  item: z.int().min(1).meta({ description: 'Its number in `context`' }),
  type: thingType,
  id: z.string(),
  kind: z.string().optional(),
  version: z.int().min(1),
  title: z.string(),
  score: z.number(),
  tokens: z.int(),
  cut: z.boolean().meta({ description: 'Whether its text was cut to fit' }),
  spans: z.array(span).optional().meta({ description: "The stretches of a document's text that are shown" }),
  validFrom: timestamp.nullable().optional().meta({ description: 'Of a statement' }),
  validTo: timestamp.nullable().optional().meta({ description: 'Of a statement' }),
})
export type ContextItem = z.infer<typeof contextItem>

const message = z.strictObject({
  role: z.enum(['user', 'assistant', 'system', 'tool']),
  content: z.string().max(100_000),
})

const tokensRule = `tokens is a whole number from ${contextTokens.least} to ${contextTokens.most}.`

/**
 * What an agent should know to go on: the records, statements and stretches of documents that matter most for a `query`, or
 * for where `messages` have come to, as Markdown that fits in a budget of tokens. Tokens are an estimate that lies above
 * what models count. Every item stands between lines that carry a mark of this answer alone and its address, and each line
 * of its text begins with `> `, so that text from the Brain cannot pass for instructions or for another item.
 */
export const readContext = defineEndpoint({
  method: 'POST',
  path: '/v1/brains/{handle}/context',
  summary: 'Read what matters for a question, within a budget of tokens',
  access: { capabilities: ['read'] },
  body: z
    .strictObject({
      query: z.string().max(4_000, 'query has at most 4,000 characters.').optional(),
      messages: z.array(message).min(1).max(500).optional().meta({ description: 'A conversation, oldest first' }),
      consumerId: consumerId.optional(),
      budget: z
        .strictObject({
          tokens: z.int(tokensRule).min(contextTokens.least, tokensRule).max(contextTokens.most, tokensRule),
        })
        .optional(),
      kinds: z.array(kind).min(1).max(50).optional(),
      include: z.array(thingType).min(1).max(3).optional().meta({ description: 'Only things of these types' }),
      asOf: z.int('asOf is a stateVersion: a whole number, 0 or more.').min(0).optional(),
      validAt: timeInput.optional().meta({ description: 'Only statements that hold at this time' }),
      limit: z.int('limit is a whole number from 1 to 100.').min(1).max(100).default(20),
    })
    .refine(({ query, messages }) => (query === undefined) !== (messages === undefined), {
      error: 'Send either query or messages.',
    }),
  status: [200],
  result: z.object({
    context: z.string().meta({ description: 'Markdown' }),
    items: z.array(contextItem),
    budget: z.object({
      tokens: z.int(),
      used: z.int(),
      dropped: z.int().meta({ description: 'How many things were found and did not fit' }),
    }),
    degraded: z.array(degradation).optional(),
    receipt: z.string().meta({ description: 'The receipt that pins what was served' }),
    stateVersion,
  }),
})
