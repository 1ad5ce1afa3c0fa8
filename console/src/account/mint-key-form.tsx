import { useState } from 'react'
import { Field, textIn } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { storeKey } from '../session/stored-key.ts'
import { useWorkspace } from '../session/workspace.tsx'

const lifetimes = [
  ['', 'Never'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
] as const

const inDays = (days: string): string => new Date(Date.now() + Number(days) * 86_400_000).toISOString()

/** Mints a management key; the page then holds its secret. */
export const MintKeyForm = ({ onMinted, asksExpiry = false }: { onMinted?: () => void; asksExpiry?: boolean }) => {
  const { sessionClient, organization } = useWorkspace()
  const [days, setDays] = useState('')
  const mint = async (form: FormData) => {
    const name = textIn(form, 'name').trim()
    const { key, secret } = await sessionClient.keys.mint(days === '' ? { name } : { name, expiresAt: inDays(days) })
    if (secret !== null) storeKey({ secret, organizationId: organization.id, name: key.name, id: key.id, isNew: true })
    onMinted?.()
  }
  return (
    <Form submit="Mint key" onSubmit={mint}>
      <Field
        label="Name"
        name="name"
        defaultValue="first-key"
        required
        maxLength={200}
        pattern=".*\S.*"
        autoComplete="off"
      />
      {asksExpiry && (
        <div className="field">
          <label htmlFor="key-expiry">Expires</label>
          <select id="key-expiry" value={days} onChange={({ target }) => setDays(target.value)}>
            {lifetimes.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </div>
      )}
    </Form>
  )
}
