import type { OrganizationEvent, OrganizationWebhook, WebhookScope } from '@noema/contracts/organization-webhooks.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { RadioGroup } from '../../components/choices.tsx'
import { Combobox } from '../../components/combobox.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextInput, textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { NewSecret } from '../../components/secret.tsx'
import { type Names, namesQuery } from '../../data/names.ts'
import { organizationEvents, reloadOrganizationWebhooks } from '../../data/organization-webhooks.ts'
import { useSession } from '../../session/session.tsx'
import { EventChoices } from '../../webhooks/event-choices.tsx'

const sorts = [
  { value: 'all', name: 'The organization' },
  { value: 'agent', name: 'One agent' },
  { value: 'brain', name: 'One Brain' },
] as const
type Sort = (typeof sorts)[number]['value']

const atFirst: readonly string[] = ['run.completed', 'run.failed', 'task.created']

const toScope = (sort: Sort, chosen: string | undefined): WebhookScope | null => {
  if (sort === 'all') return null
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

type Given = { url: string; events: OrganizationEvent[]; scope: WebhookScope | null }

type FormProps = {
  names: Names | undefined
  webhook?: OrganizationWebhook
  submit: string
  onSubmit: (given: Given) => Promise<void>
  onClose: () => void
}

const toSort = (scope: WebhookScope | null | undefined): [Sort, string | undefined] => {
  if (!scope) return ['all', undefined]
  return 'brain' in scope ? ['brain', scope.brain] : ['agent', scope.agentId]
}

/** Where a webhook leads, and what it is told of. */
const WebhookForm = ({ names, webhook, submit, onSubmit, onClose }: FormProps) => {
  const [events, setEvents] = useState<OrganizationEvent[]>(() =>
    organizationEvents.filter((event) => (webhook?.events ?? atFirst).includes(event)),
  )
  const [[sort, chosen], setScope] = useState(() => toSort(webhook?.scope))
  const save = (form: FormData) => onSubmit({ url: textIn(form, 'url').trim(), events, scope: toScope(sort, chosen) })
  return (
    <Form submit={submit} onSubmit={save} aside={<Button onClick={onClose}>Cancel</Button>}>
      <TextInput
        label="Address"
        name="url"
        type="url"
        hint="https on a public host. Receivers in your own network are allowed by the operator: NOEMA_WEBHOOK_ALLOW."
        placeholder="https://hooks.example.com/noema"
        defaultValue={webhook?.url}
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

/** Changes a webhook that is there. */
export const ChangeWebhook = ({ webhook, onClose }: { webhook: OrganizationWebhook; onClose: () => void }) => {
  const session = useSession()
  const queries = useQueryClient()
  const { data: names } = useQuery(namesQuery(session))
  const change = async (given: Given) => {
    await session.client.webhooks.patch(webhook.id, given)
    await reloadOrganizationWebhooks(queries, session)
    onClose()
  }
  return (
    <Dialog
      isOpen
      title="Change the webhook"
      description="What waits goes to the new address. Events and scope hold for what happens from now on."
      onClose={onClose}
      size="wide"
    >
      <WebhookForm names={names} webhook={webhook} submit="Save" onSubmit={change} onClose={onClose} />
    </Dialog>
  )
}

/** Makes a webhook, and shows the secret that signs its deliveries, once. */
export const MakeWebhook = ({ names, onClose }: { names: Names | undefined; onClose: () => void }) => {
  const session = useSession()
  const queries = useQueryClient()
  const [secret, setSecret] = useState<string>()
  const make = async ({ scope, ...given }: Given) => {
    const made = await session.client.webhooks.create({ ...given, ...(scope && { scope }) })
    await reloadOrganizationWebhooks(queries, session)
    setSecret(made.secret)
  }
  return (
    <Dialog isOpen title={secret === undefined ? 'New webhook' : 'The webhook is made'} onClose={onClose} size="wide">
      {secret === undefined ? (
        <WebhookForm names={names} submit="Create webhook" onSubmit={make} onClose={onClose} />
      ) : (
        <NewSecret secret={secret} onKept={onClose} sort="signing" />
      )}
    </Dialog>
  )
}
