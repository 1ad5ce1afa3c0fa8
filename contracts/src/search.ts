import { z } from 'zod'
import { itemId, provenance, stateQuery, stateResult, wholeNumber } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { previewErrors } from './error-codes.ts'
import { filtersDescription, searchFilters } from './filters.ts'
import { forModels } from './for-models.ts'
import { consumerId } from './receipts.ts'
import { kind } from './records.ts'

/** The method of a search: by words, by meaning, or by both together. */
export const searchMode = z.enum(['hybrid', 'lexical', 'semantic'])
export type SearchMode = z.infer<typeof searchMode>

/** The types of items that a search finds. */
export const itemType = z.enum(['record', 'statement', 'document'])

const split = z.string().transform((text): string[] => text.split(',').map((part) => part.trim()))

export const span = z
  .object({
    start: z.int().describe('Where it starts, in characters from the start of the text.'),
    end: z.int().describe('Where it ends, in characters from the start of the text; exclusive.'),
  })
  .describe('A range of a text, in UTF-16 code units: from `start` up to, not including, `end`.')

/**
 * The evidence that an item, or anything in a response, answers the query: by the share of the query's rare words in the
 * item, and by its closeness in meaning. Unlike `score` it is an absolute judgment, so it can be compared with that of
 * other searches. `none`: nothing here seems to answer the query.
 */
export const evidence = z.enum(['strong', 'weak', 'none'])
export type Evidence = z.infer<typeof evidence>

/** The minimum evidence: items with less are left out of the response. */
export const minEvidence = z.enum(['weak', 'strong'], 'minEvidence is weak or strong.')
export type MinEvidence = z.infer<typeof minEvidence>

export const searchReason = z
  .discriminatedUnion('reason', [
    z.object({
      reason: z.literal('words').describe('Why, for people.'),
      words: z.array(z.string()).describe('The words that were found.'),
    }),
    z.object({
      reason: z.literal('meaning').describe('Why, for people.'),
      similarity: z.number().describe('Cosine, from -1 to 1'),
    }),
    z.object({
      reason: z.literal('alias').describe('Why, for people.'),
      alias: z.string().describe('The other name of the record that the query has'),
    }),
    z.object({ reason: z.literal('neighbour').describe('Why, for people.') }),
    z.object({
      reason: z.literal('linked').describe('Why, for people.'),
      from: z
        .object({
          type: itemType.describe('The type.'),
          id: itemId,
          title: z.string().describe('The title, for people.'),
        })
        .optional()
        .describe('The result that leads here; absent if it is not among the results'),
      names: z
        .array(z.string())
        .describe('The names in that result that are here, too; none if only a link leads here'),
    }),
    z.object({
      reason: z.literal('reranked').describe('Why, for people.'),
      relevance: z.number().describe("The reranker's score; its model sets the scale"),
    }),
  ])
  .describe(
    'Why an item was found: words of the query in its text, title or date, similar meaning, or a match right next to ' +
      'it. `alias`: the query has one of its aliases. `linked`: a better result names it or links to it. `reranked` gives the reason for its rank.',
  )

export const searchHit = z
  .object({
    type: itemType.describe('The type.'),
    id: itemId,
    kind: z.string().optional().describe("A record's kind, or that of the record that a statement is about"),
    version: z.int().min(1).describe('The version shown'),
    title: z.string().describe('The title, for people.'),
    snippet: z.string().describe('Plain text, to be escaped like any other'),
    highlights: z.array(span).describe('Positions of the words of the query in the snippet'),
    span: span.optional().describe("Position of the snippet in a document's text"),
    page: z.int().min(1).optional().describe('The page of the file that the snippet is on, if it has pages'),
    score: z.number().describe('Higher is better; comparable within one response only'),
    evidence: evidence.describe('How much speaks for this item answering the query'),
    why: z.array(searchReason).describe('Why it was found.'),
    provenance: provenance.describe('The origin of this version.'),
  })
  .describe('One version that was found, shown by its best passage.')

/** The description of reranking, for search and context. */
export const rerankDescription =
  'Has the best results put in order by the reranker that the operator set up, which takes longer. Without one, or when it does not respond in time, they stay as they are and `degraded` says so'

export const degradation = z
  .object({
    reason: z
      .enum([
        'meaning_unavailable',
        'not_yet_indexed',
        'not_yet_embedded',
        'not_all_examined',
        'not_searchable',
        'not_reranked',
      ])
      .describe('Why, for people.'),
    message: z.string().describe('A message for people.'),
    secondsLeft: z
      .int()
      .min(1)
      .nullable()
      .optional()
      .describe('With `not_yet_embedded`: about how many seconds embedding takes; null where the node does not know'),
  })
  .describe('A step that a search could not do, and why: its results are correct but may be incomplete.')

export const searchBrain = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}/search',
  summary: 'Search by words and meaning',
  description:
    'Finds records, statements and documents by words and meaning. Only live items are found, or those live at ' +
    '`asOf`. `mode` in the response is the one that was used: `lexical` if no embedding model is available, which ' +
    '`degraded` reports. `evidence` says whether anything was found that seems to answer the query, as there are ' +
    `results for any query.\n\n${filtersDescription} A query names it \`metadata.<key>=<value>\`.`,
  access: { capabilities: ['read'] },
  query: z.object({
    q: z
      .string('q is what to search for: one word or more, given once.')
      .max(4_000, 'q has at most 4,000 characters. Send the words that matter.')
      .refine((text) => text.trim() !== '', 'q is what to search for: one word or more.')
      .describe('The text to search for.'),
    mode: searchMode.default('hybrid').describe('How to search: by words, by meaning, or both.'),
    limit: wholeNumber('limit is a whole number from 1 to 100.', { min: 1, max: 100 })
      .default(10)
      .describe('The maximum number of items of the page.'),
    consumerId: consumerId.optional(),
    types: split
      .pipe(z.array(itemType as z.ZodType<z.infer<typeof itemType>, string>).max(3))
      .optional()
      .describe('Comma-separated: only items of these types'),
    kinds: split
      .pipe(z.array(kind).max(50))
      .optional()
      .describe('Comma-separated: only records of these kinds, and statements about them'),
    ...searchFilters,
    minEvidence: minEvidence.optional().meta(forModels('Leaves out results with less evidence than this')),
    rerank: z.enum(['true', 'false'], 'rerank is true or false.').optional().meta(forModels(rerankDescription)),
    ...stateQuery,
  }),
  errors: [...previewErrors, 'index_not_ready'],
  status: [200],
  result: z.object({
    results: z.array(searchHit).describe('The hits, the best one first.'),
    evidence: evidence.describe('The best of its results; none where nothing here seems to answer the query'),
    mode: searchMode.describe('How the search was done.'),
    degraded: z.array(degradation).optional().describe('Why the answer may be incomplete; absent if nothing lacks.'),
    receipt: z.string().describe('The receipt of the versions that were returned'),
    ...stateResult,
  }),
})
