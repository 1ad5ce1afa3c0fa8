import type { Provider, ProviderKind } from '@noema/contracts/providers.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Dialog } from '../../components/dialog.tsx'
import { Select } from '../../components/field.tsx'
import { Form } from '../../components/form/form.tsx'
import { type ContractForm, useContractForm, useFormValue } from '../../components/form/use-contract-form.ts'
import { type Header, HeadersInput, toHeaders } from '../../components/headers-input.tsx'
import { Notice } from '../../components/notice.tsx'
import { providersKey } from '../../data/providers.ts'
import { useSession } from '../../session/session.tsx'
import { kindNames, presets, usualAddresses } from './provider-words.ts'

const kinds = (['openai', 'anthropic', 'google', 'openai-compatible'] as const satisfies readonly ProviderKind[]).map(
  (kind) => ({ value: kind, name: kindNames[kind] }),
)

const custom = { value: '', name: 'Another service' }

type Values = { name: string; kind: ProviderKind; baseUrl: string; apiKey: string; headers: Header[] }

const toValues = (provider: Provider | undefined): Values => ({
  name: provider?.name ?? 'openai',
  kind: provider?.kind ?? 'openai',
  baseUrl: provider?.baseUrl ?? '',
  apiKey: '',
  headers: (provider?.headers ?? []).map((name, id) => ({ id, name, value: '' })),
})

const toBody = ({ kind, baseUrl, headers, apiKey }: Values) => {
  const sent = toHeaders(headers)
  return {
    kind,
    ...(baseUrl.trim() !== '' && { baseUrl: baseUrl.trim() }),
    ...(apiKey !== '' && { apiKey }),
    ...(Object.keys(sent).length > 0 && { headers: sent }),
  }
}

const PresetChoice = ({ form }: { form: ContractForm<Values> }) => {
  const name = useFormValue(form, 'name')
  const prefill = (value: string) => {
    const preset = presets.find((one) => one.value === value)
    // Nearly every other service has the API of OpenAI at a URL of its own.
    form.set('name', preset?.value ?? '')
    form.set('kind', preset?.kind ?? 'openai-compatible')
    form.set('baseUrl', preset?.baseUrl ?? '')
  }
  return (
    <Select
      label="Service"
      options={[...presets, custom]}
      value={presets.find(({ value }) => value === name)?.value ?? ''}
      onChange={prefill}
    />
  )
}

const AddressFields = ({ form, isNew }: { form: ContractForm<Values>; isNew: boolean }) => {
  const name = useFormValue(form, 'name')
  const usual = usualAddresses[useFormValue(form, 'kind')]
  return (
    <>
      {isNew && <PresetChoice form={form} />}
      <div className="form-pair">
        <form.Text
          label="Name"
          name="name"
          isMono
          required
          readOnly={!isNew}
          autoComplete="off"
          hint={`Models are named ${name || 'name'}/model.`}
        />
        <form.Select label="API" name="kind" options={kinds} />
      </div>
      <form.Text
        label="Base URL"
        name="baseUrl"
        type="url"
        isMono
        required={usual === undefined}
        placeholder={usual ?? 'https://…/v1'}
        hint="https on a public host. The operator allows private hosts with NOEMA_PROVIDER_ALLOW."
        autoComplete="off"
      />
    </>
  )
}

type ProviderFormProps = { provider?: Provider; onSaved: (name: string) => void; onClose: () => void }

const useSave = ({ provider, onSaved }: ProviderFormProps) => {
  const session = useSession()
  const queries = useQueryClient()
  return useContractForm({
    initial: toValues(provider),
    contract: async () => (await import('@noema/contracts/providers.ts')).putProvider.body,
    toBody,
    submit: async (body, { name }) => {
      await session.client.providers.put(name, body)
      await queries.invalidateQueries({ queryKey: providersKey(session) })
      onSaved(name)
    },
  })
}

const ProviderForm = (props: ProviderFormProps) => {
  const { provider, onClose } = props
  const form = useSave(props)
  const isKeyless = useFormValue(form, 'kind') === 'openai-compatible'
  return (
    <Form form={form} submit={provider ? 'Replace provider' : 'Add provider'} onCancel={onClose}>
      {provider && (
        <Notice>
          <p>
            This replaces the whole provider. Enter its key and headers again, so that they cannot go to another URL
            unnoticed.
          </p>
        </Notice>
      )}
      <AddressFields form={form} isNew={provider === undefined} />
      <form.Text
        label="API key"
        name="apiKey"
        type="password"
        required={!isKeyless}
        autoComplete="new-password"
        hint={`${isKeyless ? 'Leave empty if the server needs none. ' : ''}Encrypted, and never shown again.`}
      />
      <form.Field name="headers">{({ value, set }) => <HeadersInput headers={value} onChange={set} />}</form.Field>
    </Form>
  )
}

/** Adds a provider, or replaces one as a whole. */
export const ProviderDialog = (props: ProviderFormProps) => (
  <Dialog isOpen title={props.provider ? `Replace ${props.provider.name}` : 'Add a provider'} onClose={props.onClose}>
    <ProviderForm {...props} />
  </Dialog>
)
