import { useState } from 'react'
import { Link, useLocation } from '../../address.tsx'
import { TextInput, textIn } from '../../components/field.tsx'
import { newPassword } from '../../components/new-password.ts'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { AuthError } from '../../session/auth.ts'
import { resetPassword } from '../../session/entry-calls.ts'
import { EntryForm } from './entry-form.tsx'
import { EntryPage } from './entry-page.tsx'

const NewLink = () => (
  <p>
    A link works once, and for one hour. <Link to="/forgot-password">Request a new one</Link>.
  </p>
)

const Done = () => (
  <>
    <Notice tone="good" title="Password changed">
      <p>All your sessions are signed out. Sign in with the new password.</p>
    </Notice>
    <Link to="/sign-in" className="button primary">
      Sign in
    </Link>
  </>
)

const isSpent = (error: unknown): boolean => error instanceof AuthError && error.code === 'INVALID_TOKEN'

/** The page of the emailed password link. */
export const ResetPassword = () => {
  const { search } = useLocation()
  const token = search.get('token')
  const [isDone, setDone] = useState(false)
  const submit = async (form: FormData) => {
    await resetPassword({ token: token ?? '', newPassword: textIn(form, 'password') })
    setDone(true)
  }
  return (
    <EntryPage title="Set a new password">
      {isDone && <Done />}
      {!isDone && token === null && (
        <Notice tone="warning" title="This link does not work">
          <NewLink />
        </Notice>
      )}
      {!isDone && token !== null && (
        <EntryForm
          submit="Change password"
          onSubmit={submit}
          failure={(error) => <FailureNotice error={error}>{isSpent(error) && <NewLink />}</FailureNotice>}
        >
          <TextInput label="New password" {...newPassword} />
        </EntryForm>
      )}
    </EntryPage>
  )
}
