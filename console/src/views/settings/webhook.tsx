import '../../styles/brain-admin.css'
import type { OrganizationWebhook } from '@noema/contracts/organization-webhooks.ts'
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { CopyId } from '../../components/copy-id.tsx'
import { Empty } from '../../components/empty.tsx'
import { KeyValues } from '../../components/key-values.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Time } from '../../components/time.tsx'
import { useCrumbName } from '../../crumb-names.ts'
import { namesQuery } from '../../data/names.ts'
import {
  describeScope,
  organizationDeliveriesQuery,
  organizationWebhooksQuery,
  reloadOrganizationWebhooks,
  toDeliveryRow,
} from '../../data/organization-webhooks.ts'
import { toTablePages } from '../../data/paging.ts'
import { Who } from '../../items/who.tsx'
import { useSession } from '../../session/session.tsx'
import { type DeliveryRow, DeliveryTable } from '../../webhooks/delivery-table.tsx'
import { RotateSecret } from '../../webhooks/rotate-secret.tsx'
import { TestDialog } from '../../webhooks/test-dialog.tsx'
import { ChangeWebhook } from './make-webhook.tsx'
import { SendAgain } from './send-again.tsx'
import { WebhookHealth } from './webhooks.tsx'

const route = getRouteApi('/settings/webhooks/$id')

type Given = { webhook: OrganizationWebhook }

const Facts = ({ webhook }: Given) => {
  const { data: names } = useQuery(namesQuery(useSession()))
  const { id, events, scope, createdAt, createdByKeyId, createdByActor, nextSecretFrom } = webhook
  return (
    <KeyValues
      layout="row"
      items={[
        ['Scope', describeScope(scope, names?.agents ?? [])],
        ['Events', <code key="events">{events.join(', ')}</code>],
        ['Id', <CopyId key="id" id={id} />],
        [
          'Made',
          <span key="made" className="made-by">
            <Time iso={createdAt} /> by <Who id={createdByActor?.userId ?? createdByKeyId} />
          </span>,
        ],
        [
          'Secret',
          nextSecretFrom === null ? (
            'one signs'
          ) : (
            <>
              both sign, only the new one from <Time iso={nextSecretFrom} />
            </>
          ),
        ],
      ]}
    />
  )
}

/** The available actions. */
const Acts = ({ webhook }: Given) => {
  const { id, url, nextSecretFrom } = webhook
  const session = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [asked, setAsked] = useState<'test' | 'change' | 'rotate' | 'delete'>()
  const close = () => setAsked(undefined)
  const rotate = async () => {
    const rotated = await session.client.webhooks.rotate(id)
    await reloadOrganizationWebhooks(queries, session)
    return rotated
  }
  const remove = async () => {
    await session.client.webhooks.delete(id)
    await navigate({ to: '/settings/webhooks' })
    await reloadOrganizationWebhooks(queries, session)
  }
  return (
    <>
      <Button size="small" icon="send" onClick={() => setAsked('test')}>
        Send a test
      </Button>
      <Button size="small" icon="edit" onClick={() => setAsked('change')}>
        Change
      </Button>
      {nextSecretFrom === null && (
        <Button size="small" icon="refresh" onClick={() => setAsked('rotate')}>
          Rotate secret
        </Button>
      )}
      <Button size="small" tone="danger" icon="trash" onClick={() => setAsked('delete')}>
        Delete
      </Button>
      {asked === 'test' && <TestDialog url={url} send={() => session.client.webhooks.test(id)} onClose={close} />}
      {asked === 'change' && <ChangeWebhook webhook={webhook} onClose={close} />}
      {asked === 'rotate' && <RotateSecret url={url} rotate={rotate} onClose={close} />}
      {asked === 'delete' && (
        <ConfirmDialog isOpen title="Delete the webhook?" confirm="Delete webhook" onConfirm={remove} onClose={close}>
          <p>
            Nothing more is sent to <code>{url}</code>, not even pending retries. Its deliveries are deleted too.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}

const Deliveries = ({ webhook: { id } }: Given) => {
  const session = useSession()
  const queries = useQueryClient()
  const query = useInfiniteQuery(organizationDeliveriesQuery(session, id))
  const [from, setFrom] = useState<DeliveryRow>()
  const again = useMutation({
    mutationFn: (delivery: string) => session.client.webhooks.redeliver(id, delivery),
    onSuccess: () => reloadOrganizationWebhooks(queries, session),
    meta: { failure: 'Not sent again' },
  })
  return (
    <section aria-label="Deliveries" className="stack">
      <div className="page-bar">
        <h2>Deliveries</h2>
        <p className="muted">
          Newest first. Each delivery is attempted eight times over more than a day, and kept for 30 days.
        </p>
      </div>
      <DeliveryTable
        rows={query.data?.pages.flatMap(({ deliveries }) => deliveries.map(toDeliveryRow))}
        {...toTablePages(query)}
        height={420}
        renderActs={(row) => (
          <div className="actions">
            <Button size="small" icon="refresh" isBusy={again.isPending} onClick={() => again.mutate(row.id)}>
              Send again
            </Button>
            <Button size="small" onClick={() => setFrom(row)}>
              From here on…
            </Button>
            <CopyId id={row.id} what="the webhook-id" />
            <span className="muted">It is sent at once, with all attempts and the same webhook-id.</span>
          </div>
        )}
        empty={
          <Empty title="No deliveries yet">
            The next event is its first delivery. Send a test to see whether it arrives.
          </Empty>
        }
      />
      {from && <SendAgain webhook={id} from={from} onClose={() => setFrom(undefined)} />}
    </section>
  )
}

/** One webhook of the organization: its events, deliveries and actions. */
export const OrganizationWebhookPage = () => {
  const { id } = route.useParams()
  const { data, error, refetch } = useQuery(organizationWebhooksQuery(useSession()))
  const webhook = data?.find((one) => one.id === id)
  useCrumbName(`/settings/webhooks/${id}`, webhook?.url.replace(/^https?:\/\//, ''))
  return (
    <div className="page">
      <FailureNotice error={data ? null : error} onRetry={() => void refetch()} />
      {!data && !error && <Skeleton lines={8} />}
      {data && !webhook && (
        <Empty title="Webhook not found" action={<Link to="/settings/webhooks">All webhooks</Link>}>
          It was deleted, or belongs to another organization.
        </Empty>
      )}
      {webhook && (
        <>
          <PageHeader
            title={<span className="webhook-url">{webhook.url}</span>}
            badges={<WebhookHealth id={id} />}
            actions={<Acts webhook={webhook} />}
          />
          <Facts webhook={webhook} />
          <Deliveries webhook={webhook} />
        </>
      )}
    </div>
  )
}
