import { hash } from 'node:crypto'
import type { Receipt } from '@noema/contracts/receipts.ts'
import type { Clock } from '../../../shared/clock.ts'
import { createBatcher } from '../../../shared/concurrency/batcher.ts'
import { newId, toUuid } from '../../../shared/ids.ts'
import type { Db, RunPrepared } from '../../../storage/database.ts'
import { isDatabaseUnavailable } from '../../../storage/database-errors.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { noSuchBrain } from '../../kernel/brains/brains.ts'
import type { ContentType } from '../../kernel/versioning/types.ts'
import type { ItemRef } from '../lexical-index/types.ts'
import { storeDivided } from './divided-queries.ts'
import { type NewReceipt, storeReceipts } from './queries.ts'
import type { StoredItems } from './served.ts'

// Every read of search, context and query leaves a receipt, which is committed before the read is answered (D-53). Receipts
// that arrive during a commit wait and are committed together by the next one.

/** The maximum of receipts in one commit. */
const maxReceipts = 256

/** The versions that a read served, and the state that it read. */
export type Reading = Pick<Receipt, 'operation' | 'stateVersion'> & {
  consumerId?: string | undefined
  items: readonly ItemRef[]
} & PreviewServed

/**
 * A read of a pending change as if it were published: the change, and whether it makes or ends an item. Such a version may never be
 * there, so the receipt is not found by it.
 */
export type PreviewServed = { change?: string; isPreviewed?: (item: ItemRef) => boolean }

export type ReceiptWriter = {
  /** Stores a receipt; once this resolves it can be read. False where the Brain was deleted. */
  write(row: NewReceipt): Promise<boolean>
  /** Resolves when all receipts are stored. */
  idle(): Promise<void>
}

type WriterDeps = { db: Db; prepared: RunPrepared; isDivided: boolean }

/** Creates the writer of receipts, one for a node. */
export const createReceiptWriter = ({ db, prepared, isDivided }: WriterDeps): ReceiptWriter => {
  const batcher = createBatcher<NewReceipt, boolean>({
    run: isDivided ? (rows) => storeDivided(db, rows) : storeReceipts(prepared),
    maxItems: maxReceipts,
    // A receipt that cannot be stored fails by itself.
    isSplitAfter: (error) => !isDatabaseUnavailable(error),
  })
  return { write: batcher.add, idle: batcher.idle }
}

const pick = (items: readonly ItemRef[], requested: ContentType): [id: string, version: number][] =>
  items.flatMap(({ type, id, version }) => (type === requested ? [[id, version] as [string, number]] : []))

/** Items in their stored form: by type, in the order in which they were served. */
const toStored = (items: readonly ItemRef[]): StoredItems => {
  const [records, statements, documents] = [pick(items, 'record'), pick(items, 'statement'), pick(items, 'document')]
  return {
    ...(records.length > 0 ? { records } : {}),
    ...(statements.length > 0 ? { statements: statements.map((pair) => (pair[1] === 1 ? pair[0] : pair)) } : {}),
    ...(documents.length > 0 ? { documents } : {}),
  }
}

/** The key by which the receipts of an item are found: 64 bits of a hash, as the text of a bigint. */
export const toItemKey = ({ type, id }: Pick<ItemRef, 'type' | 'id'>): string =>
  hash('sha256', `${type} ${id}`, 'buffer').readBigInt64BE().toString()

/** The keys of items, each with the version that was served. */
const toItemKeys = (items: readonly ItemRef[]): { key: string; version: number }[] => {
  const versions = new Map(items.map((item) => [toItemKey(item), item.version]))
  return [...versions].map(([key, version]) => ({ key, version }))
}

/** Leaves the receipt of a read and returns its id. Await it before answering: a client can read the receipt of each answer. */
export const leaveReceipt = async (
  deps: { receipts: ReceiptWriter; clock: Clock },
  brain: Pick<BrainRow, 'brainId' | 'handle'>,
  { consumerId, operation, stateVersion, items, change, isPreviewed = () => false }: Reading,
): Promise<string> => {
  const previewed = change === undefined ? [] : items.filter(isPreviewed)
  const there = previewed.length === 0 ? items : items.filter((item) => !isPreviewed(item))
  const ofChange = change === undefined ? {} : { change, previewed: toStored(previewed) }
  const content = { served: { ...toStored(there), ...ofChange }, items: toItemKeys(there) }
  const at = deps.clock.now()
  const id = newId('rcp', at)
  const uuid = toUuid('rcp', id)
  if (uuid === undefined) throw new Error(`${id} is not an id of a receipt.`)
  const isStored = await deps.receipts.write({
    ...{ brainId: brain.brainId, id: uuid, at, operation, stateVersion, consumerId: consumerId ?? null },
    ...content,
  })
  if (!isStored) throw noSuchBrain(brain.handle)
  return id
}
