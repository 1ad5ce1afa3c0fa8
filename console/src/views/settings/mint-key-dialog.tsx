import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Select, TextInput, textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { useSession } from '../../session/session.tsx'

const lifetimes = [
  { value: '30', name: 'In 30 days' },
  { value: '90', name: 'In 90 days' },
  { value: '365', name: 'In a year' },
  { value: 'day', name: 'At the end of a day' },
  { value: 'never', name: 'Never' },
] as const
type Lifetime = (typeof lifetimes)[number]['value']

const toExpiry = (lifetime: Lifetime, day: string): string | undefined => {
  if (lifetime === 'never') return undefined
  if (lifetime === 'day') return new Date(`${day}T23:59:59`).toISOString()
  return new Date(Date.now() + Number(lifetime) * 86_400_000).toISOString()
}

const tomorrow = (): string => new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)

/** A key that was just minted: its secret is shown once. */
export type Minted = { name: string; secret: string }

/** Mints a management key and hands over its secret. */
export const MintKeyDialog = ({ onClose, onMinted }: { onClose: () => void; onMinted: (minted: Minted) => void }) => {
  const { client } = useSession()
  const [lifetime, setLifetime] = useState<Lifetime>('90')
  const mint = async (form: FormData) => {
    const name = textIn(form, 'name').trim()
    const expiresAt = toExpiry(lifetime, textIn(form, 'day'))
    const { secret } = await client.keys.mint({ name, ...(expiresAt !== undefined && { expiresAt }) })
    onClose()
    if (secret !== null) onMinted({ name, secret })
  }
  return (
    <Dialog isOpen title="Mint a management key" onClose={onClose} size="small">
      <Form submit="Mint key" onSubmit={mint} aside={<Button onClick={onClose}>Cancel</Button>}>
        <TextInput
          label="Name"
          name="name"
          placeholder="ci"
          hint="What uses it, so that you know it again."
          required
          maxLength={200}
          pattern=".*\S.*"
          autoComplete="off"
        />
        <Select label="Ends" options={lifetimes} value={lifetime} onChange={setLifetime} />
        {lifetime === 'day' && (
          <TextInput label="Last day" name="day" type="date" min={tomorrow()} defaultValue={tomorrow()} required />
        )}
      </Form>
    </Dialog>
  )
}
