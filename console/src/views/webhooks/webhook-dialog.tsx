import { type EventType, eventTypes } from '@noema/contracts/event-types.ts'
import type { WebhookProgress } from '@noema/contracts/webhooks.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import type { Fields } from '../../components/form/fields.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm, useFormValue } from '../../components/form/use-contract-form.ts'
import { NewSecret } from '../../components/secret.tsx'
import { reloadWebhooks } from '../../data/webhooks.ts'
import { type Session, useSession } from '../../session/session.tsx'
import { EventChoices } from '../../webhooks/event-choices.tsx'
import { WebhookUrl } from '../../webhooks/webhook-url.tsx'

type Start = 'next' | 'first' | 'after'

const starts = [
  { value: 'next', name: 'At the next event', hint: 'Past events are not sent.' },
  { value: 'first', name: 'At the first event', hint: 'All past events of the Brain are sent first, in order.' },
  { value: 'after', name: 'After a cursor', hint: 'For example, the last event that your receiver handled.' },
] as const

const readTypes = (webhook: WebhookProgress | undefined): EventType[] => {
  const types = webhook?.types ?? []
  return types.length >= eventTypes.length ? [] : eventTypes.filter((type) => types.includes(type))
}

/** Starts a webhook at the first event of the Brain. */
export const sendAll = async (session: Session, handle: string, id: string): Promise<void> => {
  const { events } = await session.client.brain(handle).events.list({ limit: 1 })
  const [first] = events
  if (first) await session.client.brain(handle).webhooks.rewind(id, { from: first.cursor })
}

type MakeProps = { handle: string; onMade: (secret: string) => void; onClose: () => void }

type MakeValues = { url: string; types: EventType[]; start: Start; after: string }

const MakeForm = ({ handle, onMade, onClose }: MakeProps) => {
  const session = useSession()
  const queries = useQueryClient()
  const form = useContractForm({
    initial: { url: '', types: [], start: 'next', after: '' } as MakeValues,
    contract: async () => (await import('@noema/contracts/webhooks.ts')).createWebhook.body,
    toBody: ({ url, types, start, after }) => ({
      url: url.trim(),
      ...(types.length > 0 && { types }),
      ...(start === 'after' && { after: after.trim() }),
    }),
    submit: async (body, { start }) => {
      const { webhook, secret } = await session.client.brain(handle).webhooks.create(body)
      if (start === 'first') await sendAll(session, handle, webhook.id)
      await reloadWebhooks(queries, session, handle)
      onMade(secret)
    },
  })
  return (
    <Form form={form} submit="Create webhook" onCancel={onClose}>
      <WebhookUrl form={form} />
      <TypesField form={form} />
      <form.Radio label="Start" name="start" options={starts} />
      {useFormValue(form, 'start') === 'after' && <form.Text label="Cursor" name="after" required isMono />}
    </Form>
  )
}

const TypesField = ({ form }: { form: Pick<Fields<{ types: EventType[] }>, 'Field'> }) => (
  <form.Field name="types">
    {({ value, set }) => (
      <EventChoices events={eventTypes} chosen={value} onChange={set} hint="If you select none, every event is sent." />
    )}
  </form.Field>
)

/** Creates a webhook and shows its signing secret once. */
export const MakeWebhook = ({ handle, onClose }: { handle: string; onClose: () => void }) => {
  const [secret, setSecret] = useState<string>()
  return (
    <Dialog
      isOpen
      title={secret === undefined ? `New webhook for ${handle}` : 'Webhook created'}
      description={
        secret === undefined &&
        'Each event is signed and sent as soon as it is committed: in order, one at a time, at least once.'
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

/** Changes the URL and the events of a webhook. */
export const EditWebhook = ({ handle, webhook, onClose }: EditProps) => {
  const session = useSession()
  const queries = useQueryClient()
  const form = useContractForm({
    initial: { url: webhook.url, types: readTypes(webhook) },
    contract: async () => (await import('@noema/contracts/webhooks.ts')).patchWebhook.body,
    toBody: ({ url, types }) => ({ url: url.trim(), types: types.length > 0 ? types : null }),
    edits: {},
    submit: async (_body, _values, changed) => {
      await session.client.brain(handle).webhooks.patch(webhook.id, changed)
      await reloadWebhooks(queries, session, handle)
      onClose()
    },
  })
  return (
    <Dialog isOpen title="Edit webhook" onClose={onClose} size="wide">
      <Form form={form} submit="Save" onCancel={onClose}>
        <WebhookUrl form={form} />
        <TypesField form={form} />
        <p className="hint">
          The webhook keeps its position in the stream and its secret. Pending deliveries go to the new URL.
        </p>
      </Form>
    </Dialog>
  )
}
