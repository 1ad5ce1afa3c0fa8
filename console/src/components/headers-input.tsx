import { Button, IconButton } from './button.tsx'
import { TextInput } from './field.tsx'

/** A header to send: its value is a secret, and is never shown again. */
export type Header = { id: number; name: string; value: string }

/** Headers as the API takes them, without those that have no name. */
export const toHeaders = (headers: readonly Header[]): Record<string, string> =>
  Object.fromEntries(headers.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value]))

type HeadersInputProps = { headers: readonly Header[]; onChange: (headers: Header[]) => void }

/** Names and values of headers for every call of a server, such as its key. */
export const HeadersInput = ({ headers, onChange }: HeadersInputProps) => {
  const set = (id: number, part: Partial<Header>) =>
    onChange(headers.map((header) => (header.id === id ? { ...header, ...part } : header)))
  const add = () => onChange([...headers, { id: Math.max(0, ...headers.map(({ id }) => id)) + 1, name: '', value: '' }])
  return (
    <fieldset className="headers-input">
      <legend>Headers</legend>
      <p className="hint">Sent with every call. Values are encrypted and never shown again.</p>
      {headers.map(({ id, name, value }, index) => (
        <div key={id} className="header-line">
          <TextInput
            label={`Name of header ${index + 1}`}
            isLabelHidden
            isMono
            placeholder="X-Api-Key"
            autoComplete="off"
            value={name}
            onChange={({ target }) => set(id, { name: target.value })}
          />
          <TextInput
            label={`Value of header ${index + 1}`}
            isLabelHidden
            type="password"
            placeholder="value"
            autoComplete="new-password"
            value={value}
            onChange={({ target }) => set(id, { value: target.value })}
          />
          <IconButton
            icon="close"
            label={`Remove header ${index + 1}`}
            onClick={() => onChange(headers.filter((header) => header.id !== id))}
          />
        </div>
      ))}
      <Button size="small" icon="plus" onClick={add}>
        Add a header
      </Button>
    </fieldset>
  )
}
