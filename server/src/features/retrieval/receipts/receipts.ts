import type { QueryOutput } from '@noema/contracts/endpoint.ts'
import type { listReceipts, Moved, Receipt } from '@noema/contracts/receipts.ts'
import { notFound } from '../../../shared/errors.ts'
import { fromUuid, toUuid } from '../../../shared/ids.ts'
import type { Db } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { brainList } from '../../kernel/brains/brains.ts'
import { atOneState } from '../../kernel/state-reads/state-reads.ts'
import type { ContentType } from '../../kernel/versioning/types.ts'
import { badCursor, endPage, openPage } from '../../platform/cursors/cursors.ts'
import { toItemKey } from './leave-receipt.ts'
import { findMoved } from './moved.ts'
import {
  type ReceiptRow,
  selectKnownReceipts,
  selectReceipt,
  selectReceiptBefore,
  selectReceiptPage,
} from './queries.ts'
import { toItems, toServed } from './served.ts'

// A receipt lists the ids and versions that a read served, never a text or the query (QRY-04). Reading the receipt also compares them
// with the current versions.

type Deps = { db: Db }

/** The number of receipts that one page examines if several filters leave some out. */
const examinedPerPage = 5_000

const firstUuid = '00000000-0000-0000-0000-000000000000'

const toReceipt = ({ id, at, served, ...row }: ReceiptRow, moved: Moved[]): Receipt => ({
  id: fromUuid('rcp', id),
  consumerId: row.consumerId,
  operation: row.operation,
  at: at.toISOString(),
  stateVersion: row.stateVersion,
  ...(served.change === undefined ? {} : { change: served.change }),
  served: toServed(served),
  current: moved.length === 0,
  moved,
})

/** One receipt, and the changes of its items since. */
export const readReceipt = (deps: Deps, brain: BrainRow, id: string) =>
  atOneState(deps.db, brain, undefined, async (tx, { stateVersion }) => {
    const uuid = toUuid('rcp', id)
    const row = uuid === undefined ? undefined : await selectReceipt(tx, brain.brainId, uuid)
    if (!row) throw notFound(`There is no receipt ${JSON.stringify(id)} in this Brain.`)
    const [moved = []] = await findMoved(tx, brain.brainId, [toItems(row.served)])
    return { receipt: toReceipt(row, moved), stateVersion }
  })

/** The ids among these that are receipts of a Brain. */
export const findKnownReceipts = async (deps: Deps, brainId: number, ids: readonly string[]): Promise<Set<string>> => {
  const uuids = ids.flatMap((id) => toUuid('rcp', id) ?? [])
  return new Set((await selectKnownReceipts(deps.db, brainId, uuids)).map((uuid) => fromUuid('rcp', uuid)))
}

/** The newest receipt of a run before one of its operations began: ids are in the order of time. */
export const findReceiptBefore = async (
  deps: Deps,
  { brainId }: Pick<BrainRow, 'brainId'>,
  { consumerId, operationId }: { consumerId: string; operationId: string },
): Promise<string | undefined> => {
  const uuid = toUuid('opr', operationId)
  const found = uuid === undefined ? undefined : await selectReceiptBefore(deps.db, brainId, consumerId, uuid)
  return found && fromUuid('rcp', found)
}

const itemTypes: readonly ContentType[] = ['record', 'statement', 'document']

/** A page of receipts. Its cursor is after all receipts that the page examined. */
export const listReceiptPage = async (deps: Deps, brain: BrainRow, query: QueryOutput<typeof listReceipts>) => {
  const { consumerId, limit, order } = query
  const list = brainList(deps.db, brain, { list: 'receipts', start: fromUuid('rcp', firstUuid) })
  const opened = await openPage(list, query)
  const after = opened.after === undefined ? undefined : parsePosition(opened.after)
  const items = itemTypes.flatMap((type) => (query[type] === undefined ? [] : toItemKey({ type, id: query[type] })))
  const isNarrowed = items.length + (consumerId === undefined ? 0 : 1) > 1
  const page = { after, order, limit: limit + 1, reach: isNarrowed ? Math.max(examinedPerPage, limit + 1) : limit + 1 }
  return atOneState(deps.db, brain, undefined, async (tx, { stateVersion }) => {
    const { rows, examined, last, fitting } = await selectReceiptPage(tx, brain.brainId, { consumerId, items }, page)
    const shown = rows.slice(0, limit)
    const moved = await findMoved(
      tx,
      brain.brainId,
      shown.map(({ served }) => toItems(served)),
    )
    const isCut = fitting > shown.length
    const end = isCut ? shown.at(-1)?.id : last
    return {
      receipts: shown.map((row, index) => toReceipt(row, moved[index] ?? [])),
      cursor: endPage(opened, end ? fromUuid('rcp', end) : undefined),
      hasMore: isCut || examined === page.reach,
      stateVersion,
    }
  })
}

const parsePosition = (position: string): string => {
  const uuid = toUuid('rcp', position)
  if (uuid === undefined) throw badCursor()
  return uuid
}
