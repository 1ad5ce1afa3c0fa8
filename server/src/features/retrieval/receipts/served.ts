import type { Served } from '@noema/contracts/receipts.ts'
import type { ItemRef } from '../lexical-index/types.ts'

/** Served items in their stored form: lists of id and version, without empty lists. A statement's first version is only its id. */
export type StoredItems = {
  records?: [id: string, version: number][]
  statements?: (string | [id: string, version: number])[]
  documents?: [id: string, version: number][]
}

const toPair = (stored: string | [id: string, version: number]): [id: string, version: number] =>
  typeof stored === 'string' ? [stored, 1] : stored

/** Stored items in the form of the API. */
export const toServed = ({ records = [], statements = [], documents = [] }: StoredItems): Served => ({
  records: records.map(([id, version]) => ({ id, version })),
  statements: statements.map(toPair).map(([id, version]) => ({ id, version })),
  documents: documents.map(([id, version]) => ({ id, version })),
})

/** Stored items, one by one. */
export const toItems = ({ records = [], statements = [], documents = [] }: StoredItems): ItemRef[] => [
  ...records.map(([id, version]) => ({ type: 'record' as const, id, version })),
  ...statements.map(toPair).map(([id, version]) => ({ type: 'statement' as const, id, version })),
  ...documents.map(([id, version]) => ({ type: 'document' as const, id, version })),
]
