import type { WebhookProgress } from '@noema/contracts/webhooks.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { RadioGroup } from '../../components/choices.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextInput, textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { reloadWebhooks } from '../../data/webhooks.ts'
import { type Session, useSession } from '../../session/session.tsx'
import { sendAll } from './webhook-dialog.tsx'

type Place = 'after' | 'from' | 'first' | 'newest'

const places = [
  { value: 'after', name: 'After a cursor', hint: 'Such as the last event that your receiver handled.' },
  { value: 'from', name: 'With the event of a cursor', hint: 'That event and all that follow are sent again.' },
  { value: 'first', name: 'With the first event', hint: 'The whole past of the Brain is sent again.' },
  { value: 'newest', name: 'After the newest event', hint: 'What has not been sent until now is passed over.' },
] as const

const move = async (
  session: Session,
  handle: string,
  id: string,
  { place, cursor }: { place: Place; cursor: string },
) => {
  const { events, webhooks } = session.client.brain(handle)
  if (place === 'first') return sendAll(session, handle, id)
  if (place === 'from') return webhooks.rewind(id, { from: cursor })
  const after = place === 'newest' ? (await events.list({ newest: 0 })).cursor : cursor
  return webhooks.rewind(id, { after })
}

type RewindProps = { handle: string; webhook: WebhookProgress; onClose: () => void }

/** Moves a webhook to another place in the stream, behind or ahead. */
export const RewindDialog = ({ handle, webhook, onClose }: RewindProps) => {
  const session = useSession()
  const queries = useQueryClient()
  const [place, setPlace] = useState<Place>('after')
  const rewind = async (form: FormData) => {
    await move(session, handle, webhook.id, { place, cursor: textIn(form, 'cursor').trim() })
    await reloadWebhooks(queries, session, handle)
    onClose()
  }
  return (
    <Dialog
      isOpen
      title="Move in the stream"
      description="Deliveries go on from there at once, in order. Receivers tell repeats by the cursor of an event."
      onClose={onClose}
    >
      <Form submit="Move" onSubmit={rewind} aside={<Button onClick={onClose}>Cancel</Button>}>
        <RadioGroup label="Go on" options={places} value={place} onChange={setPlace} />
        {(place === 'after' || place === 'from') && (
          <TextInput
            label="Cursor"
            name="cursor"
            defaultValue={webhook.lastCursor ?? ''}
            hint="From the deliveries below, the stream of events, or your receiver's own records."
            required
            isMono
          />
        )}
      </Form>
    </Dialog>
  )
}
