import type { Moved, Receipt } from '@noema/contracts/receipts.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import { Link as PathLink } from '../../address.tsx'
import { baseUrl } from '../../base-path.ts'
import { readCode } from '../../code/examples.ts'
import { ViewAsCode } from '../../components/code.tsx'
import { CopyId } from '../../components/copy-id.tsx'
import { Empty } from '../../components/empty.tsx'
import { KeyValues } from '../../components/key-values.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { type ItemRef, itemPath } from '../../data/item-paths.ts'
import { receiptQuery } from '../../data/receipts.ts'
import { ChangeAuthor } from '../../items/change-author.tsx'
import { ItemLink } from '../../items/item-link.tsx'
import { Reader } from '../../items/reader.tsx'
import { toAmount } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'
import { ReceiptStatus } from './receipts.tsx'

const route = getRouteApi('/brains/$handle/receipts/$id')

/** The served items, and their changes since. */
type Served = ItemRef & { version: number; move: Moved | undefined }

/** Changed items come first. */
const listServed = ({ served, moved }: Receipt): Served[] => {
  const all = [
    ...served.records.map((one) => ({ ...one, type: 'record' as const })),
    ...served.statements.map((one) => ({ ...one, type: 'statement' as const })),
    ...served.documents.map((one) => ({ ...one, type: 'document' as const })),
  ]
  return all
    .map((item) => ({
      ...item,
      move: moved.find(({ ref, from }) => ref.type === item.type && ref.id === item.id && from === item.version),
    }))
    .sort((a, b) => Number(!a.move) - Number(!b.move))
}

const toColumns = (handle: string, stateVersion: number): readonly Column<Served>[] => [
  {
    key: 'served',
    title: 'Served',
    cell: ({ type, id }) => <ItemLink handle={handle} item={{ type, id }} asOf={stateVersion} />,
  },
  { key: 'type', title: 'Type', width: 110, isWide: true, cell: ({ type }) => type },
  { key: 'version', title: 'Version', width: 74, align: 'end', cell: ({ version }) => version },
  {
    key: 'now',
    title: 'Now',
    width: 130,
    cell: (item) => {
      if (!item.move) return <span className="muted">unchanged</span>
      if (item.move.to === null) return 'no longer live'
      return <PathLink to={itemPath(handle, item)}>version {item.move.to}</PathLink>
    },
  },
  {
    key: 'change',
    title: 'Changed by',
    width: 220,
    isWide: true,
    cell: ({ move }) => move && <ChangeAuthor handle={handle} change={move.change} />,
  },
]

const Facts = ({ receipt }: { receipt: Receipt }) => (
  <KeyValues
    layout="row"
    items={[
      ['Operation', receipt.operation],
      ['Reader', <Reader key="reader" consumerId={receipt.consumerId} />],
      ['When', <Time key="when" iso={receipt.at} />],
      ['State', toAmount(receipt.stateVersion)],
      ['Changes since', <ReceiptStatus key="since" receipt={receipt} />],
      ['Id', <CopyId key="id" id={receipt.id} />],
    ]}
  />
)

/** One receipt: the items that a search, context or query served, and the changes to them since. */
export const ReceiptPage = () => {
  const { handle, id } = route.useParams()
  const { data: receipt, error, refetch } = useQuery(receiptQuery(useSession(), handle, id))
  const rows = useMemo(() => receipt && listServed(receipt), [receipt])
  if (error) return <FailureNotice error={error} onRetry={() => void refetch()} />
  if (!receipt) return <Skeleton lines={6} />
  return (
    <section aria-label="Receipt">
      <h2>Receipt</h2>
      <Facts receipt={receipt} />
      <DataTable
        label="Served items"
        columns={toColumns(handle, receipt.stateVersion)}
        rows={rows}
        toId={({ type, id, version }) => `${type} ${id} ${version}`}
        empty={<Empty title="No items served">There were no results.</Empty>}
      />
      <p className="hint">A receipt contains ids and versions, never the text or the question.</p>
      <ViewAsCode example={readCode({ baseUrl, handle }, { what: 'receipts', id })} />
    </section>
  )
}
