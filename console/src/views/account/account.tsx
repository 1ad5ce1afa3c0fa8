import '../../styles/account.css'
import '../../styles/settings.css'
import { useQuery } from '@tanstack/react-query'
import { FailureNotice } from '../../components/notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { waysQuery } from '../../data/account.ts'
import { useSession } from '../../session/session.tsx'
import { useMethods } from '../../session/use-methods.ts'
import { EndAccount } from './end-account.tsx'
import { Passkeys } from './passkeys.tsx'
import { PasswordPanel } from './password.tsx'
import { Profile } from './profile.tsx'
import { SecondFactor } from './second-factor.tsx'
import { Sessions } from './sessions.tsx'

/** A person's own account: profile, sign-in methods and sessions. */
export const AccountPage = () => {
  const { user } = useSession()
  const methods = useMethods()
  const { data: ways, error, refetch } = useQuery(waysQuery())
  return (
    <div className="page">
      <PageHeader title="Your account" lead={user.email} />
      <FailureNotice error={error}>
        <button type="button" className="button small" onClick={() => void refetch()}>
          Try again
        </button>
      </FailureNotice>
      <div className="panels">
        <Profile provider={ways?.hasProvider ? methods?.provider : undefined} />
        {methods?.password && (ways ? <PasswordPanel hasPassword={ways.hasPassword} /> : <Skeleton lines={4} />)}
        {methods?.password && ways && <SecondFactor hasPassword={ways.hasPassword} />}
        {methods?.password && <Passkeys isOffered={methods.passkey} />}
        <Sessions />
        <EndAccount />
      </div>
    </div>
  )
}
