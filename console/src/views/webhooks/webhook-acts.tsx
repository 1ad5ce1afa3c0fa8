import type { WebhookProgress } from '@noema/contracts/webhooks.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Menu } from '../../components/menu.tsx'
import { reloadWebhooks } from '../../data/webhooks.ts'
import { toAmount } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'
import { RotateSecret } from '../../webhooks/rotate-secret.tsx'
import { TestDialog } from '../../webhooks/test-dialog.tsx'
import { RewindDialog } from './rewind-dialog.tsx'
import { EditWebhook } from './webhook-dialog.tsx'

type Given = { handle: string; webhook: WebhookProgress }
type Asked = 'test' | 'edit' | 'rotate' | 'rewind' | 'delete'

const DeleteWebhook = ({ handle, webhook: { id, url, behind }, onClose }: Given & { onClose: () => void }) => {
  const session = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const remove = async () => {
    await session.client.brain(handle).webhooks.delete(id)
    await navigate({ to: '/brains/$handle/webhooks', params: { handle } })
    await reloadWebhooks(queries, session, handle)
  }
  return (
    <ConfirmDialog isOpen title="Delete the webhook?" confirm="Delete webhook" onConfirm={remove} onClose={onClose}>
      <p>
        Nothing more is sent to <code>{url}</code>, not even pending retries.
        {behind > 0 && ` It has not been sent ${behind === 1 ? 'one event' : `${toAmount(behind)} events`}.`} To stop it
        temporarily and keep its position, pause it.
      </p>
    </ConfirmDialog>
  )
}

/** The dialog that is open. */
const Opened = ({ asked, handle, webhook, onClose }: Given & { asked: Asked | undefined; onClose: () => void }) => {
  const session = useSession()
  const queries = useQueryClient()
  const { webhooks } = session.client.brain(handle)
  const given = { handle, webhook, onClose }
  if (asked === 'test') return <TestDialog url={webhook.url} send={() => webhooks.test(webhook.id)} onClose={onClose} />
  if (asked === 'edit') return <EditWebhook {...given} />
  if (asked === 'rewind') return <RewindDialog {...given} />
  if (asked === 'delete') return <DeleteWebhook {...given} />
  if (asked !== 'rotate') return null
  const rotate = async () => {
    const rotated = await webhooks.rotate(webhook.id)
    await reloadWebhooks(queries, session, handle)
    return rotated
  }
  return <RotateSecret url={webhook.url} rotate={rotate} onClose={onClose} />
}

/** The actions for a webhook. */
export const WebhookActs = ({ handle, webhook }: Given) => {
  const session = useSession()
  const queries = useQueryClient()
  const [asked, setAsked] = useState<Asked>()
  const { paused, ownerLeft, nextSecretFrom } = webhook
  const pausing = useMutation({
    mutationFn: () => session.client.brain(handle).webhooks.patch(webhook.id, { paused: !paused }),
    onSuccess: () => reloadWebhooks(queries, session, handle),
    meta: { failure: paused ? 'Not resumed' : 'Not paused' },
  })
  const why = nextSecretFrom === null ? undefined : 'It already has a new secret. Deliveries are signed with both.'
  return (
    <>
      <Button size="small" icon="send" onClick={() => setAsked('test')}>
        Send a test
      </Button>
      <Button
        size="small"
        icon={paused ? 'play' : 'pause'}
        isBusy={pausing.isPending}
        onClick={() => (ownerLeft ? setAsked('edit') : pausing.mutate())}
      >
        <span className="steady">{ownerLeft ? 'Check the URL' : paused ? 'Resume' : 'Pause'}</span>
      </Button>
      <Button size="small" icon="edit" onClick={() => setAsked('edit')}>
        Change
      </Button>
      <Menu
        trigger={<IconButton icon="more" label="More actions" />}
        items={[
          { name: 'Rewind', icon: 'clock', onSelect: () => setAsked('rewind') },
          { name: 'Rotate secret', icon: 'refresh', onSelect: () => setAsked('rotate'), why },
          'line',
          { name: 'Delete', icon: 'trash', tone: 'danger', onSelect: () => setAsked('delete') },
        ]}
      />
      <Opened asked={asked} handle={handle} webhook={webhook} onClose={() => setAsked(undefined)} />
    </>
  )
}
