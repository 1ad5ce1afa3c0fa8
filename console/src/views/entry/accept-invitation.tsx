import { useCallback } from 'react'
import { Link, navigate, useLocation } from '../../address.tsx'
import { Loading } from '../../components/loading.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { useAction } from '../../components/use-action.ts'
import { useLoaded } from '../../components/use-loaded.ts'
import { useReturn } from '../../components/use-return.ts'
import { entryPath } from '../../pages.ts'
import { useAccount } from '../../session/account.tsx'
import { signOut, type User } from '../../session/auth.ts'
import { acceptInvitation, type Invitation, readInvitation } from '../../session/entry-calls.ts'
import { rememberOrganization } from '../../session/remembered.ts'
import { EntryPage } from './entry-page.tsx'
import { ResendVerification } from './resend-verification.tsx'

const SignedOut = () => {
  const url = useLocation()
  return (
    <>
      <p>Sign in, or sign up, with the address that received the invitation.</p>
      <div className="actions">
        <Link to={entryPath('/sign-in', url)} className="button primary">
          Sign in
        </Link>
        <Link to={entryPath('/sign-up', url)} className="button">
          Create an account
        </Link>
      </div>
    </>
  )
}

/** An invitation needs a confirmed email address. Checks again when the page becomes visible. */
const Unconfirmed = ({ email }: { email: string }) => {
  const { refresh } = useAccount()
  useReturn(refresh)
  return (
    <Notice tone="warning" title="Confirm your address first">
      <p>
        Open the link that was sent to <strong>{email}</strong> in this browser, then come back to this page. If no mail
        server is configured, the link is in the service’s log.
      </p>
      <ResendVerification email={email} />
    </Notice>
  )
}

const Offer = ({ invitation }: { invitation: Invitation }) => {
  const accept = useCallback(async () => {
    rememberOrganization(await acceptInvitation(invitation.id))
    navigate('/', { replace: true })
  }, [invitation.id])
  const { run, isRunning, error } = useAction(accept)
  return (
    <>
      <p>
        <strong>{invitation.inviterEmail}</strong> invites you to join <strong>{invitation.organizationName}</strong> as{' '}
        {invitation.role}.
      </p>
      <FailureNotice error={error} />
      <div className="actions">
        <button type="button" className="button primary" aria-disabled={isRunning} onClick={() => !isRunning && run()}>
          Join {invitation.organizationName}
        </button>
        <Link to="/">Not now</Link>
      </div>
    </>
  )
}

const SignedIn = ({ id, user }: { id: string; user: User }) => {
  const { refresh } = useAccount()
  const load = useCallback(() => readInvitation(id), [id])
  const { data, error } = useLoaded(load)
  const leave = async () => {
    await signOut()
    await refresh()
  }
  if (error !== undefined)
    return (
      <FailureNotice error={error}>
        <p>
          You are signed in as <strong>{user.email}</strong>. An invitation can be accepted once, by the account that it
          was emailed to.
        </p>
        <button type="button" className="button small" onClick={leave}>
          Sign out
        </button>
      </FailureNotice>
    )
  return data ? <Offer invitation={data} /> : <Loading />
}

/** The page of an emailed invitation. */
export const AcceptInvitation = () => {
  const { search } = useLocation()
  const account = useAccount()
  const id = search.get('id')
  const user = account.status === 'known' ? account.user : undefined
  return (
    <EntryPage title="Invitation">
      {id === null && (
        <Notice tone="warning" title="This link is incomplete">
          <p>Open the complete link from the email. It ends with the id of the invitation.</p>
        </Notice>
      )}
      {id !== null && !user && <SignedOut />}
      {id !== null && user && !user.emailVerified && <Unconfirmed email={user.email} />}
      {id !== null && user?.emailVerified && <SignedIn id={id} user={user} />}
    </EntryPage>
  )
}
