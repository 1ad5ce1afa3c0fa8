import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm, useFormValue } from '../../components/form/use-contract-form.ts'
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

/** A new key. Its secret is shown once. */
export type Minted = { name: string; secret: string }

type Values = { name: string; lifetime: Lifetime; day: string }

/** Creates a management key and returns its secret. */
export const MintKeyDialog = ({ onClose, onMinted }: { onClose: () => void; onMinted: (minted: Minted) => void }) => {
  const { client } = useSession()
  const form = useContractForm({
    initial: { name: '', lifetime: '90', day: tomorrow() } as Values,
    contract: async () => (await import('@noema/contracts/keys.ts')).mintManagementKey.body,
    paths: { day: 'expiresAt' },
    toBody: ({ name, lifetime, day }) => {
      const expiresAt = toExpiry(lifetime, day)
      return { name: name.trim(), ...(expiresAt !== undefined && { expiresAt }) }
    },
    submit: async (body) => {
      const { secret } = await client.keys.mint(body)
      onClose()
      if (secret !== null) onMinted({ name: body.name, secret })
    },
  })
  return (
    <Dialog isOpen title="Mint a management key" onClose={onClose} size="small">
      <Form form={form} submit="Mint key" onCancel={onClose}>
        <form.Text
          label="Name"
          name="name"
          placeholder="ci"
          hint="The program that uses the key, so that you recognize it later."
          required
          autoComplete="off"
        />
        <form.Select label="Expires" name="lifetime" options={lifetimes} />
        {useFormValue(form, 'lifetime') === 'day' && (
          <form.Date label="Last day" name="day" min={tomorrow()} required />
        )}
      </Form>
    </Dialog>
  )
}
