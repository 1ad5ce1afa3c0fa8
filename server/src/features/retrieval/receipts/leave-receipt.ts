import { hash } from 'node:crypto'
import type { Receipt } from '@noema/contracts/receipts.ts'
import type { Clock } from '../../../shared/clock.ts'
import { createBatcher } from '../../../shared/concurrency/batcher.ts'
import { newId, toUuid } from '../../../shared/ids.ts'
import type { RunPrepared } from '../../../storage/database.ts'
import { isDatabaseUnavailable } from '../../../storage/database-errors.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { noSuchBrain } from '../../kernel/brains/brains.ts'
import type { ContentType } from '../../kernel/versioning/types.ts'
import type { ItemRef } from '../lexical-index/types.ts'
import { type NewReceipt, storeReceipts } from './queries.ts'
import type { StoredItems } from './served.ts'

// Every read of search, context and query leaves a receipt, which is committed before the read is answered (D-53). While
// one commit is on its way, the receipts that come gather and are committed together by the next.

/** Receipts of one commit. */
const maxReceipts = 256

/** What a read served, and at which state. */
export type Reading = Pick<Receipt, 'operation' | 'stateVersion'> & {
  consumerId?: string | undefined
  items: readonly ItemRef[]
}

export type ReceiptBook = {
  /** Keeps a receipt; once this resolves it can be read. False where the Brain is gone. */
  keep(row: NewReceipt): Promise<boolean>
  /** Resolves when nothing waits any more. */
  idle(): Promise<void>
}

/** Opens the book of receipts over a database: one for a node. */
export const openReceiptBook = ({ prepared }: { prepared: RunPrepared }): ReceiptBook => {
  const batcher = createBatcher<NewReceipt, boolean>({
    run: storeReceipts(prepared),
    maxItems: maxReceipts,
    // One that cannot be kept fails by itself.
    isSplitAfter: (error) => !isDatabaseUnavailable(error),
  })
  return { keep: batcher.add, idle: batcher.idle }
}

const pick = (items: readonly ItemRef[], wanted: ContentType): [id: string, version: number][] =>
  items.flatMap(({ type, id, version }) => (type === wanted ? [[id, version] as [string, number]] : []))

/** Items as they are stored, by their types, in the order in which they were served. */
const toStored = (items: readonly ItemRef[]): StoredItems => {
  const [records, statements, documents] = [pick(items, 'record'), pick(items, 'statement'), pick(items, 'document')]
  return {
    ...(records.length > 0 ? { records } : {}),
    ...(statements.length > 0 ? { statements: statements.map((pair) => (pair[1] === 1 ? pair[0] : pair)) } : {}),
    ...(documents.length > 0 ? { documents } : {}),
  }
}

/** What receipts of an item are found by: 64 bits of a hash, as the text of a bigint. */
export const toItemKey = ({ type, id }: Pick<ItemRef, 'type' | 'id'>): string =>
  hash('sha256', `${type} ${id}`, 'buffer').readBigInt64BE().toString()

/** The keys of items, each with the version that was served. */
const toItemKeys = (items: readonly ItemRef[]): { key: string; version: number }[] => {
  const versions = new Map(items.map((item) => [toItemKey(item), item.version]))
  return [...versions].map(([key, version]) => ({ key, version }))
}

/** Leaves the receipt of a read and answers its id. Await it before answering: what was answered can be read afterwards. */
export const leaveReceipt = async (
  deps: { receipts: ReceiptBook; clock: Clock },
  brain: Pick<BrainRow, 'brainId' | 'handle'>,
  { consumerId, operation, stateVersion, items }: Reading,
): Promise<string> => {
  const stored = { served: toStored(items), items: toItemKeys(items) }
  const at = deps.clock.now()
  const id = newId('rcp', at)
  const uuid = toUuid('rcp', id)
  if (uuid === undefined) throw new Error(`${id} is no id of a receipt.`)
  const about = { at, operation, stateVersion, consumerId: consumerId ?? null }
  const isKept = await deps.receipts.keep({
    ...about,
    brainId: brain.brainId,
    id: uuid,
    ...stored,
  })
  if (!isKept) throw noSuchBrain(brain.handle)
  return id
}
