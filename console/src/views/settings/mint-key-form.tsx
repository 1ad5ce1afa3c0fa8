import { useState } from 'react'
import { TextInput, textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { useSession } from '../../session/session.tsx'

const lifetimes = [
  ['', 'Never'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
] as const

const inDays = (days: string): string => new Date(Date.now() + Number(days) * 86_400_000).toISOString()

/** Mints a management key and hands over its secret. */
export const MintKeyForm = ({ onMinted }: { onMinted: (secret: string) => void }) => {
  const { client } = useSession()
  const [days, setDays] = useState('')
  const mint = async (form: FormData) => {
    const name = textIn(form, 'name').trim()
    const { secret } = await client.keys.mint(days === '' ? { name } : { name, expiresAt: inDays(days) })
    if (secret !== null) onMinted(secret)
  }
  return (
    <Form submit="Mint key" onSubmit={mint}>
      <TextInput
        label="Name"
        name="name"
        defaultValue="first-key"
        required
        maxLength={200}
        pattern=".*\S.*"
        autoComplete="off"
      />
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
    </Form>
  )
}
