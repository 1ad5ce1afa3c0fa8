import { useCallback, useState } from 'react'
import { FailureNotice } from '../../components/notice.tsx'
import { useAction } from '../../components/use-action.ts'

/** Mails a link, as often as it is asked to. */
export const SendLink = ({ label, send }: { label: string; send: () => Promise<unknown> }) => {
  const [isSent, setSent] = useState(false)
  const { run, isRunning, error } = useAction(
    useCallback(async () => {
      await send()
      setSent(true)
    }, [send]),
  )
  return (
    <div className="resend">
      <button type="button" className="button small" aria-disabled={isRunning} onClick={() => !isRunning && run()}>
        {isSent ? 'Send again' : label}
      </button>
      <span role="status">{isSent && error === undefined ? 'Sent.' : ''}</span>
      <FailureNotice error={error} />
    </div>
  )
}
