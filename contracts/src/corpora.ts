import { z } from 'zod'
import { handle } from './brains.ts'
import { deletedResult, itemId, listQuery, pageResult, stateVersion, timestamp } from './common.ts'
import { contextItem, contextRequest, hasOneQuestion, spentBudget } from './context.ts'
import { defineEndpoint } from './endpoint.ts'
import { errorKind } from './errors.ts'
import { searchFilters } from './filters.ts'
import { consumerId } from './receipts.ts'
import { kind } from './records.ts'
import { degradation, evidence, itemType, minEvidence, rerankDescription, searchHit, searchMode } from './search.ts'

// Corpora: named sets of Brains, or of parts of them, that are read in one call as if they were one Brain.

/** The most Brains of a corpus. */
export const maxCorpusParts = 20

/** A corpus's name in its organization: `[a-z0-9][a-z0-9-]{0,62}`. */
export const corpusName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'The name of a corpus has 1 to 63 of a-z, 0-9 and -, and does not begin with -.')

const asOf = z
  .int('asOf is a stateVersion: a whole number, 0 or more.')
  .min(0)
  .optional()
  .describe('Reads the Brain as it was at this stateVersion; without it, as it is now.')

/** The section of its Brain that a part has. */
const section = {
  asOf,
  types: z.array(itemType).min(1).max(3).optional().describe('Only items of these types.'),
  kinds: z.array(kind).min(1).max(50).optional().describe('Only records of these kinds, and statements about them.'),
  sources: z
    .array(z.string().min(1).max(500))
    .min(1)
    .max(50)
    .optional()
    .describe('Only what is from one of these sources.'),
  where: searchFilters.metadata.describe(
    'Only documents whose metadata has these values, by keys that the schema declares as indexed fields of the kind `document`.',
  ),
}

const newPart = z.strictObject({ brain: handle, ...section }).describe('A Brain of the corpus, and what of it is read.')

/** A part of a corpus as it is shown. */
export const corpusPart = z
  .object({
    brain: z
      .string()
      .nullable()
      .describe(
        'The handle of the Brain; null where no Brain is left that you can read. A search leaves such a part out.',
      ),
    ...section,
  })
  .describe('A Brain of the corpus, and what of it is read.')

