import type { getDocument, listDocuments, listDocumentVersions } from '@noema/contracts/documents.ts'
import type { QueryOutput } from '@noema/contracts/endpoint.ts'
import type { Db } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { readHistory, readOne, readVersionPage } from '../../kernel/state-reads/state-reads.ts'
import { documentById, documentTable, historyJson, listedDocuments } from './document-queries.ts'

// Documents are texts with versions. The number of a version is what a receipt pins, so a version's text never changes.

type Deps = { db: Db }

/** One document with its text, as the JSON text of `data`. */
export const readDocument = (
  deps: Deps,
  brain: BrainRow,
  id: string,
  query: QueryOutput<typeof getDocument>,
): Promise<string> => {
  const read = documentById(brain.brainId, id, query)
  return readOne(deps.db, brain, { name: 'document', read, asOf: query.asOf }, (stateVersion) =>
    query.version === undefined
      ? `There is no document ${JSON.stringify(id)} at stateVersion ${stateVersion}.`
      : `Document ${JSON.stringify(id)} has no version ${query.version} at stateVersion ${stateVersion}.`,
  )
}

/** A page of served documents by id, without texts. */
export const listDocumentPage = (
  deps: Deps,
  brain: BrainRow,
  query: QueryOutput<typeof listDocuments>,
): Promise<string> =>
  readVersionPage(deps.db, brain, { list: 'documents', name: 'documents', start: '' }, query, (page) =>
    listedDocuments(brain.brainId, query, page),
  )

/** A page of a document's versions, without texts. */
export const listDocumentVersionPage = (
  deps: Deps,
  brain: BrainRow,
  id: string,
  query: QueryOutput<typeof listDocumentVersions>,
): Promise<string> =>
  readHistory(deps.db, brain, { table: documentTable, id, json: historyJson, list: `document-versions:${id}` }, query)
