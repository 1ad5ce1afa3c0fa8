import { useState } from 'react'
import { Link, navigate, useLocation } from '../../address.tsx'
import { TextInput, textIn } from '../../components/field.tsx'
import { Loading } from '../../components/loading.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { entryPath, nextPath } from '../../pages.ts'
import { useAccount } from '../../session/account.tsx'
import { AuthError } from '../../session/auth.ts'
import { signIn } from '../../session/entry-calls.ts'
import { useMethods } from '../../session/use-methods.ts'
import { wantsCode } from '../../session/ways-in.ts'
import { CodeStep } from './code-step.tsx'
import { EntryForm } from './entry-form.tsx'
import { EntryPage } from './entry-page.tsx'
import { LinkOutcome } from './link-outcome.tsx'
import { OtherWays } from './other-ways.tsx'
import { isOfProvider, ProviderOutcome } from './provider-outcome.tsx'
import { ResendVerification } from './resend-verification.tsx'
import { RequestUnlock, UnlockOutcome } from './unlock.tsx'

const Unconfirmed = ({ email }: { email: string }) => (
  <Notice tone="warning" title="Confirm your address first">
    <p>
      We emailed a link to <strong>{email}</strong> when you signed up. If no mail server is set up, the link is in the
      service’s log.
    </p>
    <ResendVerification email={email} />
  </Notice>
)

const Failure = ({ error, email }: { error: unknown; email: string }) => {
  const code = error instanceof AuthError ? error.code : undefined
  if (code === 'EMAIL_NOT_VERIFIED') return <Unconfirmed email={email} />
  return (
    <>
      <FailureNotice error={error} />
      {code === 'TOO_MANY_REQUESTS' && <RequestUnlock email={email} />}
    </>
  )
}

const Outcome = () => (isOfProvider(useLocation().search) ? <ProviderOutcome /> : <LinkOutcome />)

type PasswordProps = { onCode: () => void; onDone: () => Promise<void> }

const PasswordForm = ({ onCode, onDone }: PasswordProps) => {
  const url = useLocation()
  const [email, setEmail] = useState('')
  const submit = async (form: FormData) => {
    setEmail(textIn(form, 'email'))
    const answer = await signIn({ email: textIn(form, 'email'), password: textIn(form, 'password') })
    if (wantsCode(answer)) onCode()
    else await onDone()
  }
  return (
    <EntryForm
      submit="Sign in"
      onSubmit={submit}
      failure={(error) => <Failure error={error} email={email} />}
      aside={
        <span>
          New here? <Link to={entryPath('/sign-up', url)}>Create an account</Link>
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
    </EntryForm>
  )
}

export const SignIn = () => {
  const url = useLocation()
  const { refresh } = useAccount()
  const methods = useMethods()
  // The provider redirects back to this page if the account requires a code.
  const [isCodeRequired, setCodeRequired] = useState(url.search.get('error') === 'two_factor_required')
  const next = nextPath(url)
  const finish = async () => {
    await refresh()
    navigate(next, { replace: true })
  }
  if (isCodeRequired) return <CodeStep onDone={finish} onStartOver={() => setCodeRequired(false)} />
  return (
    <EntryPage title="Sign in">
      <Outcome />
      <UnlockOutcome />
      {methods ? <OtherWays methods={methods} next={next} onDone={finish} /> : <Loading />}
      {methods?.password && <PasswordForm onCode={() => setCodeRequired(true)} onDone={finish} />}
    </EntryPage>
  )
}
