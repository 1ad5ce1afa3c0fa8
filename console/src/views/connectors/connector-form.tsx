import type { Connector } from '@noema/contracts/connectors.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { RadioGroup } from '../../components/choices.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextInput, textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
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

/** What becomes of the headers, as the API takes it: left out they stay, null removes them. */
const toSent = (act: HeaderAct, headers: readonly Header[]) => {
  if (act === 'keep') return {}
  return { headers: act === 'remove' ? null : toHeaders(headers) }
}

type ConnectorFormProps = { connector?: Connector; onSaved: (id: string) => void; onClose: () => void }

const useSave = ({ connector, onSaved }: ConnectorFormProps) => {
  const session = useSession()
  const queries = useQueryClient()
  return async (form: FormData, act: HeaderAct, headers: readonly Header[]) => {
    const { connectors } = session.client
    const body = { name: textIn(form, 'name').trim(), url: textIn(form, 'url').trim() }
    const { connector: saved } = connector
      ? await connectors.patch(connector.id, { ...body, ...toSent(act, headers) })
      : await connectors.create({ ...body, headers: toHeaders(headers) })
    await queries.invalidateQueries({ queryKey: connectorsKey(session) })
    onSaved(saved.id)
  }
}

const ConnectorForm = (props: ConnectorFormProps) => {
  const { connector, onClose } = props
  const kept = connector?.headers ?? []
  const [act, setAct] = useState<HeaderAct>(kept.length > 0 ? 'keep' : 'replace')
  const [headers, setHeaders] = useState<readonly Header[]>(() => kept.map((name, id) => ({ id, name, value: '' })))
  const save = useSave(props)
  return (
    <Form
      submit={connector ? 'Save connector' : 'Add connector'}
      onSubmit={(form) => save(form, act, headers)}
      aside={<Button onClick={onClose}>Cancel</Button>}
    >
      <TextInput
        label="Name"
        name="name"
        isMono
        required
        pattern="[a-z][a-z0-9_\-]{0,29}"
        title="a-z, 0-9, _ and -, beginning with a-z; at most 30"
        autoComplete="off"
        hint="The names of its tools begin with it where a model is told of them."
        defaultValue={connector?.name}
      />
      <TextInput
        label="URL"
        name="url"
        type="url"
        isMono
        required
        placeholder="https://tools.example.com/mcp"
        autoComplete="off"
        hint="The endpoint of an MCP server (streamable HTTP): https on a public host. The operator allows private hosts by NOEMA_CONNECTOR_ALLOW."
        defaultValue={connector?.url}
      />
      {kept.length > 0 && (
        <RadioGroup label="Its headers" options={toActs(kept.length)} value={act} onChange={setAct} isSegments />
      )}
      {act === 'replace' && <HeadersInput headers={headers} onChange={setHeaders} />}
    </Form>
  )
}

/** A connector: set up anew, or changed. */
export const ConnectorDialog = (props: ConnectorFormProps) => (
  <Dialog isOpen title={props.connector ? `Change ${props.connector.name}` : 'Add a connector'} onClose={props.onClose}>
    <ConnectorForm {...props} />
  </Dialog>
)
