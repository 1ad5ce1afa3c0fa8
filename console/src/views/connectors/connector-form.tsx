import type { Connector } from '@noema/contracts/connectors.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm, useFormValue } from '../../components/form/use-contract-form.ts'
import { type Header, HeadersInput, toHeaders } from '../../components/headers-input.tsx'
import { connectorsKey } from '../../data/connectors.ts'
import { useSession } from '../../session/session.tsx'

type HeaderAct = 'keep' | 'replace' | 'remove'

const toActs = (count: number) =>
  [
    { value: 'keep', name: count === 1 ? 'Keep the header' : `Keep the ${count} headers` },
    { value: 'replace', name: 'Replace' },
    { value: 'remove', name: 'Remove' },
  ] as const satisfies readonly { value: HeaderAct; name: string }[]

type Values = { name: string; url: string; act: HeaderAct; headers: Header[] }

const toValues = (connector: Connector | undefined): Values => {
  const names = connector?.headers ?? []
  return {
    name: connector?.name ?? '',
    url: connector?.url ?? '',
    act: names.length > 0 ? 'keep' : 'replace',
    headers: names.map((name, id) => ({ id, name, value: '' })),
  }
}

/** The API keeps headers that are left out, and removes them for null. */
const toBody = ({ name, url, act, headers }: Values) => ({
  name: name.trim(),
  url: url.trim(),
  ...(act !== 'keep' && { headers: act === 'remove' ? null : toHeaders(headers) }),
})

type ConnectorFormProps = { connector?: Connector; onSaved: (id: string) => void; onClose: () => void }

const useSave = ({ connector, onSaved }: ConnectorFormProps) => {
  const session = useSession()
  const queries = useQueryClient()
  return useContractForm({
    initial: toValues(connector),
    contract: async () => (await import('@noema/contracts/connectors.ts')).patchConnector.body,
    toBody,
    edits: connector && {},
    submit: async ({ headers, ...body }, _values, changed) => {
      const { connectors } = session.client
      const { connector: saved } = connector
        ? await connectors.patch(connector.id, changed)
        : await connectors.create({ ...body, ...(headers && { headers }) })
      await queries.invalidateQueries({ queryKey: connectorsKey(session) })
      onSaved(saved.id)
    },
  })
}

const ConnectorForm = (props: ConnectorFormProps) => {
  const { connector, onClose } = props
  const count = connector?.headers.length ?? 0
  const form = useSave(props)
  return (
    <Form form={form} submit={connector ? 'Save connector' : 'Add connector'} onCancel={onClose}>
      <form.Text
        label="Name"
        name="name"
        isMono
        required
        autoComplete="off"
        hint="Models see it as the prefix of the connector's tools."
      />
      <form.Text
        label="URL"
        name="url"
        type="url"
        isMono
        required
        placeholder="https://tools.example.com/mcp"
        autoComplete="off"
        hint="The endpoint of an MCP server (streamable HTTP): https on a public host. The operator allows private hosts with NOEMA_CONNECTOR_ALLOW."
      />
      {count > 0 && <form.Radio label="Headers" name="act" options={toActs(count)} isSegments />}
      {useFormValue(form, 'act') === 'replace' && (
        <form.Field name="headers">{({ value, set }) => <HeadersInput headers={value} onChange={set} />}</form.Field>
      )}
    </Form>
  )
}

/** Adds a connector, or edits one. */
export const ConnectorDialog = (props: ConnectorFormProps) => (
  <Dialog isOpen title={props.connector ? `Edit ${props.connector.name}` : 'Add a connector'} onClose={props.onClose}>
    <ConnectorForm {...props} />
  </Dialog>
)
