import '../../styles/brain-admin.css'
import '../../styles/webhooks.css'
import type { WebhookProgress } from '@noema/contracts/webhooks.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { Button } from '../../components/button.tsx'
import { RadioGroup } from '../../components/choices.tsx'
import { CopyId } from '../../components/copy-id.tsx'
import { Countdown } from '../../components/countdown.tsx'
import { Empty } from '../../components/empty.tsx'
import { KeyValues } from '../../components/key-values.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Stat } from '../../components/stat.tsx'
import { Time } from '../../components/time.tsx'
import { useCrumbName } from '../../crumb-names.ts'
import {
  deliveriesQuery,
  describeTypes,
  reloadWebhooks,
  toDeliveryRows,
  toWebhookState,
  webhooksQuery,
} from '../../data/webhooks.ts'
import { Who } from '../../items/who.tsx'
import { useSession } from '../../session/session.tsx'
import { DeliveryTable } from '../../webhooks/delivery-table.tsx'
import { WebhookActs } from './webhook-acts.tsx'
import { WebhookStatus } from './webhooks.tsx'

const route = getRouteApi('/brains/$handle/webhooks/$id')

type Given = { handle: string; webhook: WebhookProgress }

/** Moves a webhook to the event of a cursor, to send it again or to skip it. */
const useMove = ({ handle, webhook }: Given) => {
  const session = useSession()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (to: { from: string } | { after: string }) =>
      session.client.brain(handle).webhooks.rewind(webhook.id, to),
    onSuccess: () => reloadWebhooks(queries, session, handle),
    meta: { failure: 'Not moved' },
  })
}

const Figures = ({ webhook }: { webhook: WebhookProgress }) => {
  const { behind, attempts, nextAttemptAt, lastFailure } = webhook
  return (
    <div className="stats">
      <Stat label="Behind" value={behind} hint={behind === 1 ? 'event' : 'events'} />
      <Stat label="Failed attempts" value={`${attempts} of 3`} hint="for the next event" />
      <Stat
        label="Next attempt"
        value={nextAttemptAt === null ? 'none waits' : <Countdown until={nextAttemptAt} over="now" />}
      />
      <Stat
        label="Last failure"
        value={lastFailure === null ? 'none' : (lastFailure.status ?? 'no response')}
        hint={lastFailure !== null && <Time iso={lastFailure.at} />}
      />
    </div>
  )
}

/** The last error, with the actions for it. */
const Trouble = ({ handle, webhook }: Given) => {
  const move = useMove({ handle, webhook })
  const { lastFailure, nextAttemptAt } = webhook
  const state = toWebhookState(webhook)
  if (lastFailure === null || (state !== 'retrying' && state !== 'skipped')) return null
  const { cursor, error, at, attempts } = lastFailure
  if (state === 'skipped')
    return (
      <Notice tone="danger" title="An event was skipped">
        <p>
          <Time iso={at} />, after {attempts} attempts: {error} The next delivery shows your receiver the gap with its{' '}
          <code>previousCursor</code>.
        </p>
        <Button size="small" icon="refresh" isBusy={move.isPending} onClick={() => move.mutate({ from: cursor })}>
          Send again
        </Button>
      </Notice>
    )
  return (
    <Notice tone="warning" title="The next event is being tried again">
      <p>
        {error} It is skipped after three attempts
        {nextAttemptAt !== null && (
          <>
            ; the next is made in <Countdown until={nextAttemptAt} over="no time" />
          </>
        )}
        .
      </p>
      <div className="actions">
        <Button size="small" icon="refresh" isBusy={move.isPending} onClick={() => move.mutate({ from: cursor })}>
          Retry now
        </Button>
        <Button size="small" isBusy={move.isPending} onClick={() => move.mutate({ after: cursor })}>
          Skip
        </Button>
      </div>
    </Notice>
  )
}

