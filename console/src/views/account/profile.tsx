import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { KeyValues } from '../../components/key-values.tsx'
import { Panel } from '../../components/panel.tsx'
import { showToast } from '../../components/toast.ts'
import { renameAccount } from '../../data/account.ts'
import { useAccount } from '../../session/account.tsx'
import { useSession } from '../../session/session.tsx'

const NameForm = ({ name, onDone }: { name: string; onDone: () => void }) => {
  const { refresh } = useAccount()
  const form = useContractForm({
    initial: { name },
    toBody: (values) => values.name,
    submit: async (given) => {
      await renameAccount(given)
      await refresh()
      showToast({ tone: 'good', title: 'Name changed' })
      onDone()
    },
  })
  return (
    <Form form={form} submit="Save" aside={<Button onClick={onDone}>Cancel</Button>}>
      <form.Text label="Name" name="name" autoComplete="name" required maxLength={100} />
    </Form>
  )
}

/** The name and email address of the account. The address cannot change: it proves who owns the account. */
export const Profile = ({ provider }: { provider: string | undefined }) => {
  const { user } = useSession()
  const [isOpen, setOpen] = useState(false)
  const items = [
    ['Name', user.name || 'Not given'],
    ['Email', user.email],
    ['Confirmed', user.emailVerified ? 'Yes' : 'Not yet: open the link in the email'],
    ...(provider === undefined ? [] : [['Linked to', provider] as const]),
  ] as const
  return (
    <Panel
      title="Profile"
      actions={
        !isOpen && (
          <Button size="small" onClick={() => setOpen(true)}>
            Change name
          </Button>
        )
      }
    >
      {isOpen ? <NameForm name={user.name} onDone={() => setOpen(false)} /> : <KeyValues items={items} />}
    </Panel>
  )
}
