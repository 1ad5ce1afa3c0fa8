import { useCallback, useState } from 'react'
import { FailureNotice } from '../../components/notice.tsx'
import { useAction } from '../../components/use-action.ts'
import { resendVerification } from '../../session/entry-calls.ts'

/** Sends the confirmation email again. */
export const ResendVerification = ({ email }: { email: string }) => {
  const [isSent, setSent] = useState(false)
  const send = useCallback(async () => {
    await resendVerification(email)
    setSent(true)
  }, [email])
  const { run, isRunning, error } = useAction(send)
  return (
    <div className="resend">
      <button type="button" className="button small" aria-disabled={isRunning} onClick={() => !isRunning && run()}>
        {isSent ? 'Send again' : 'Send a new link'}
      </button>
      <span role="status">{isSent && error === undefined ? 'Sent.' : ''}</span>
      <FailureNotice error={error} />
    </div>
  )
}
