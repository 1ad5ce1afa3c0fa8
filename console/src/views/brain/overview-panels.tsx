import type { WebhookProgress } from '@noema/contracts/webhooks.ts'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Status } from '../../components/badge.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Time } from '../../components/time.tsx'
import { toBefore } from '../../data/durations.ts'
import { comingDatesQuery, newestReadsQuery, shownInPanel, waitingChangesQuery } from '../../data/overview.ts'
import { toWebhookState, webhooksQuery, webhookTones } from '../../data/webhooks.ts'
import { useSession } from '../../session/session.tsx'
import { describeOperations, nameChange } from '../review/item-fields.ts'
import { listConsumers } from './consumers.ts'

type Place = { handle: string }

type ListPanelProps<Data> = {
  title: string
  query: UseQueryResult<Data>
  /** The text of an empty panel. */
  empty: string
  list: (data: Data) => ReactNode[]
  actions?: ReactNode
}

const ListPanel = <Data,>({ title, query, empty, list, actions }: ListPanelProps<Data>) => {
  const rows = query.data === undefined ? undefined : list(query.data)
  return (
    <Panel title={title} actions={actions} isFlush>
      {query.error && <FailureNotice error={query.error} onRetry={() => void query.refetch()} />}
      {!rows && !query.error && <Skeleton lines={2} />}
      {rows?.length === 0 && <p className="panel-empty">{empty}</p>}
      {rows && rows.length > 0 && <ul className="panel-list">{rows}</ul>}
    </Panel>
  )
}

/** Changes that wait for a decision. */
export const WaitingChanges = ({ handle }: Place) => (
  <ListPanel
    title="Pending reviews"
    query={useQuery(waitingChangesQuery(useSession(), handle))}
    empty="No pending changes."
    list={({ changes }) =>
      changes.map((change) => (
        <li key={change.id}>
          <Link to="/brains/$handle/changes/$id" params={{ handle, id: change.id }}>
            {nameChange(change)}
          </Link>
          <span className="muted">
            {describeOperations(change.operations)}, <Time iso={change.createdAt} />
          </span>
        </li>
      ))
    }
  />
)

/** The next dates of records that will become events. */
export const ComingDates = ({ handle }: Place) => (
  <ListPanel
    title="Upcoming dates"
    query={useQuery(comingDatesQuery(useSession(), handle))}
    empty="No upcoming dates. A schema field with notifyBefore creates them."
    list={({ dates }) =>
      dates.map(({ record, field, offset, dueAt }) => (
        <li key={`${record.id} ${field} ${offset} ${dueAt}`}>
          <Link to="/brains/$handle/records/$id" params={{ handle, id: record.id }}>
            {record.id}
          </Link>
          <span className="muted">
            {field}
            {', '}
            {toBefore(offset)}, <Time iso={dueAt} />
          </span>
        </li>
      ))
    }
  />
)

/** The readers, by the latest receipts. */
export const Readers = ({ handle }: Place) => (
  <ListPanel
    title="Readers"
    query={useQuery(newestReadsQuery(useSession(), handle))}
    empty="No searches or queries yet."
    list={({ receipts }) =>
      listConsumers(receipts)
        .slice(0, shownInPanel)
        .map(({ consumerId, reads, lastAt, operations, outdated }) => (
          <li key={consumerId ?? ' none'}>
            <Link to="/brains/$handle/receipts" params={{ handle }} search={consumerId === null ? {} : { consumerId }}>
              {consumerId ?? 'not given'}
            </Link>
            <span className="muted">
              {reads} {reads === 1 ? 'read' : 'reads'} ({operations.map(({ operation }) => operation).join(', ')}
              {outdated > 0 && `; ${outdated} changed since`}), <Time iso={lastAt} />
            </span>
          </li>
        ))
    }
  />
)

const describeProgress = ({ behind, attempts, lastFailure }: WebhookProgress): string => {
  if (attempts > 0) return `${behind} behind, ${lastFailure?.error ?? 'failing'}`
  return behind > 0 ? `${behind} behind` : 'all sent'
}

/** The progress of the webhooks in the stream. */
export const WebhookHealth = ({ handle }: Place) => (
  <ListPanel
    title="Webhooks"
    query={useQuery(webhooksQuery(useSession(), handle))}
    empty="No webhooks."
    list={(webhooks) =>
      webhooks.map((webhook) => {
        const state = toWebhookState(webhook)
        return (
          <li key={webhook.id}>
            <Link to="/brains/$handle/webhooks/$id" params={{ handle, id: webhook.id }}>
              <code>{webhook.url}</code>
            </Link>
            <span className="muted">
              <Status state={state} tone={webhookTones[state]} /> {describeProgress(webhook)}
            </span>
          </li>
        )
      })
    }
  />
)