const Facts = ({ webhook }: { webhook: WebhookProgress }) => {
  const { id, types, lastCursor, createdAt, createdByKeyId, nextSecretFrom } = webhook
  return (
    <KeyValues
      layout="row"
      items={[
        [
          'Events',
          <span key="types" title={types.join(', ')}>
            {describeTypes(types)}
          </span>,
        ],
        [
          'Position',
          lastCursor === null ? 'nothing sent yet' : <CopyId key="cursor" id={lastCursor} what="the cursor" />,
        ],
        ['Id', <CopyId key="id" id={id} />],
        [
          'Made',
          <span key="made" className="made-by">
            <Time iso={createdAt} /> by <Who id={createdByKeyId} />
          </span>,
        ],
        ...(nextSecretFrom === null
          ? []
          : ([
              [
                'Secrets',
                <span key="secrets">
                  both sign, only the new one from <Time iso={nextSecretFrom} />
                </span>,
              ],
            ] as const)),
      ]}
    />
  )
}

const shown = [
  { value: 'all', name: 'All' },
  { value: 'failed', name: 'Failed' },
  { value: 'skipped', name: 'Skipped' },
] as const

const Deliveries = ({ handle, webhook }: Given) => {
  const { show } = route.useSearch()
  const navigate = route.useNavigate()
  const isBusy = webhook.pending && !webhook.paused
  const { data, error, refetch } = useQuery(deliveriesQuery(useSession(), handle, { id: webhook.id, isBusy }))
  const move = useMove({ handle, webhook })
  const value = shown.find((one) => one.value === show)?.value ?? 'all'
  const rows = useMemo(
    () =>
      toDeliveryRows(data, webhook)?.filter(
        ({ state }) => value === 'all' || (value === 'failed' ? state !== 'delivered' : state === 'skipped'),
      ),
    [data, webhook, value],
  )
  return (
    <section aria-label="Deliveries" className="stack">
      <div className="page-bar">
        <h2>Deliveries</h2>
        <RadioGroup
          label="Which deliveries"
          isLabelHidden
          isSegments
          options={shown}
          value={value}
          onChange={(next) => void navigate({ search: next === 'all' ? {} : { show: next }, replace: true })}
        />
        <p className="muted">The latest 100 attempts, newest first.</p>
      </div>
      <DeliveryTable
        rows={rows}
        error={error}
        onRetry={() => void refetch()}
        height={420}
        renderActs={({ cursor }) => (
          <div className="actions">
            <Button size="small" icon="refresh" isBusy={move.isPending} onClick={() => move.mutate({ from: cursor })}>
              Send again from here
            </Button>
            <CopyId id={cursor} what="the cursor" />
            <span className="muted">Later events are sent again too, in order.</span>
          </div>
        )}
        empty={
          <Empty title={value === 'all' ? 'No deliveries yet' : 'None of these'}>
            {value === 'all'
              ? 'The next event of this Brain is its first delivery. Send a test to see whether it arrives.'
              : null}
          </Empty>
        }
      />
    </section>
  )
}

const Page = ({ handle, webhook }: Given) => (
  <>
    <div className="page-header-line">
      <h2 className="webhook-url">{webhook.url}</h2>
      <div className="page-header-badges">
        <WebhookStatus webhook={webhook} />
      </div>
      <div className="page-header-actions">
        <WebhookActs handle={handle} webhook={webhook} />
      </div>
    </div>
    <Trouble handle={handle} webhook={webhook} />
    <Figures webhook={webhook} />
    <Facts webhook={webhook} />
    <Deliveries handle={handle} webhook={webhook} />
  </>
)

/** One webhook of a Brain: its progress, deliveries, errors and actions. */
export const BrainWebhook = () => {
  const { handle, id } = route.useParams()
  const { data, error, refetch } = useQuery(webhooksQuery(useSession(), handle))
  const webhook = data?.find((one) => one.id === id)
  useCrumbName(`/brains/${handle}/webhooks/${id}`, webhook?.url.replace(/^https?:\/\//, ''))
  return (
    <section aria-label="Webhook" className="stack">
      <FailureNotice error={data ? null : error} onRetry={() => void refetch()} />
      {!data && !error && <Skeleton lines={8} />}
      {data && !webhook && (
        <Empty
          title="Webhook not found"
          action={
            <Link to="/brains/$handle/webhooks" params={{ handle }}>
              All webhooks
            </Link>
          }
        >
          It was deleted, or belongs to another Brain.
        </Empty>
      )}
      {webhook && <Page handle={handle} webhook={webhook} />}
    </section>
  )
}
