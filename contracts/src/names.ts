import { z } from 'zod'
import { contentId, itemId, stateVersion } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

/** The maximum number of items in a request for names. */
export const maxNamed = 500

const type = z.enum(['record', 'statement', 'document']).describe('The type.')

export const readNames = defineEndpoint({
  method: 'POST',
  path: '/v1/brains/{handle}/names',
  summary: 'Read the names of records, statements and documents',
  description:
    'Names a record by its field `name`, `title`, `label`, `subject` or `summary`, else by its slug or id; a statement ' +
    'by its records and predicate; a document by its title or id; an item that is gone by its last version. Unknown ' +
    'items are left out.',
  access: { capabilities: ['read'] },
  body: z.object({
    items: z
      .array(z.object({ type, id: contentId }))
      .max(maxNamed)
      .describe('The items.'),
  }),
  status: [200],
  result: z.object({
    names: z
      .array(
        z.object({
          type,
          id: itemId,
          name: z.string().max(200).describe('The name.'),
          kind: z.string().optional().describe('The kind of a record.'),
        }),
      )
      .describe('The names.'),
    stateVersion,
  }),
})
