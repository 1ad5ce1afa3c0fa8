import type { ManagementKey } from '@noema/contracts/keys.ts'
import { useCallback } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { useAction } from '../../components/use-action.ts'
import { useSession } from '../../session/session.tsx'

type RevokeKeyProps = { entry: ManagementKey; onClose: () => void; onRevoked: () => void }

/** Asks once more before a key stops working. */
export const RevokeKey = ({ entry, onClose, onRevoked }: RevokeKeyProps) => {
  const { client } = useSession()
  const revoke = useCallback(async () => {
    await client.keys.revoke(entry.id)
    onRevoked()
    onClose()
  }, [client, entry.id, onRevoked, onClose])
  const { run, isRunning, error } = useAction(revoke)
  return (
    <Dialog title={`Revoke ${entry.name}?`} onClose={onClose}>
      <p>
        Requests with <code>{entry.prefix}…</code> are refused from now on. This cannot be undone.
      </p>
      <FailureNotice error={error} />
      <div className="actions">
        <button type="button" className="button danger" aria-disabled={isRunning} onClick={() => !isRunning && run()}>
          Revoke key
        </button>
        <button type="button" className="button" onClick={onClose}>
          Keep it
        </button>
      </div>
    </Dialog>
  )
}
