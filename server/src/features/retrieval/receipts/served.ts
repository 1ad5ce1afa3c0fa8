import type { Served } from '@noema/contracts/receipts.ts'
import type { ItemRef } from '../lexical-index/types.ts'

/** Served items in their stored form: lists of id and version, without empty lists. A statement's first version is only its id. */
export type StoredItems = {
  records?: [id: string, version: number][]
  statements?: (string | [id: string, version: number])[]
  documents?: [id: string, version: number][]
  /** The pending change that was read as if it were published, and the versions that were of it. */
  change?: string
  previewed?: StoredItems
}

const toPair = (stored: string | [id: string, version: number]): [id: string, version: number] =>
  typeof stored === 'string' ? [stored, 1] : stored

/** Stored items in the form of the API; those of a previewed change come last. */
export const toServed = ({ records = [], statements = [], documents = [], previewed }: StoredItems): Served => {
  const own = {
    records: records.map(([id, version]) => ({ id, version })),
    statements: statements.map(toPair).map(([id, version]) => ({ id, version })),
    documents: documents.map(([id, version]) => ({ id, version })),
  }
  if (!previewed) return own
  const more = toServed(previewed)
  return {
    records: [...own.records, ...more.records],
    statements: [...own.statements, ...more.statements],
    documents: [...own.documents, ...more.documents],
  }
}

/** Stored items, one by one, without those of a previewed change: these are no versions of the Brain. */
export const toItems = ({ records = [], statements = [], documents = [] }: StoredItems): ItemRef[] => [
  ...records.map(([id, version]) => ({ type: 'record' as const, id, version })),
  ...statements.map(toPair).map(([id, version]) => ({ type: 'statement' as const, id, version })),
  ...documents.map(([id, version]) => ({ type: 'document' as const, id, version })),
]
