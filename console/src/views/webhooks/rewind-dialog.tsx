import type { WebhookProgress } from '@noema/contracts/webhooks.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm, useFormValue } from '../../components/form/use-contract-form.ts'
import { reloadWebhooks } from '../../data/webhooks.ts'
import { type Session, useSession } from '../../session/session.tsx'
import { sendAll } from './webhook-dialog.tsx'

type Position = 'after' | 'from' | 'first' | 'newest'

const positions = [
  { value: 'after', name: 'After a cursor', hint: 'For example, the last event that your receiver handled.' },
  { value: 'from', name: 'At the event of a cursor', hint: 'This event and all later ones are sent again.' },
  { value: 'first', name: 'At the first event', hint: 'All past events of the Brain are sent again.' },
  { value: 'newest', name: 'After the newest event', hint: 'Events that have not been sent yet are skipped.' },
] as const

type Values = { position: Position; cursor: string }

const move = async (session: Session, handle: string, id: string, { position, cursor }: Values) => {
  const { events, webhooks } = session.client.brain(handle)
  if (position === 'first') return sendAll(session, handle, id)
  if (position === 'from') return webhooks.rewind(id, { from: cursor })
  const after = position === 'newest' ? (await events.list({ newest: 0 })).cursor : cursor
  return webhooks.rewind(id, { after })
}

type RewindProps = { handle: string; webhook: WebhookProgress; onClose: () => void }

/** Rewinds a webhook, or moves it ahead, in the stream. */
export const RewindDialog = ({ handle, webhook, onClose }: RewindProps) => {
  const session = useSession()
  const queries = useQueryClient()
  const form = useContractForm({
    initial: { position: 'after', cursor: webhook.lastCursor ?? '' } as Values,
    toBody: ({ position, cursor }) => ({ position, cursor: cursor.trim() }),
    paths: { cursor: 'after' },
    submit: async (given) => {
      await move(session, handle, webhook.id, given)
      await reloadWebhooks(queries, session, handle)
      onClose()
    },
  })
  const position = useFormValue(form, 'position')
  return (
    <Dialog
      isOpen
      title="Rewind the webhook"
      description="Deliveries continue from there at once, in order. Receivers recognize repeats by the cursor of an event."
      onClose={onClose}
    >
      <Form form={form} submit="Rewind" onCancel={onClose}>
        <form.Radio label="Continue" name="position" options={positions} />
        {(position === 'after' || position === 'from') && (
          <form.Text
            label="Cursor"
            name="cursor"
            hint="From the deliveries below, the stream of events, or your receiver's own records."
            required
            isMono
          />
        )}
      </Form>
    </Dialog>
  )
}
