import { useEffect, useState } from 'react'
import { useLocation } from '../../address.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { requestUnlock, unlockSignIn } from '../../session/entry-calls.ts'
import { SendLink } from './send-link.tsx'

/** For somebody whom too many wrong passwords keep out. */
export const RequestUnlock = ({ email }: { email: string }) => (
  <Notice title="Is it your account?">
    <p>
      A link that is mailed to <strong>{email}</strong> lets you try again at once.
    </p>
    <SendLink label="Mail me a link" send={() => requestUnlock(email)} />
  </Notice>
)

// A token works once, and React may run an effect twice.
let used: { token: string; outcome: Promise<unknown> } | undefined

const takeToken = (token: string): Promise<unknown> => {
  if (used?.token !== token) used = { token, outcome: unlockSignIn(token) }
  return used.outcome
}

/** Uses the link of such a mail, which leads here with `?unlock=`. */
export const UnlockOutcome = () => {
  const token = useLocation().search.get('unlock')
  const [state, setState] = useState<'waiting' | 'open' | Error>('waiting')
  useEffect(() => {
    if (token === null) return
    takeToken(token).then(
      () => setState('open'),
      (error: unknown) => setState(error instanceof Error ? error : new Error('The link did not work.')),
    )
  }, [token])
  if (token === null || state === 'waiting') return null
  if (state !== 'open') return <FailureNotice error={state} />
  return (
    <Notice tone="good" title="You can sign in again">
      <p>Enter your password now.</p>
    </Notice>
  )
}
