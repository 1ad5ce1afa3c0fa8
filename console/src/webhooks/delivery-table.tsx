import '../styles/webhooks.css'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { Status } from '../components/badge.tsx'
import { Countdown } from '../components/countdown.tsx'
import { KeyValues } from '../components/key-values.tsx'
import type { Column } from '../components/table/columns.ts'
import { DataTable } from '../components/table/data-table.tsx'
import type { DataTableProps } from '../components/table/use-data-table.ts'
import { Time } from '../components/time.tsx'
import { ReceiverAnswer } from './receiver-answer.tsx'

/** A delivery, or one attempt of one, of a webhook of either sort. */
export type DeliveryRow = {
  id: string
  /** The type of the event that it is of. */
  event: string
  state: 'delivered' | 'retrying' | 'skipped' | 'pending' | 'failed'
  /** The number of attempts including this one, and the maximum. */
  attempts: number
  maxAttempts: number
  /** The last attempt; null before the first. */
  at: string | null
  /** The next attempt, if it is scheduled. */
  nextAttemptAt: string | null
  /** What the receiver answered last; status null where no answer came. */
  status: number | null
  error: string | null
  answer: string
  milliseconds: number | null
}

/** What came back: the status, or why there is none. */
const toResponse = ({ status, error, at }: Pick<DeliveryRow, 'status' | 'error' | 'at'>): string => {
  if (at === null) return 'not tried yet'
  if (status !== null) return String(status)
  return error ?? 'no answer'
}

/** What the receiver answered, and why it did not count, whole. */
const Opened = ({ row, more }: { row: DeliveryRow; more: ReactNode }) => (
  <div className="delivery-detail">
    <KeyValues
      items={[
        ['Response', toResponse(row)],
        ...(row.error === null ? [] : ([['Error', row.error]] as const)),
        ['Answer', <ReceiverAnswer key="answer" text={row.answer} />],
      ]}
    />
    {more}
  </div>
)

const columns: readonly Column<DeliveryRow>[] = [
  { key: 'event', title: 'Event', cell: ({ event }) => <code>{event}</code> },
  { key: 'state', title: 'State', width: 100, cell: ({ state }) => <Status state={state} /> },
  {
    key: 'attempts',
    title: 'Attempt',
    width: 84,
    align: 'end',
    isWide: true,
    cell: ({ attempts, maxAttempts }) => `${attempts} of ${maxAttempts}`,
  },
  {
    key: 'response',
    title: 'Response',
    cell: (row) => <span title={row.error ?? undefined}>{toResponse(row)}</span>,
  },
  {
    key: 'took',
    title: 'Took',
    width: 80,
    align: 'end',
    isWide: true,
    cell: ({ milliseconds }) => milliseconds !== null && `${milliseconds.toLocaleString('en')} ms`,
  },
  { key: 'at', title: 'When', width: 110, isWide: true, cell: ({ at }) => at !== null && <Time iso={at} /> },
  {
    key: 'next',
    title: 'Next attempt',
    width: 90,
    isWide: true,
    cell: ({ nextAttemptAt }) => nextAttemptAt !== null && <Countdown until={nextAttemptAt} over="now" />,
  },
]

type DeliveryTableProps<Row extends DeliveryRow> = Pick<
  DataTableProps<Row>,
  'rows' | 'error' | 'onRetry' | 'hasMore' | 'isLoadingMore' | 'onLoadMore' | 'empty' | 'height'
> & {
  /** What can be done with one: it stands under what the receiver answered. */
  renderActs?: (row: Row) => ReactNode
}

/**
 * What a webhook sent, and what came of it: state, attempts, the receiver's answer, how long it took, when it is tried again. A row
 * opens to show the answer whole and what can be done. For webhooks of Brains and of organizations alike.
 */
export const DeliveryTable = <Row extends DeliveryRow>({ renderActs, ...table }: DeliveryTableProps<Row>) => {
  const [openId, setOpenId] = useState<string>()
  return (
    <DataTable
      label="Deliveries"
      columns={columns}
      toId={({ id }) => id}
      openId={openId}
      onOpen={({ id }) => setOpenId((before) => (before === id ? undefined : id))}
      renderOpen={(row) => <Opened row={row} more={renderActs?.(row)} />}
      {...table}
    />
  )
}
