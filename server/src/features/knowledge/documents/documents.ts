import type { DocumentArtifact, getDocument, listDocuments, listDocumentVersions } from '@noema/contracts/documents.ts'
import type { QueryOutput } from '@noema/contracts/endpoint.ts'
import type { Db, RunPrepared } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import type { StateRow } from '../../kernel/state-reads/state-queries.ts'
import { readHistory, readOne, readStatePage, readVersionPage } from '../../kernel/state-reads/state-reads.ts'
import {
  documentById,
  documentTable,
  historyJson,
  listedDocuments,
  servedDocuments,
  smallDocuments,
} from './document-queries.ts'

// Documents are texts with versions. A receipt refers to the number of a version, so a version's text never changes.

type Deps = { db: Db; prepared: RunPrepared }

/** Looks up whether a version of a file is still there. */
export type HasArtifact = (artifact: DocumentArtifact) => Promise<boolean>

/** One document with its text, as the JSON text of `data`. */
export const readDocument = async (
  deps: Deps & { hasArtifact: HasArtifact },
  brain: BrainRow,
  id: string,
  query: QueryOutput<typeof getDocument>,
): Promise<string> => {
  const { version, asOf } = query
  const rows = await deps.prepared(documentById({ brainId: brain.brainId, id, version, asOf }))
  const found = Promise.all(
    rows.map(async ({ artifact, ...row }): Promise<StateRow> => {
      if (row.json === null || !artifact) return row
      const isDeleted = !(await deps.hasArtifact(artifact))
      return { ...row, json: `${row.json.slice(0, -1)},"artifactDeleted":${isDeleted}}` }
    }),
  )
  return readOne(brain, { name: 'document', found, asOf }, (stateVersion) =>
    version === undefined
      ? `There is no document ${JSON.stringify(id)} at stateVersion ${stateVersion}.`
      : `Document ${JSON.stringify(id)} has no version ${version} at stateVersion ${stateVersion}.`,
  )
}

/** A page of served documents by id, without texts. */
export const listDocumentPage = (
  deps: Deps,
  brain: BrainRow,
  query: QueryOutput<typeof listDocuments>,
): Promise<string> => {
  const { brainId } = brain
  const { source, asOf } = query
  const list = { list: 'documents', name: 'documents', start: '' }
  if (asOf !== undefined)
    return readVersionPage(deps.db, brain, list, query, (page) => listedDocuments(brainId, query, page))
  return readStatePage(deps.db, brain, list, query, {
    any: (page) => deps.prepared(servedDocuments({ brainId, source, ...page, more: page.limit + 1 })),
    small: (page) => deps.prepared(smallDocuments({ brainId, source, ...page, more: page.limit + 1 })),
  })
}

/** A page of a document's versions, without texts. */
export const listDocumentVersionPage = (
  deps: Deps,
  brain: BrainRow,
  id: string,
  query: QueryOutput<typeof listDocumentVersions>,
): Promise<string> =>
  readHistory(deps.db, brain, { table: documentTable, id, json: historyJson, list: `document-versions:${id}` }, query)
