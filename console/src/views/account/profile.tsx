import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { TextInput, textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { KeyValues } from '../../components/key-values.tsx'
import { Panel } from '../../components/panel.tsx'
import { showToast } from '../../components/toast.ts'
import { renameAccount } from '../../data/account.ts'
import { useAccount } from '../../session/account.tsx'
import { useSession } from '../../session/session.tsx'

const NameForm = ({ name, onDone }: { name: string; onDone: () => void }) => {
  const { refresh } = useAccount()
  const save = async (form: FormData) => {
    await renameAccount(textIn(form, 'name'))
    await refresh()
    showToast({ tone: 'good', title: 'Your name is changed' })
    onDone()
  }
  return (
    <Form submit="Save" onSubmit={save} aside={<Button onClick={onDone}>Cancel</Button>}>
      <TextInput label="Name" name="name" defaultValue={name} autoComplete="name" required maxLength={100} />
    </Form>
  )
}

/** Who somebody is here. The address stays: it is what the account was proven by. */
export const Profile = ({ provider }: { provider: string | undefined }) => {
  const { user } = useSession()
  const [isOpen, setOpen] = useState(false)
  const items = [
    ['Name', user.name || 'Not given'],
    ['Address', user.email],
    ['Confirmed', user.emailVerified ? 'Yes' : 'Not yet: open the link in the mail'],
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
