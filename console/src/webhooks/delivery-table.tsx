import { toAmount } from '../plural.ts'
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

/** A delivery, or one attempt of it, for both kinds of webhooks. */
export type DeliveryRow = {
  id: string
  /** The type of its event. */
  event: string
  state: 'delivered' | 'retrying' | 'skipped' | 'pending' | 'failed'
  /** The number of attempts including this one, and the maximum. */
  attempts: number
  maxAttempts: number
  /** The last attempt; null before the first. */
  at: string | null
  /** The next attempt, if it is scheduled. */
  nextAttemptAt: string | null
  /** The receiver's last response; the status is null if there was none. */
  status: number | null
  error: string | null
  answer: string
  milliseconds: number | null
}

/** The status of the response, or the reason why there is none. */
const toResponse = ({ status, error, at }: Pick<DeliveryRow, 'status' | 'error' | 'at'>): string => {
  if (at === null) return 'not tried yet'
  if (status !== null) return String(status)
  return error ?? 'no answer'
}

/** The whole response, and the reason why it did not count as a success. */
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
    cell: ({ milliseconds }) => milliseconds !== null && `${toAmount(milliseconds)} ms`,
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
  /** The actions for a delivery, below the receiver's response. */
  renderActs?: (row: Row) => ReactNode
}

/**
 * The deliveries of a webhook: state, attempts, the receiver's response, duration and next attempt. A row expands to the whole
 * response and the available actions. Used for webhooks of Brains and of organizations.
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
