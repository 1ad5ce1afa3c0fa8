import { FailureNotice, Notice } from '../../components/notice.tsx'
import { useSession } from '../../session/session.tsx'
import { isStale } from '../../session/ways-in.ts'
import { SignInAgain } from '../entry/sign-in-again.tsx'

type FreshNoticeProps = {
  error: unknown
  /** The purpose of the sign-in: "see your sessions". */
  purpose: string
  /** Continues after the sign-in. */
  onFresh: () => Promise<unknown>
}

/** An error; if it demands a recent sign-in, the sign-in itself. */
export const FreshNotice = ({ error, purpose, onFresh }: FreshNoticeProps) => {
  const { user } = useSession()
  if (!isStale(error)) return <FailureNotice error={error} />
  return (
    <Notice title={`To ${purpose}, sign in again`}>
      <p>You signed in some time ago. This makes sure that it is still you.</p>
      <SignInAgain
        email={user.email}
        onDone={async () => {
          await onFresh()
        }}
      />
    </Notice>
  )
}
