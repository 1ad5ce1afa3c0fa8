import { type EventType, eventTypes } from '@noema/contracts/event-types.ts'
import type { WebhookProgress } from '@noema/contracts/webhooks.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { RadioGroup } from '../../components/choices.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextInput, textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { NewSecret } from '../../components/secret.tsx'
import { reloadWebhooks } from '../../data/webhooks.ts'
import { type Session, useSession } from '../../session/session.tsx'
import { EventChoices } from '../../webhooks/event-choices.tsx'

type Start = 'next' | 'first' | 'after'

const starts = [
  { value: 'next', name: 'With the next event', hint: 'Nothing that happened before is sent.' },
  { value: 'first', name: 'With the first event', hint: 'The whole past of the Brain is sent first, in order.' },
  { value: 'after', name: 'After a cursor', hint: 'Such as the last event that your receiver handled.' },
] as const

const readTypes = (webhook: WebhookProgress | undefined): EventType[] => {
  const types = webhook?.types ?? []
  return types.length >= eventTypes.length ? [] : eventTypes.filter((type) => types.includes(type))
}

const UrlInput = ({ url }: { url: string | undefined }) => (
  <TextInput
    label="Address"
    name="url"
    type="url"
    defaultValue={url}
    hint="https on a public host. Receivers in your own network are allowed by the operator: NOEMA_WEBHOOK_ALLOW."
    placeholder="https://hooks.example.com/noema"
    required
    maxLength={2048}
    isMono
  />
)

/** Lets a webhook begin with the first event there is. */
export const sendAll = async (session: Session, handle: string, id: string): Promise<void> => {
  const { events } = await session.client.brain(handle).events.list({ limit: 1 })
  const [first] = events
  if (first) await session.client.brain(handle).webhooks.rewind(id, { from: first.cursor })
}

type MakeProps = { handle: string; onMade: (secret: string) => void; onClose: () => void }

const MakeForm = ({ handle, onMade, onClose }: MakeProps) => {
  const session = useSession()
  const queries = useQueryClient()
  const [types, setTypes] = useState<EventType[]>([])
  const [start, setStart] = useState<Start>('next')
  const make = async (form: FormData) => {
    const after = start === 'after' ? textIn(form, 'after').trim() : undefined
    const { webhooks } = session.client.brain(handle)
    const { webhook, secret } = await webhooks.create({
      url: textIn(form, 'url').trim(),
      ...(types.length > 0 && { types }),
      ...(after !== undefined && { after }),
    })
    if (start === 'first') await sendAll(session, handle, webhook.id)
    await reloadWebhooks(queries, session, handle)
    onMade(secret)
  }
  return (
    <Form submit="Create webhook" onSubmit={make} aside={<Button onClick={onClose}>Cancel</Button>}>
      <UrlInput url={undefined} />
      <EventChoices events={eventTypes} chosen={types} onChange={setTypes} hint="None ticked: every event is sent." />
      <RadioGroup label="Begin" options={starts} value={start} onChange={setStart} />
      {start === 'after' && <TextInput label="Cursor" name="after" required isMono />}
    </Form>
  )
}

/** Makes a webhook, and shows the secret that signs its deliveries, once. */
export const MakeWebhook = ({ handle, onClose }: { handle: string; onClose: () => void }) => {
  const [secret, setSecret] = useState<string>()
  return (
    <Dialog
      isOpen
      title={secret === undefined ? `New webhook of ${handle}` : 'The webhook is made'}
      description={
        secret === undefined &&
        'Each event is sent as soon as it is committed: in order, one at a time, at least once, and signed.'
      }
      onClose={onClose}
      size="wide"
    >
      {secret === undefined ? (
        <MakeForm handle={handle} onMade={setSecret} onClose={onClose} />
      ) : (
        <NewSecret secret={secret} onKept={onClose} sort="signing" />
      )}
    </Dialog>
  )
}

type EditProps = { handle: string; webhook: WebhookProgress; onClose: () => void }

/** Changes where a webhook leads and which events it is sent. */
export const EditWebhook = ({ handle, webhook, onClose }: EditProps) => {
  const session = useSession()
  const queries = useQueryClient()
  const [types, setTypes] = useState(() => readTypes(webhook))
  const save = async (form: FormData) => {
    const given = { url: textIn(form, 'url').trim(), types: types.length > 0 ? types : null }
    await session.client.brain(handle).webhooks.patch(webhook.id, given)
    await reloadWebhooks(queries, session, handle)
    onClose()
  }
  return (
    <Dialog isOpen title="Change the webhook" onClose={onClose} size="wide">
      <Form submit="Save" onSubmit={save} aside={<Button onClick={onClose}>Cancel</Button>}>
        <UrlInput url={webhook.url} />
        <EventChoices events={eventTypes} chosen={types} onChange={setTypes} hint="None ticked: every event is sent." />
        <p className="hint">
          It keeps its place in the stream and its secret. What is being tried is sent to the new address.
        </p>
      </Form>
    </Dialog>
  )
}
