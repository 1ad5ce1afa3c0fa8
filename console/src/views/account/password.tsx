import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { TextInput, textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { NewPassword } from '../../components/new-password.tsx'
import { Panel } from '../../components/panel.tsx'
import { showToast } from '../../components/toast.ts'
import { useAction } from '../../components/use-action.ts'
import { changePassword, sessionsQuery } from '../../data/account.ts'
import { requestPasswordReset } from '../../session/entry-calls.ts'
import { useSession } from '../../session/session.tsx'

/** The password that something asks for again. */
export const CurrentPassword = ({ label = 'Your password' }: { label?: string }) => (
  <TextInput label={label} name="current" type="password" autoComplete="current-password" required />
)

const PasswordForm = ({ onDone }: { onDone: () => void }) => {
  const queries = useQueryClient()
  const save = async (form: FormData) => {
    await changePassword({ currentPassword: textIn(form, 'current'), newPassword: textIn(form, 'password') })
    await queries.invalidateQueries(sessionsQuery())
    showToast({ tone: 'good', title: 'Your password is changed', text: 'Every other session has ended.' })
    onDone()
  }
  return (
    <Form submit="Change password" onSubmit={save} aside={<Button onClick={onDone}>Cancel</Button>}>
      <CurrentPassword label="Current password" />
      <NewPassword label="New password" />
    </Form>
  )
}

/** Whoever came by the provider chooses a first password by mail: the session alone is not enough for that. */
const ByMail = () => {
  const { user } = useSession()
  const { run, isRunning } = useAction(async () => {
    await requestPasswordReset(user.email)
    showToast({
      tone: 'good',
      title: 'Look at your mail',
      text: `A link to choose a password is on its way to ${user.email}.`,
    })
  })
  return (
    <Button size="small" isBusy={isRunning} onClick={() => void run()}>
      Choose one by mail
    </Button>
  )
}

/** The password of the account, or how to have one. */
export const PasswordPanel = ({ hasPassword }: { hasPassword: boolean }) => {
  const [isOpen, setOpen] = useState(false)
  const change = (
    <Button size="small" onClick={() => setOpen(true)}>
      Change password
    </Button>
  )
  return (
    <Panel title="Password" actions={hasPassword ? !isOpen && change : <ByMail />}>
      {isOpen && <PasswordForm onDone={() => setOpen(false)} />}
      {!isOpen && (
        <p className="muted">
          {hasPassword
            ? 'A changed password ends every other session. Keys go on.'
            : 'This account has no password: it is signed in to in another way.'}
        </p>
      )}
    </Panel>
  )
}
