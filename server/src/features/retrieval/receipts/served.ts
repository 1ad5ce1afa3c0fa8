import type { Served } from '@noema/contracts/receipts.ts'
import type { ItemRef } from '../lexical-index/types.ts'

/** What was served as it is stored: lists of id and version, left out where they are empty. */
export type StoredItems = {
  records?: [id: string, version: number][]
  statements?: string[]
  documents?: [id: string, version: number][]
}

/** Stored items as answers show them. */
export const toServed = ({ records = [], statements = [], documents = [] }: StoredItems): Served => ({
  records: records.map(([id, version]) => ({ id, version })),
  statements: statements.map((id) => ({ id })),
  documents: documents.map(([id, version]) => ({ id, version })),
})

/** Stored items, one by one. Statements have one version. */
export const toItems = ({ records = [], statements = [], documents = [] }: StoredItems): ItemRef[] => [
  ...records.map(([id, version]) => ({ type: 'record' as const, id, version })),
  ...statements.map((id) => ({ type: 'statement' as const, id, version: 1 })),
  ...documents.map(([id, version]) => ({ type: 'document' as const, id, version })),
]
