import type { ManagementKey } from '@noema/contracts/keys.ts'
import { useCallback } from 'react'
import { Dialog } from '../components/dialog.tsx'
import { FailureNotice } from '../components/notice.tsx'
import { useAction } from '../components/use-action.ts'
import { isStored, storeKey } from '../session/stored-key.ts'
import { useWorkspace } from '../session/workspace.tsx'

type RevokeKeyProps = { entry: ManagementKey; onClose: () => void; onRevoked: () => void }

/** Asks once more before a key stops working. */
export const RevokeKey = ({ entry, onClose, onRevoked }: RevokeKeyProps) => {
  const { sessionClient, key: stored } = useWorkspace()
  const isInPage = isStored(stored, entry)
  const revoke = useCallback(async () => {
    await sessionClient.keys.revoke(entry.id)
    if (isInPage) storeKey(undefined)
    onRevoked()
    onClose()
  }, [sessionClient, entry.id, isInPage, onRevoked, onClose])
  const { run, isRunning, error } = useAction(revoke)
  return (
    <Dialog title={`Revoke ${entry.name}?`} onClose={onClose}>
      <p>
        Requests with <code>{entry.prefix}…</code> are refused from now on. This cannot be undone.
      </p>
      {isInPage && <p>This page uses the key and will forget it.</p>}
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