export const corpus = z
  .object({
    name: corpusName.describe('The name.'),
    parts: z.array(corpusPart).describe('The Brains, in the order in which they were given.'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .describe('A named set of Brains that are read together.')
export type Corpus = z.infer<typeof corpus>

const result = z.object({ corpus: corpus.describe('The corpus.') }).describe('The corpus.')
const path = '/v1/corpora/{name}' as const

export const putCorpus = defineEndpoint({
  method: 'PUT',
  path,
  summary: 'Create or replace a corpus',
  description:
    'Replaces the whole corpus; of two calls at once, the last one wins. Each Brain is named once, and found by its handle now: a ' +
    'Brain that gets the same handle later is not in the corpus. A Brain that you cannot read is 404, as one that does not exist.',
  access: 'management',
  body: z.strictObject({
    parts: z
      .array(newPart)
      .min(1, 'A corpus has at least one Brain.')
      .max(maxCorpusParts, `A corpus has at most ${maxCorpusParts} Brains.`)
      .refine(
        (parts) => new Set(parts.map(({ brain }) => brain)).size === parts.length,
        'Name each Brain once. A part may have several types, kinds and sources.',
      )
      .describe('The Brains, and what of each is read.'),
  }),
  errors: ['not_found', 'too_many_corpora'],
  status: [200, 201],
  result,
})

export const listCorpora = defineEndpoint({
  method: 'GET',
  path: '/v1/corpora',
  summary: 'List the corpora of the organization',
  description: "Lists the organization's corpora by name.",
  access: 'management',
  query: z.object(listQuery),
  status: [200],
  list: 'corpora',
  result: z.object({ corpora: z.array(corpus).describe('The corpora of this page.'), ...pageResult }),
})

export const getCorpus = defineEndpoint({
  method: 'GET',
  path,
  summary: 'Read the definition of a corpus',
  description: 'Reads which Brains a corpus has, and what of each is read.',
  access: 'management',
  status: [200],
  result,
})

export const deleteCorpus = defineEndpoint({
  method: 'DELETE',
  path,
  summary: 'Delete a corpus',
  description: 'Deletes a corpus. Its Brains stay as they are.',
  access: 'management',
  status: [200],
  result: deletedResult,
})

/** A Brain that something was found in. */
const foundIn = z
  .object({ id: itemId, handle: z.string().describe('The name of the Brain in addresses.') })
  .describe('The Brain that it was found in.')

const part = z.int().min(1).describe('The number of the part in the corpus, from 1.')

/** A part that was read. */
export const readPart = z
  .object({
    part,
    brain: foundIn.describe('The Brain that was read.'),
    receipt: z.string().describe('The receipt, in this Brain, of its versions that were returned'),
    stateVersion,
    degraded: z
      .array(degradation)
      .optional()
      .describe('Why the answer of this Brain may be incomplete; absent if nothing lacks.'),
  })
  .describe('A part that was read.')

/** A part that could not be read. */
export const failedPart = z
  .object({
    part,
    brain: z.string().nullable().describe('The handle of the Brain; null where there is none that you can read.'),
    kind: errorKind.describe('The kind of the error.'),
    code: z.string().optional().describe('A finer reason; see the codes of errors.'),
    message: z.string().describe('A message for people.'),
  })
  .describe('A part that could not be read. The others were.')

const readParts = {
  parts: z.array(readPart).describe('The parts that were read, each with its receipt.'),
  failed: z
    .array(failedPart)
    .describe('The parts that could not be read, and why; the rest was searched without them.'),
  degraded: z.array(degradation).optional().describe('Why the whole may be incomplete; absent if nothing lacks.'),
}

/** A result of a search of a corpus. */
export const corpusHit = searchHit.extend({ brain: foundIn }).describe('A hit, and the Brain that it is from.')

/** An item of a context of a corpus. */
export const corpusItem = contextItem.extend({ brain: foundIn }).describe('An item, and the Brain that it is from.')

const readDescription =
  'All Brains are ranked as one collection. A part that cannot be read is in `failed`, and the others are searched without it; ' +
  'only if none can be read is the answer an error. A call counts as one request for each part. Each Brain that is read gets a receipt. ' +
  'Filters are those of a search of one Brain, and add to those of each part.'

export const searchCorpus = defineEndpoint({
  method: 'POST',
  path: '/v1/corpora/{name}/search',
  summary: 'Search several Brains at once',
  description: `Finds records, statements and documents in all Brains of a corpus; each result names its Brain. ${readDescription}`,
  access: 'management',
  isRead: true,
  body: z.strictObject({
    q: z
      .string('q is what to search for: one word or more.')
      .max(4_000, 'q has at most 4,000 characters. Send the words that matter.')
      .refine((text) => text.trim() !== '', 'q is what to search for: one word or more.')
      .describe('The text to search for.'),
    mode: searchMode.default('hybrid').describe('How to search: by words, by meaning, or both.'),
    limit: z
      .int('limit is a whole number from 1 to 100.')
      .min(1)
      .max(100)
      .default(10)
      .describe('The maximum number of results.'),
    consumerId: consumerId.optional(),
    types: section.types,
    kinds: section.kinds,
    ...searchFilters,
    minEvidence: minEvidence.optional().describe('Leaves out results with less evidence than this'),
    rerank: z.boolean('rerank is true or false.').optional().describe(rerankDescription),
  }),
  errors: ['index_not_ready', 'overloaded'],
  status: [200],
  result: z.object({
    results: z.array(corpusHit).describe('The hits of all Brains, the best one first.'),
    evidence: evidence.describe('The best of its results; none where nothing here seems to answer the query'),
    mode: searchMode.describe('How the search was done.'),
    ...readParts,
  }),
})

export const readCorpusContext = defineEndpoint({
  method: 'POST',
  path: '/v1/corpora/{name}/context',
  summary: 'Collect a context from several Brains',
  description: `Collects a context from all Brains of a corpus, as one is collected from a single Brain; each item names its Brain. ${readDescription}`,
  access: 'management',
  isRead: true,
  body: z.strictObject(contextRequest).refine(hasOneQuestion, { error: 'Send either query or messages.' }),
  errors: ['index_not_ready', 'overloaded'],
  status: [200],
  result: z.object({
    context: z.string().describe('Markdown'),
    items: z.array(corpusItem).describe('The items.'),
    evidence: evidence.describe('The best of its items; none where nothing here seems to answer the query'),
    budget: spentBudget,
    ...readParts,
  }),
})

/** The endpoints about corpora, by their names in the table of the API. */
export const corpusEndpoints = {
  put: putCorpus,
  list: listCorpora,
  get: getCorpus,
  delete: deleteCorpus,
  search: searchCorpus,
  context: readCorpusContext,
} as const
