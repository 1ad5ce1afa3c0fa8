import type { OrganizationEvent, WebhookScope } from '@noema/contracts/organization-webhooks.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { RadioGroup } from '../../components/choices.tsx'
import { Combobox } from '../../components/combobox.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextInput, textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { NewSecret } from '../../components/secret.tsx'
import type { Names } from '../../data/names.ts'
import { organizationEvents, reloadOrganizationWebhooks } from '../../data/organization-webhooks.ts'
import { useSession } from '../../session/session.tsx'
import { EventChoices } from '../../webhooks/event-choices.tsx'

const sorts = [
  { value: 'all', name: 'The organization' },
  { value: 'agent', name: 'One agent' },
  { value: 'brain', name: 'One Brain' },
] as const
type Sort = (typeof sorts)[number]['value']

const toScope = (sort: Sort, chosen: string | undefined): WebhookScope | undefined => {
  if (sort === 'all') return undefined
  if (chosen === undefined) throw new Error(`Choose the ${sort === 'agent' ? 'agent' : 'Brain'} that it is about.`)
  return sort === 'agent' ? { agentId: chosen } : { brain: chosen }
}

type ScopeProps = { names: Names | undefined; sort: Sort; chosen: string | undefined; onChange: Change }
type Change = (sort: Sort, chosen: string | undefined) => void

/** Of what it is told: everything, or one agent or Brain. */
const ScopeChoice = ({ names, sort, chosen, onChange }: ScopeProps) => (
  <>
    <RadioGroup label="Of" options={sorts} value={sort} onChange={(next) => onChange(next, undefined)} isSegments />
    {sort === 'agent' && (
      <Combobox
        label="Agent"
        items={(names?.agents ?? []).map(({ id, name }) => ({ value: id, name }))}
        value={chosen}
        onChange={(id) => onChange(sort, id)}
      />
    )}
    {sort === 'brain' && (
      <Combobox
        label="Brain"
        items={(names?.brains ?? []).map((handle) => ({ value: handle, name: handle }))}
        value={chosen}
        onChange={(handle) => onChange(sort, handle)}
      />
    )}
  </>
)

type MakeProps = { names: Names | undefined; onMade: (secret: string) => void; onClose: () => void }

const MakeForm = ({ names, onMade, onClose }: MakeProps) => {
  const session = useSession()
  const queries = useQueryClient()
  const [events, setEvents] = useState<OrganizationEvent[]>(['run.completed', 'run.failed', 'task.created'])
  const [[sort, chosen], setScope] = useState<[Sort, string | undefined]>(['all', undefined])
  const make = async (form: FormData) => {
    const scope = toScope(sort, chosen)
    const url = textIn(form, 'url').trim()
    const { secret } = await session.client.webhooks.create({ url, events, ...(scope && { scope }) })
    await reloadOrganizationWebhooks(queries, session)
    onMade(secret)
  }
  return (
    <Form submit="Create webhook" onSubmit={make} aside={<Button onClick={onClose}>Cancel</Button>}>
      <TextInput
        label="Address"
        name="url"
        type="url"
        hint="https on a public host. Receivers in your own network are allowed by the operator: NOEMA_WEBHOOK_ALLOW."
        placeholder="https://hooks.example.com/noema"
        required
        maxLength={2048}
        isMono
      />
      <EventChoices
        events={organizationEvents}
        chosen={events}
        onChange={setEvents}
        hint="Only what is ticked is sent."
      />
      <ScopeChoice names={names} sort={sort} chosen={chosen} onChange={(next, about) => setScope([next, about])} />
    </Form>
  )
}

/** Makes a webhook, and shows the secret that signs its deliveries, once. */
export const MakeWebhook = ({ names, onClose }: { names: Names | undefined; onClose: () => void }) => {
  const [secret, setSecret] = useState<string>()
  return (
    <Dialog isOpen title={secret === undefined ? 'New webhook' : 'The webhook is made'} onClose={onClose} size="wide">
      {secret === undefined ? (
        <MakeForm names={names} onMade={setSecret} onClose={onClose} />
      ) : (
        <NewSecret secret={secret} onKept={onClose} sort="signing" />
      )}
    </Dialog>
  )
}
