import { useState } from 'react'
import { Link, navigate, useLocation } from '../../address.tsx'
import { TextInput, textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { entryPath, nextPath } from '../../pages.ts'
import { useAccount } from '../../session/account.tsx'
import { AuthError, signIn } from '../../session/auth.ts'
import { EntryPage } from './entry-page.tsx'
import { LinkOutcome } from './link-outcome.tsx'
import { ResendVerification } from './resend-verification.tsx'

const Unconfirmed = ({ email }: { email: string }) => (
  <Notice tone="warning" title="Confirm your address first">
    <p>
      A link was mailed to <strong>{email}</strong> when you signed up. Where no mail server is set up, the link is in
      the service’s log instead.
    </p>
    <ResendVerification email={email} />
  </Notice>
)

export const SignIn = () => {
  const place = useLocation()
  const { refresh } = useAccount()
  const [email, setEmail] = useState('')
  const submit = async (form: FormData) => {
    setEmail(textIn(form, 'email'))
    await signIn({ email: textIn(form, 'email'), password: textIn(form, 'password') })
    await refresh()
    navigate(nextPath(place), { replace: true })
  }
  return (
    <EntryPage title="Sign in">
      <LinkOutcome />
      <Form
        submit="Sign in"
        onSubmit={submit}
        failure={(error) =>
          error instanceof AuthError && error.code === 'EMAIL_NOT_VERIFIED' ? (
            <Unconfirmed email={email} />
          ) : (
            <FailureNotice error={error} />
          )
        }
        aside={
          <span>
            New here? <Link to={entryPath('/sign-up', place)}>Create an account</Link>
          </span>
        }
      >
        <TextInput label="Email" name="email" type="email" autoComplete="username" required />
        <TextInput
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          required
          hint={<Link to="/forgot-password">Forgot your password?</Link>}
        />
      </Form>
    </EntryPage>
  )
}
