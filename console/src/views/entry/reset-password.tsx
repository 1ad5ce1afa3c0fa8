import { useState } from 'react'
import { Link, useLocation } from '../../address.tsx'
import { textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { NewPassword } from '../../components/new-password.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { AuthError } from '../../session/auth.ts'
import { resetPassword } from '../../session/entry-calls.ts'
import { EntryPage } from './entry-page.tsx'

const NewLink = () => (
  <p>
    A link works once, and for one hour. <Link to="/forgot-password">Ask for a new one</Link>.
  </p>
)

const Done = () => (
  <>
    <Notice tone="good" title="Your password is changed">
      <p>All sessions of your account have ended. Sign in with the new password.</p>
    </Notice>
    <Link to="/sign-in" className="button primary">
      Sign in
    </Link>
  </>
)

const isSpent = (error: unknown): boolean => error instanceof AuthError && error.code === 'INVALID_TOKEN'

/** Where the mailed link for a new password leads. */
export const ResetPassword = () => {
  const { search } = useLocation()
  const token = search.get('token')
  const [isDone, setDone] = useState(false)
  const submit = async (form: FormData) => {
    await resetPassword({ token: token ?? '', newPassword: textIn(form, 'password') })
    setDone(true)
  }
  return (
    <EntryPage title="Choose a new password">
      {isDone && <Done />}
      {!isDone && token === null && (
        <Notice tone="warning" title="This link cannot be used">
          <NewLink />
        </Notice>
      )}
      {!isDone && token !== null && (
        <Form
          submit="Change password"
          onSubmit={submit}
          failure={(error) => <FailureNotice error={error}>{isSpent(error) && <NewLink />}</FailureNotice>}
        >
          <NewPassword label="New password" />
        </Form>
      )}
    </EntryPage>
  )
}
