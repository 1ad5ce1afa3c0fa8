import { Notice } from '../../components/notice.tsx'
import { useReturn } from '../../components/use-return.ts'
import { useAccount } from '../../session/account.tsx'
import { useSession } from '../../session/session.tsx'
import { ResendVerification } from '../entry/resend-verification.tsx'
import { Step } from './step.tsx'

/** Explains an unconfirmed email address. Checks again when the page becomes visible. */
const Unconfirmed = ({ email }: { email: string }) => {
  const { refresh } = useAccount()
  useReturn(refresh)
  return (
    <Notice tone="warning" title="Your address is not confirmed yet">
      <p>
        Until then, lower limits apply: 10 Brains and 10,000 writes a day, unless the operator has set others. You must
        confirm the address before you can sign in again.
      </p>
      <p>
        Open the link that was sent to <strong>{email}</strong> in this browser: opened elsewhere, it also signs you out
        and revokes the keys that you minted so far. If no mail server is configured, the link is in the service’s log.
      </p>
      <ResendVerification email={email} />
    </Notice>
  )
}

export const AccountStep = () => {
  const { user, organization } = useSession()
  return (
    <Step number={1} title="Your account" state="done">
      <p className="step-result">
        {user.email}, in the organization <strong>{organization.name}</strong>
      </p>
      {!user.emailVerified && <Unconfirmed email={user.email} />}
    </Step>
  )
}
