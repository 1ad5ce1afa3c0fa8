import type { OrganizationEvent, OrganizationWebhook, WebhookScope } from '@noema/contracts/organization-webhooks.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Combobox } from '../../components/combobox.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { FieldProblem } from '../../components/form/problems.ts'
import { type ContractForm, useContractForm, useFormValue } from '../../components/form/use-contract-form.ts'
import { NewSecret } from '../../components/secret.tsx'
import { type Names, namesQuery } from '../../data/names.ts'
import { organizationEvents, reloadOrganizationWebhooks } from '../../data/organization-webhooks.ts'
import { useSession } from '../../session/session.tsx'
import { EventChoices } from '../../webhooks/event-choices.tsx'
import { WebhookUrl } from '../../webhooks/webhook-url.tsx'

const scopes = [
  { value: 'all', name: 'The organization' },
  { value: 'agent', name: 'One agent' },
  { value: 'brain', name: 'One Brain' },
] as const

const defaultEvents: readonly string[] = ['run.completed', 'run.failed', 'task.created']

type Values = {
  url: string
  events: OrganizationEvent[]
  scope: (typeof scopes)[number]['value']
  agent: string | undefined
  brain: string | undefined
}

const toValues = (webhook: OrganizationWebhook | undefined): Values => {
  const scope: Partial<Record<'brain' | 'agentId', string>> = webhook?.scope ?? {}
  const events = webhook?.events ?? defaultEvents
  const { brain, agentId: agent } = scope
  return {
    url: webhook?.url ?? '',
    events: organizationEvents.filter((event) => events.includes(event)),
    scope: brain ? 'brain' : agent ? 'agent' : 'all',
    agent,
    brain,
  }
}

const toScope = ({ scope, agent, brain }: Values): WebhookScope | null => {
  if (scope === 'all') return null
  if (scope === 'agent' && agent !== undefined) return { agentId: agent }
  if (scope === 'brain' && brain !== undefined) return { brain }
  throw new FieldProblem(scope, `Choose ${scope === 'agent' ? 'an agent' : 'a Brain'}.`)
}

/** The events of everything, or of one agent or Brain. */
const ScopeChoice = ({ form, names }: { form: ContractForm<Values>; names: Names | undefined }) => {
  const scope = useFormValue(form, 'scope')
  return (
    <>
      <form.Radio label="Scope" name="scope" options={scopes} isSegments />
      {scope === 'agent' && (
        <form.Field name="agent" hasOwnError>
          {({ value, set, error }) => (
            <Combobox
              label="Agent"
              items={(names?.agents ?? []).map(({ id, name }) => ({ value: id, name }))}
              value={value}
              error={error}
              onChange={set}
            />
          )}
        </form.Field>
      )}
      {scope === 'brain' && (
        <form.Field name="brain" hasOwnError>
          {({ value, set, error }) => (
            <Combobox
              label="Brain"
              items={(names?.brains ?? []).map((handle) => ({ value: handle, name: handle }))}
              value={value}
              error={error}
              onChange={set}
            />
          )}
        </form.Field>
      )}
    </>
  )
}

type Given = { url: string; events: OrganizationEvent[]; scope: WebhookScope | null }

type FormProps = {
  names: Names | undefined
  webhook?: OrganizationWebhook
  submit: string
  onSubmit: (given: Given, changed: Partial<Given>) => Promise<void>
  onClose: () => void
}

/** The URL of a webhook, its events and its scope. */
const WebhookForm = ({ names, webhook, submit, onSubmit, onClose }: FormProps) => {
  const form = useContractForm({
    initial: toValues(webhook),
    contract: async () => (await import('@noema/contracts/organization-webhooks.ts')).patchOrganizationWebhook.body,
    paths: { agent: 'scope.agentId', brain: 'scope.brain' },
    toBody: (values) => ({ url: values.url.trim(), events: values.events, scope: toScope(values) }),
    edits: webhook && {},
    submit: (body, _values, changed) => onSubmit(body, changed),
  })
  return (
    <Form form={form} submit={submit} onCancel={onClose}>
      <WebhookUrl form={form} />
      <form.Field name="events">
        {({ value, set }) => (
          <EventChoices
            events={organizationEvents}
            chosen={value}
            onChange={set}
            hint="Only selected events are sent."
          />
        )}
      </form.Field>
      <ScopeChoice form={form} names={names} />
    </Form>
  )
}

/** Edits a webhook. */
export const ChangeWebhook = ({ webhook, onClose }: { webhook: OrganizationWebhook; onClose: () => void }) => {
  const session = useSession()
  const queries = useQueryClient()
  const { data: names } = useQuery(namesQuery(session))
  const change = async (_given: Given, changed: Partial<Given>) => {
    await session.client.webhooks.patch(webhook.id, changed)
    await reloadOrganizationWebhooks(queries, session)
    onClose()
  }
  return (
    <Dialog
      isOpen
      title="Edit webhook"
      description="Pending deliveries go to the new URL. Events and scope apply to new events only."
      onClose={onClose}
      size="wide"
    >
      <WebhookForm names={names} webhook={webhook} submit="Save" onSubmit={change} onClose={onClose} />
    </Dialog>
  )
}

/** Creates a webhook and shows its signing secret once. */
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
    <Dialog isOpen title={secret === undefined ? 'New webhook' : 'Webhook created'} onClose={onClose} size="wide">
      {secret === undefined ? (
        <WebhookForm names={names} submit="Create webhook" onSubmit={make} onClose={onClose} />
      ) : (
        <NewSecret secret={secret} onKept={onClose} sort="signing" />
      )}
    </Dialog>
  )
}
