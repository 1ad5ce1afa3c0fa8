import { hash } from 'node:crypto'
import type { Moved, Served } from '@noema/contracts/receipts.ts'

/** What was served as it is kept: lists of id and version, left out where they are empty. */
export type KeptServed = {
  records?: [id: string, version: number][]
  statements?: string[]
  documents?: [id: string, version: number][]
}

export type ItemType = Moved['ref']['type']

/** Something that was served. Statements have one version. */
export type ServedItem = { type: ItemType; id: string; version: number }

export const keptOf = ({ records, statements, documents }: Served): KeptServed => ({
  ...(records.length > 0 ? { records: records.map(({ id, version }) => [id, version]) } : {}),
  ...(statements.length > 0 ? { statements: statements.map(({ id }) => id) } : {}),
  ...(documents.length > 0 ? { documents: documents.map(({ id, version }) => [id, version]) } : {}),
})

export const servedOf = ({ records = [], statements = [], documents = [] }: KeptServed): Served => ({
  records: records.map(([id, version]) => ({ id, version })),
  statements: statements.map((id) => ({ id })),
  documents: documents.map(([id, version]) => ({ id, version })),
})

export const itemsOf = ({ records, statements, documents }: Served): ServedItem[] => [
  ...records.map((record) => ({ type: 'record' as const, ...record })),
  ...statements.map(({ id }) => ({ type: 'statement' as const, id, version: 1 })),
  ...documents.map((document) => ({ type: 'document' as const, ...document })),
]

/** Things by their types, in the order in which they were served. */
export const servedThings = (things: readonly ServedItem[]): Served => {
  const of = (wanted: ItemType) => things.flatMap(({ type, id, version }) => (type === wanted ? [{ id, version }] : []))
  return { records: of('record'), statements: of('statement').map(({ id }) => ({ id })), documents: of('document') }
}

/** What receipts of a thing are found by: 64 bits of a hash, as the text of a bigint. */
export const itemKey = ({ type, id }: Pick<ServedItem, 'type' | 'id'>): string =>
  hash('sha256', `${type} ${id}`, 'buffer').readBigInt64BE().toString()
