import { readContext } from '@noema/contracts/context.ts'
import { readCorpusContext, searchCorpus } from '@noema/contracts/corpora.ts'
import { getDocument, listDocuments, listDocumentVersions } from '@noema/contracts/documents.ts'
import type { Endpoint, Result } from '@noema/contracts/endpoint.ts'
import { listNeighbours } from '@noema/contracts/neighbours.ts'
import { queryRecords } from '@noema/contracts/query.ts'
import { getRecord, listRecordHistory, listRecords } from '@noema/contracts/records.ts'
import { searchBrain } from '@noema/contracts/search.ts'
import { getStatement, listStatements } from '@noema/contracts/statements.ts'
import type { ItemRef } from '../../features/retrieval/lexical-index/types.ts'

// The subjects of the tools' reads, and the items that they served: reads by id and lists leave receipts too if models make them.

/** The subject of a read: passages of anything, records and statements, documents and corpora, or files. */
export type ReadSubject = 'chunk' | 'knowledge_graph' | 'corpus' | 'artifact'

type Versioned = { id: string; version: number }

/** A read of content. `listServed`: the items that an answer served, if the endpoint itself leaves no receipt. */
export type Read = { subject: ReadSubject; listServed?: (data: Record<string, unknown>) => ItemRef[] }

const toItems = (type: ItemRef['type'], versions: readonly Versioned[]): ItemRef[] =>
  versions.map(({ id, version }) => ({ type, id, version }))

/** A read that leaves no receipt by itself. `list` picks what its answer holds. */
const byId = <E extends Endpoint>(
  endpoint: E,
  type: ItemRef['type'],
  list: (data: Result<E>) => readonly Versioned[],
): [Endpoint, Read] => [
  endpoint,
  {
    subject: type === 'document' ? 'corpus' : 'knowledge_graph',
    listServed: (data) => toItems(type, list(data as Result<E>)),
  },
]

const reads = new Map<Endpoint, Read>([
  [searchBrain, { subject: 'chunk' }],
  [readContext, { subject: 'chunk' }],
  [searchCorpus, { subject: 'corpus' }],
  [readCorpusContext, { subject: 'corpus' }],
  [queryRecords, { subject: 'knowledge_graph' }],
  byId(getRecord, 'record', ({ record }) => [record]),
  byId(listRecords, 'record', ({ records }) => records),
  byId(listRecordHistory, 'record', ({ versions }) => versions.map(({ record }) => record)),
  byId(listNeighbours, 'record', ({ records }) =>
    records.flatMap(({ id, version }) => (version === null ? [] : [{ id, version }])),
  ),
  byId(getStatement, 'statement', ({ statement }) => [statement]),
  byId(listStatements, 'statement', ({ statements }) => statements),
  byId(getDocument, 'document', ({ document }) => [document]),
  byId(listDocuments, 'document', ({ documents }) => documents),
  byId(listDocumentVersions, 'document', ({ versions }) => versions),
])

/** The read that an endpoint is; undefined for anything but a read of content. */
export const findRead = (endpoint: Endpoint): Read | undefined => reads.get(endpoint)
