import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { newPassword } from '../../components/new-password.ts'
import { Panel } from '../../components/panel.tsx'
import { showToast } from '../../components/toast.ts'
import { useAction } from '../../components/use-action.ts'
import { changePassword, sessionsQuery } from '../../data/account.ts'
import { requestPasswordReset } from '../../session/entry-calls.ts'
import { useSession } from '../../session/session.tsx'

/** The input of the current password, as proof for an act. */
export const currentPassword = { type: 'password', autoComplete: 'current-password', required: true } as const

const PasswordForm = ({ onDone }: { onDone: () => void }) => {
  const queries = useQueryClient()
  const form = useContractForm({
    initial: { current: '', password: '' },
    toBody: ({ current, password }) => ({ currentPassword: current, newPassword: password }),
    submit: async (body) => {
      await changePassword(body)
      await queries.invalidateQueries(sessionsQuery())
      showToast({ tone: 'good', title: 'Password changed', text: 'All your other sessions are signed out.' })
      onDone()
    },
  })
  return (
    <Form form={form} submit="Change password" aside={<Button onClick={onDone}>Cancel</Button>}>
      <form.Text label="Current password" name="current" {...currentPassword} />
      <form.Text label="New password" {...newPassword} />
    </Form>
  )
}

/** An account of a sign-in provider sets its first password by email: the session alone is not enough proof. */
const ByMail = () => {
  const { user } = useSession()
  const { run, isRunning } = useAction(async () => {
    await requestPasswordReset(user.email)
    showToast({
      tone: 'good',
      title: 'Check your email',
      text: `We sent a link to set a password to ${user.email}.`,
    })
  })
  return (
    <Button size="small" isBusy={isRunning} onClick={() => void run()}>
      Set a password by email
    </Button>
  )
}

/** Changes the password of the account, or sets the first one. */
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
            ? 'Changing your password signs out all your other sessions. Keys stay valid.'
            : 'This account has no password. You sign in another way.'}
        </p>
      )}
    </Panel>
  )
}
