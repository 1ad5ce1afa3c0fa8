import type { Provider, ProviderKind } from '@noema/contracts/providers.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Select, TextInput, textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { type Header, HeadersInput, toHeaders } from '../../components/headers-input.tsx'
import { Notice } from '../../components/notice.tsx'
import { providersKey } from '../../data/providers.ts'
import { useSession } from '../../session/session.tsx'
import { kindNames, presets, usualAddresses } from './provider-words.ts'

const kinds = (['openai', 'anthropic', 'google', 'openai-compatible'] as const satisfies readonly ProviderKind[]).map(
  (kind) => ({ value: kind, name: kindNames[kind] }),
)

const ownChoice = { value: '', name: 'Something else' }

type Choice = { name: string; kind: ProviderKind; baseUrl: string; headers: readonly Header[] }

const toFirstChoice = (provider: Provider | undefined): Choice => ({
  name: provider?.name ?? 'openai',
  kind: provider?.kind ?? 'openai',
  baseUrl: provider?.baseUrl ?? '',
  headers: (provider?.headers ?? []).map((name, id) => ({ id, name, value: '' })),
})

const toBody = ({ kind, baseUrl, headers }: Choice, apiKey: string) => {
  const sent = toHeaders(headers)
  return {
    kind,
    ...(baseUrl.trim() !== '' && { baseUrl: baseUrl.trim() }),
    ...(apiKey !== '' && { apiKey }),
    ...(Object.keys(sent).length > 0 && { headers: sent }),
  }
}

type FieldsProps = { provider: Provider | undefined; choice: Choice; onChange: (part: Partial<Choice>) => void }

const AddressFields = ({ provider, choice, onChange }: FieldsProps) => {
  const usual = usualAddresses[choice.kind]
  const prefill = (value: string) => {
    const preset = presets.find((one) => one.value === value)
    onChange(preset ? { name: preset.value, kind: preset.kind, baseUrl: preset.baseUrl } : { name: '' })
  }
  return (
    <>
      {!provider && (
        <Select
          label="Service"
          options={[...presets, ownChoice]}
          value={presets.find(({ value }) => value === choice.name)?.value ?? ''}
          onChange={prefill}
        />
      )}
      <div className="form-pair">
        <TextInput
          label="Name"
          isMono
          required
          readOnly={provider !== undefined}
          pattern="[a-z0-9][a-z0-9_\-]{0,62}"
          title="a-z, 0-9, _ and -, beginning with a-z or 0-9"
          autoComplete="off"
          hint={`Models are named ${choice.name || 'name'}/model.`}
          value={choice.name}
          onChange={({ target }) => onChange({ name: target.value })}
        />
        <Select label="API" options={kinds} value={choice.kind} onChange={(kind) => onChange({ kind })} />
      </div>
      <TextInput
        label="Base URL"
        type="url"
        isMono
        required={usual === undefined}
        placeholder={usual ?? 'https://…/v1'}
        hint="https on a public host. The operator allows private hosts by NOEMA_PROVIDER_ALLOW."
        autoComplete="off"
        value={choice.baseUrl}
        onChange={({ target }) => onChange({ baseUrl: target.value })}
      />
    </>
  )
}

type ProviderFormProps = { provider?: Provider; onSaved: (name: string) => void; onClose: () => void }

const ProviderForm = ({ provider, onSaved, onClose }: ProviderFormProps) => {
  const session = useSession()
  const queries = useQueryClient()
  const [choice, setChoice] = useState(() => toFirstChoice(provider))
  const set = (part: Partial<Choice>) => setChoice((before) => ({ ...before, ...part }))
  const save = async (form: FormData) => {
    await session.client.providers.put(choice.name, toBody(choice, textIn(form, 'apiKey')))
    await queries.invalidateQueries({ queryKey: providersKey(session) })
    onSaved(choice.name)
  }
  return (
    <Form
      submit={provider ? 'Replace provider' : 'Add provider'}
      onSubmit={save}
      aside={<Button onClick={onClose}>Cancel</Button>}
    >
      {provider && (
        <Notice>
          <p>It is replaced as a whole: give its key and headers again, so that none goes to another address unseen.</p>
        </Notice>
      )}
      <AddressFields provider={provider} choice={choice} onChange={set} />
      <TextInput
        label="API key"
        name="apiKey"
        type="password"
        required={choice.kind !== 'openai-compatible'}
        autoComplete="new-password"
        hint={
          choice.kind === 'openai-compatible'
            ? 'Left out where the server wants none. Encrypted, and never shown again.'
            : 'Encrypted, and never shown again.'
        }
      />
      <HeadersInput headers={choice.headers} onChange={(headers) => set({ headers })} />
    </Form>
  )
}

/** A provider: set up anew, or replaced as a whole. */
export const ProviderDialog = (props: ProviderFormProps) => (
  <Dialog isOpen title={props.provider ? `Replace ${props.provider.name}` : 'Add a provider'} onClose={props.onClose}>
    <ProviderForm {...props} />
  </Dialog>
)
