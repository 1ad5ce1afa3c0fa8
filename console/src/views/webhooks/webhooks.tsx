import { toAmount } from '../../plural.ts'
import '../../styles/brain-admin.css'
import type { WebhookProgress } from '@noema/contracts/webhooks.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { Status } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Countdown } from '../../components/countdown.tsx'
import { Empty } from '../../components/empty.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import type { TableSearch } from '../../components/table/use-table-search.tsx'
import { Time } from '../../components/time.tsx'
import { describeTypes, toWebhookState, webhooksQuery, webhookTones } from '../../data/webhooks.ts'
import { useSession } from '../../session/session.tsx'
import { MakeWebhook } from './webhook-dialog.tsx'

const route = getRouteApi('/brains/$handle/webhooks')

/** The state of a webhook, by word and color. */
export const WebhookStatus = ({ webhook }: { webhook: WebhookProgress }) => {
  const state = toWebhookState(webhook)
  return <Status state={state} tone={webhookTones[state]} />
}

const LastFailure = ({ failure }: { failure: WebhookProgress['lastFailure'] }) =>
  failure === null ? (
    <span className="muted">none</span>
  ) : (
    <span title={`${failure.error}, attempt ${failure.attempts}`}>
      <Time iso={failure.at} />: {failure.status ?? failure.error}
    </span>
  )

const toColumns = (handle: string): readonly Column<WebhookProgress>[] => [
  {
    key: 'url',
    title: 'URL',
    sort: ({ url }) => url,
    cell: ({ id, url }) => (
      <Link to="/brains/$handle/webhooks/$id" params={{ handle, id }} title={url}>
        <code>{url.replace(/^https?:\/\//, '')}</code>
      </Link>
    ),
  },
  {
    key: 'types',
    title: 'Events',
    width: 150,
    isWide: true,
    cell: ({ types }) => <span title={types.join(', ')}>{describeTypes(types)}</span>,
  },
  { key: 'state', title: 'State', width: 104, cell: (webhook) => <WebhookStatus webhook={webhook} /> },
  {
    key: 'position',
    title: 'Position',
    width: 130,
    isWide: true,
    cell: ({ lastCursor }) =>
      lastCursor === null ? <span className="muted">none yet</span> : <code title={lastCursor}>{lastCursor}</code>,
  },
  {
    key: 'behind',
    title: 'Behind',
    width: 78,
    align: 'end',
    sort: ({ behind }) => behind,
    cell: ({ behind }) => toAmount(behind),
  },
  {
    key: 'failure',
    title: 'Last failure',
    width: 190,
    isWide: true,
    cell: ({ lastFailure }) => <LastFailure failure={lastFailure} />,
  },
  {
    key: 'next',
    title: 'Next attempt',
    width: 80,
    isWide: true,
    cell: ({ nextAttemptAt }) => nextAttemptAt !== null && <Countdown until={nextAttemptAt} over="now" />,
  },
]

const search: TableSearch<WebhookProgress> = {
  label: 'Search webhooks',
  what: ['webhook', 'webhooks'],
  toText: ({ id, url, types }) => [id, url, ...types].join(' '),
}

/** The webhooks of a Brain: their progress in the stream, and their problems. */
export const BrainWebhooks = () => {
  const { handle } = route.useParams()
  const [isMaking, setMaking] = useState(false)
  const { data, error, refetch } = useQuery(webhooksQuery(useSession(), handle))
  const columns = useMemo(() => toColumns(handle), [handle])
  const make = (
    <Button tone="primary" icon="plus" onClick={() => setMaking(true)}>
      New webhook
    </Button>
  )
  return (
    <section aria-label="Webhooks" className="stack">
      <div className="page-bar">
        <p className="muted">
          Each sends every event of this Brain to a URL: in order, one at a time, tried three times before it is
          skipped.
        </p>
        {make}
      </div>
      <DataTable
        label="Webhooks"
        columns={columns}
        rows={data}
        search={search}
        toId={({ id }) => id}
        error={error}
        onRetry={() => void refetch()}
        empty={
          <Empty title="No webhook yet" action={make}>
            A webhook sends each event to your program, signed, as soon as it is committed.
          </Empty>
        }
      />
      {isMaking && <MakeWebhook handle={handle} onClose={() => setMaking(false)} />}
    </section>
  )
}
