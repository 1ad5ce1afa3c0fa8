import { hash } from 'node:crypto'
import type { Served } from '@noema/contracts/receipts.ts'
import type { ContentType } from '../../brain/versioning/types.ts'
import type { ItemRef } from '../lexical-index/types.ts'

/** What was served as it is stored: lists of id and version, left out where they are empty. */
export type StoredItems = {
  records?: [id: string, version: number][]
  statements?: string[]
  documents?: [id: string, version: number][]
}

const pick = (items: readonly ItemRef[], wanted: ContentType): [id: string, version: number][] =>
  items.flatMap(({ type, id, version }) => (type === wanted ? [[id, version] as [string, number]] : []))

/** Items as they are stored, by their types, in the order in which they were served. */
export const toStored = (items: readonly ItemRef[]): StoredItems => {
  const [records, statements, documents] = [pick(items, 'record'), pick(items, 'statement'), pick(items, 'document')]
  return {
    ...(records.length > 0 ? { records } : {}),
    ...(statements.length > 0 ? { statements: statements.map(([id]) => id) } : {}),
    ...(documents.length > 0 ? { documents } : {}),
  }
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

/** What receipts of an item are found by: 64 bits of a hash, as the text of a bigint. */
export const toItemKey = ({ type, id }: Pick<ItemRef, 'type' | 'id'>): string =>
  hash('sha256', `${type} ${id}`, 'buffer').readBigInt64BE().toString()

/** The keys of items, each with the version that was served. */
export const toItemKeys = (items: readonly ItemRef[]): { key: string; version: number }[] => {
  const versions = new Map(items.map((item) => [toItemKey(item), item.type === 'statement' ? 1 : item.version]))
  return [...versions].map(([key, version]) => ({ key, version }))
}
