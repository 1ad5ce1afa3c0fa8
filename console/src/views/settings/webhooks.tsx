import type { OrganizationWebhook } from '@noema/contracts/organization-webhooks.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Status } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Countdown } from '../../components/countdown.tsx'
import { Empty } from '../../components/empty.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { namesQuery } from '../../data/names.ts'
import {
  describeEvents,
  describeScope,
  newestDeliveryQuery,
  organizationWebhooksQuery,
  toDeliveryState,
} from '../../data/organization-webhooks.ts'
import { useSession } from '../../session/session.tsx'
import { MakeWebhook } from './make-webhook.tsx'

const useNewest = (id: string) => useQuery(newestDeliveryQuery(useSession(), id)).data

/** The state of the latest delivery. */
export const WebhookHealth = ({ id }: { id: string }) => {
  const newest = useNewest(id)
  if (newest === undefined) return <span className="muted">…</span>
  return newest === null ? <Status state="quiet" /> : <Status state={toDeliveryState(newest)} />
}

const LastTry = ({ id }: { id: string }) => {
  const at = useNewest(id)?.lastAttempt?.at
  return at === undefined ? <span className="muted">never</span> : <Time iso={at} />
}

const NextTry = ({ id }: { id: string }) => {
  const next = useNewest(id)?.nextAttemptAt ?? null
  return next !== null && <Countdown until={next} over="now" />
}

const toColumns = (agents: readonly { id: string; name: string }[]): readonly Column<OrganizationWebhook>[] => [
  {
    key: 'url',
    title: 'URL',
    cell: ({ id, url }) => (
      <Link to="/settings/webhooks/$id" params={{ id }} title={url}>
        <code>{url.replace(/^https?:\/\//, '')}</code>
      </Link>
    ),
  },
  {
    key: 'events',
    title: 'Events',
    width: 150,
    isWide: true,
    cell: (webhook) => <span title={webhook.events.join(', ')}>{describeEvents(webhook)}</span>,
  },
  { key: 'scope', title: 'Scope', width: 170, isWide: true, cell: ({ scope }) => describeScope(scope, agents) },
  { key: 'state', title: 'Newest', width: 104, cell: ({ id }) => <WebhookHealth id={id} /> },
  { key: 'last', title: 'Last try', width: 110, isWide: true, cell: ({ id }) => <LastTry id={id} /> },
  { key: 'next', title: 'Next attempt', width: 90, isWide: true, cell: ({ id }) => <NextTry id={id} /> },
]

/** The webhooks of the organization, for runs, tasks and corrections. */
export const OrganizationWebhooks = () => {
  const session = useSession()
  const [isMaking, setMaking] = useState(false)
  const { data, error, refetch } = useQuery(organizationWebhooksQuery(session))
  const { data: names } = useQuery(namesQuery(session))
  const make = (
    <Button tone="primary" icon="plus" onClick={() => setMaking(true)}>
      New webhook
    </Button>
  )
  return (
    <div className="page">
      <PageHeader
        title="Webhooks"
        lead="Sends runs, tasks, operations and corrections to a URL. For events of a Brain's stream, use a webhook of the Brain."
        actions={make}
      />
      <DataTable
        label="Webhooks"
        columns={toColumns(names?.agents ?? [])}
        rows={data}
        toId={({ id }) => id}
        error={error}
        onRetry={() => void refetch()}
        empty={
          <Empty title="No webhook yet" action={make}>
            A webhook sends each event of runs and tasks to your program, signed, with eight attempts over more than a
            day.
          </Empty>
        }
      />
      {isMaking && <MakeWebhook names={names} onClose={() => setMaking(false)} />}
    </div>
  )
}
