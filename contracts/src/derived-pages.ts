import { z } from 'zod'
import { actor, deletedResult, itemId, itemVersion, listQuery, pageResult, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { lockErrors } from './error-codes.ts'
import { itemType } from './search.ts'

// Derived pages: documents that an agent writes again when something changes that they were made of. Each rewrite waits for review.

/** The most items that a page is made of by their addresses, and the most pages of a Brain. */
export const maxAddresses = 50
export const maxDerivedPages = 200

const address = z.object({ type: itemType.describe('The type.'), id: itemId }).describe('An item of the Brain.')

const derivedFrom = {
  agentId: z.string().min(1).max(100).describe('The id of the agent that writes it. It only reads in these runs.'),
  question: z.string().trim().min(1).max(2_000).optional().describe('The question that the page answers.'),
  addresses: z.array(address).min(1).max(maxAddresses).optional().describe('The items that the page is about.'),
}

const rewrite = z
  .object({
    change: z.string().describe('The change that has the new text.'),
    runId: z.string().describe('The run that wrote it.'),
    reason: z.string().describe('Why it was written: which change of which item.'),
    at: timestamp,
  })
  .describe('A rewrite of a derived page.')

export const derivedPage = z
  .object({
    documentId: itemId,
    ...derivedFrom,
    state: z
      .enum(['waiting', 'running', 'staged', 'current', 'paused'])
      .describe('The state; see the description of the object.'),
    paused: z
      .object({ reason: z.string().describe('Why, for people.') })
      .optional()
      .describe('Why nothing is rewritten. Set the page again to continue.'),
    runId: z.string().nullable().describe('The run that writes it now or wrote it last; null before the first.'),
    change: z.string().nullable().describe('The change that waits for review; null if none does.'),
    sources: z
      .array(address.extend({ version: itemVersion }))
      .describe('What the run read: a change of one of these rewrites the page.'),
    rewrites: z.array(rewrite).describe('The latest rewrites, the newest first.'),
    setBy: actor.describe('Who set it. Its runs act for this person or key, and end with their access.'),
    updatedAt: timestamp,
  })
  .describe(
    'A document that an agent keeps up to date. `waiting`: it is written soon. `running`: a run writes it. `staged`: a ' +
      'rewrite waits for review. `current`: nothing that it was made of has changed.',
  )
export type DerivedPage = z.infer<typeof derivedPage>

const path = '/v1/brains/{handle}/derived-pages' as const
const result = z.object({ derivedPage: derivedPage.describe('The page.') }).describe('The page.')

export const putDerivedPage = defineEndpoint({
  method: 'PUT',
  path: `${path}/{id}`,
  summary: 'Let an agent keep a document up to date',
  description:
    'Lets an agent write a document, from a question or about some items, and write it again when a write or a ' +
    'correction affects what its last run read. Each rewrite is a change that waits for review. The agent reads this Brain, ' +
    'and no other one that readers of this Brain cannot read. Setting it again writes it again.',
  access: 'management',
  minRole: 'writer',
  body: z.object(derivedFrom).refine((given) => (given.question === undefined) !== (given.addresses === undefined), {
    error: 'Send either question or addresses.',
    path: ['question'],
  }),
  errors: [...lockErrors, 'agent_archived', 'wider_readers', 'too_many_derived_pages'],
  status: [200],
  result,
})

export const getDerivedPage = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Read how a document is kept up to date',
  description: 'Reads what a document is derived from, and its latest rewrites.',
  access: 'management',
  minRole: 'reader',
  status: [200],
  result,
})

export const listDerivedPages = defineEndpoint({
  method: 'GET',
  path,
  summary: 'List derived pages',
  description: 'Lists the documents of a Brain that agents keep up to date, by id.',
  access: 'management',
  minRole: 'reader',
  query: z.object(listQuery),
  status: [200],
  list: 'derivedPages',
  result: z.object({ derivedPages: z.array(derivedPage).describe('The pages of this page.'), ...pageResult }),
})

export const deleteDerivedPage = defineEndpoint({
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Stop keeping a document up to date',
  description: 'Ends the rewrites of a document. The document stays, and so does a change that waits.',
  access: 'management',
  minRole: 'writer',
  errors: lockErrors,
  status: [200],
  result: deletedResult,
})

/** The endpoints of derived pages, by name. */
export const derivedPageEndpoints = {
  put: putDerivedPage,
  get: getDerivedPage,
  list: listDerivedPages,
  delete: deleteDerivedPage,
} as const
