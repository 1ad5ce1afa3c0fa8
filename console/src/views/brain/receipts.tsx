import type { Receipt } from '@noema/contracts/receipts.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { baseUrl } from '../../base-path.ts'
import { listCode } from '../../code/examples.ts'
import { Status } from '../../components/badge.tsx'
import { ViewAsCode } from '../../components/code.tsx'
import { Empty } from '../../components/empty.tsx'
import { stateColumn } from '../../components/state-column.ts'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { itemTypes } from '../../data/item-paths.ts'
import { toTablePages } from '../../data/paging.ts'
import { type ReceiptFilter, receiptPagesQuery } from '../../data/receipts.ts'
import { ItemLink } from '../../items/item-link.tsx'
import { toReaderName } from '../../items/reader.tsx'
import { toAmount } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'

const route = getRouteApi('/brains/$handle/receipts')

/** True if all served items are unchanged. */
export const ReceiptStatus = ({ receipt: { current, moved } }: { receipt: Receipt }) =>
  current ? <Status state="unchanged" /> : <Status state="changed" label={`${moved.length} changed`} />

const countServed = ({ served }: Receipt): number =>
  served.records.length + served.statements.length + served.documents.length

const toColumns = (handle: string): readonly Column<Receipt>[] => [
  {
    key: 'reader',
    title: 'Reader',
    cell: ({ id, consumerId }) => (
      <Link to="/brains/$handle/receipts/$id" params={{ handle, id }}>
        {toReaderName(consumerId)}
      </Link>
    ),
  },
  { key: 'id', title: 'Receipt', isWide: true, cell: ({ id }) => <code>{id}</code> },
  { key: 'operation', title: 'By', width: 90, isWide: true, cell: ({ operation }) => operation },
  {
    key: 'served',
    title: 'Served',
    width: 80,
    align: 'end',
    isWide: true,
    cell: (receipt) => toAmount(countServed(receipt)),
  },
  stateColumn,
  { key: 'since', title: 'Changes since', width: 108, cell: (receipt) => <ReceiptStatus receipt={receipt} /> },
  { key: 'when', title: 'When', width: 106, cell: ({ at }) => <Time iso={at} /> },
]

/** The active filter of the reads, with a link to all. */
const Chosen = ({ handle, filter }: { handle: string; filter: ReceiptFilter }) => {
  const { consumerId } = filter
  const items = itemTypes.flatMap((type) => (filter[type] === undefined ? [] : [{ type, id: filter[type] }]))
  if (consumerId === undefined && items.length === 0) return null
  return (
    <p>
      Reads{consumerId !== undefined && ` by ${consumerId}`}
      {items.map((item) => (
        <span key={item.type}>
          {' '}
          that served the {item.type} <ItemLink handle={handle} item={item} />
        </span>
      ))}
      .{' '}
      <Link to="/brains/$handle/receipts" params={{ handle }}>
        All receipts
      </Link>
    </p>
  )
}

/** A Brain's receipts, newest first: all, those of one consumer, or those that served one item. */
export const ReceiptList = () => {
  const { handle } = route.useParams()
  const filter = route.useSearch()
  const query = useInfiniteQuery(receiptPagesQuery(useSession(), handle, filter))
  const receipts = useMemo(() => query.data?.pages.flatMap((page) => page.receipts), [query.data])
  const columns = useMemo(() => toColumns(handle), [handle])
  const given = Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return (
    <section aria-label="Receipts">
      <Chosen handle={handle} filter={filter} />
      <DataTable
        label="Receipts"
        columns={columns}
        rows={receipts}
        toId={({ id }) => id}
        empty={
          <Empty title={given.length > 0 ? 'No matching receipts' : 'No receipts yet'}>
            Every search, context and query stores one: the versions that it served, and which of them have changed
            since.
          </Empty>
        }
        {...toTablePages(query)}
      />
      <ViewAsCode
        example={listCode({ baseUrl, handle }, 'receipts', { ...Object.fromEntries(given), order: 'desc' })}
      />
    </section>
  )
}
