import { Link, navigate, useLocation } from '../../address.tsx'
import { TextInput, textIn } from '../../components/field.tsx'
import { newPassword } from '../../components/new-password.ts'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { entryPath, nextPath } from '../../pages.ts'
import { useAccount } from '../../session/account.tsx'
import { AuthError } from '../../session/auth.ts'
import { signUp } from '../../session/entry-calls.ts'
import { useMethods } from '../../session/use-methods.ts'
import type { Methods } from '../../session/ways-in.ts'
import { EntryForm } from './entry-form.tsx'
import { EntryPage } from './entry-page.tsx'
import { LinkOutcome } from './link-outcome.tsx'
import { OtherWays } from './other-ways.tsx'
import { SignIn } from './sign-in.tsx'

const hasCode = (error: unknown, code: string): boolean => error instanceof AuthError && error.code.startsWith(code)

/** The service's own words about invitations are for programs. */
const Failure = ({ error, signInPath }: { error: unknown; signInPath: string }) =>
  hasCode(error, 'SIGN_UP_INVITED') ? (
    <Notice tone="danger" title="You need an invitation to create an account here">
      <p>Check the access code, or open the link of your invitation again: it works for its own email address.</p>
    </Notice>
  ) : (
    <FailureNotice error={error}>
      {hasCode(error, 'USER_ALREADY_EXISTS') && (
        <p>
          Is it yours? <Link to={signInPath}>Sign in</Link> instead.
        </p>
      )}
    </FailureNotice>
  )

/** An emailed link fills in its code. Other people open the field to enter one, unless it is required. */
const InviteCode = ({ code, isNeeded }: { code: string | null; isNeeded: boolean }) => {
  const field = (
    <TextInput
      label="Access code"
      name="inviteCode"
      defaultValue={code ?? undefined}
      autoComplete="off"
      maxLength={100}
      hint={isNeeded ? 'You need one to create an account here.' : 'It sets your limits. You can continue without one.'}
      required={isNeeded}
      isMono
    />
  )
  if (code || isNeeded) return field
  return (
    <details>
      <summary>I have an access code</summary>
      {field}
    </details>
  )
}

/** The id of the invitation that the page leads to after the sign-up. */
const findInvitation = (next: string): string | undefined => {
  const { pathname, searchParams } = new URL(next, location.origin)
  return pathname.endsWith('/accept-invitation') ? (searchParams.get('id') ?? undefined) : undefined
}

const Closed = ({ methods, next, signInPath }: { methods: Methods; next: string; signInPath: string }) => (
  <EntryPage title="Create your account">
    <OtherWays methods={methods} next={next} />
    <Notice title="Sign-up is closed">
      <p>
        The operator of this service creates accounts. <Link to="/request-access">Ask for access</Link>, or{' '}
        <Link to={signInPath}>sign in</Link>.
      </p>
    </Notice>
  </EntryPage>
)

export const SignUp = () => {
  const url = useLocation()
  const { refresh } = useAccount()
  const invitationId = findInvitation(nextPath(url))
  const submit = async (form: FormData) => {
    const inviteCode = textIn(form, 'inviteCode')
    await signUp({
      name: textIn(form, 'name'),
      email: textIn(form, 'email'),
      password: textIn(form, 'password'),
      ...(inviteCode && { inviteCode }),
      ...(invitationId !== undefined && { invitationId }),
    })
    await refresh()
    navigate(nextPath(url), { replace: true })
  }
  const methods = useMethods()
  if (methods?.password === false) return <SignIn />
  const signInPath = entryPath('/sign-in', url)
  if (methods?.signUp === 'closed') return <Closed methods={methods} next={nextPath(url)} signInPath={signInPath} />
  return (
    <EntryPage title="Create your account" lead="Knowledge stores for your agents, on your own server.">
      <LinkOutcome />
      {methods && <OtherWays methods={methods} next={nextPath(url)} />}
      <EntryForm
        submit="Create account"
        onSubmit={submit}
        failure={(error) => <Failure error={error} signInPath={signInPath} />}
        aside={
          <span>
            Have one? <Link to={signInPath}>Sign in</Link>, or <Link to="/request-access">request access</Link>
          </span>
        }
      >
        <TextInput label="Name" name="name" autoComplete="name" required maxLength={100} />
        <TextInput
          label="Email"
          name="email"
          type="email"
          autoComplete="email"
          required
          defaultValue={url.search.get('email') ?? undefined}
        />
        <TextInput label="Password" {...newPassword} />
        <InviteCode
          code={url.search.get('code')}
          isNeeded={methods?.signUp === 'invited' && invitationId === undefined}
        />
      </EntryForm>
    </EntryPage>
  )
}
