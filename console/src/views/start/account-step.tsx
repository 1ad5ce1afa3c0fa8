import { useEffect } from 'react'
import { Notice } from '../../components/notice.tsx'
import { useAccount } from '../../session/account.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { ResendVerification } from '../resend-verification.tsx'
import { Step } from './step.tsx'

/** What an unconfirmed address means, and how to confirm it. Looks again whenever the page is come back to. */
const Unconfirmed = ({ email }: { email: string }) => {
  const { refresh } = useAccount()
  useEffect(() => {
    const look = () => document.hidden || refresh()
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [refresh])
  return (
    <Notice tone="warning" title="Your address is not confirmed yet">
      <p>
        Everything works meanwhile, up to a small cap: 10 Brains and 10,000 writes a day, unless the operator chose
        others. The next sign-in needs the confirmed address.
      </p>
      <p>
        Open the link that was mailed to <strong>{email}</strong>. Where no mail server is set up, it is in the
        service’s log.
      </p>
      <ResendVerification email={email} />
    </Notice>
  )
}

export const AccountStep = () => {
  const { user, organization } = useWorkspace()
  return (
    <Step place={1} title="Your account" state="done">
      <p className="step-told">
        {user.email}, in the organization <strong>{organization.name}</strong>
      </p>
      {!user.emailVerified && <Unconfirmed email={user.email} />}
    </Step>
  )
}
