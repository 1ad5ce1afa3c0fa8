import { z } from 'zod'
import { contentId, itemId, stateVersion } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

/** The most ids of one type in a request for names. */
export const maxNamed = 200

const ids = z.array(contentId).max(maxNamed).optional()

const named = z.object({ id: itemId, name: z.string().describe('The name, at most 200 characters.') })

export const readNames = defineEndpoint({
  method: 'POST',
  path: '/v1/brains/{handle}/names',
  summary: 'Read the names of records, statements and documents',
  description:
    'Returns what people call items that are known by id, for a list that shows them: one call for all of its rows. ' +
    'A record is named by its field `name`, `title`, `label`, `subject` or `summary`, else by its slug or id; a ' +
    'statement by the names of its records and its predicate; a document by its title or id. An item that is gone has ' +
    'the name of its last version. Ids that the Brain never had are left out.',
  access: { capabilities: ['read'] },
  body: z.strictObject({
    records: ids.describe('Ids of records.'),
    statements: ids.describe('Ids of statements.'),
    documents: ids.describe('Ids of documents.'),
  }),
  status: [200],
  result: z.object({
    records: z.array(named.extend({ kind: z.string().describe('The kind.') })).describe('The names of records.'),
    statements: z.array(named).describe('The names of statements.'),
    documents: z.array(named).describe('The names of documents.'),
    stateVersion,
  }),
})
