import type { ManagementKey } from '@noema/contracts/keys.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { useSession } from '../../session/session.tsx'

type RevokeKeyProps = { entry: ManagementKey; onClose: () => void; onRevoked: () => void }

/** Asks once more before a key stops working. */
export const RevokeKey = ({ entry, onClose, onRevoked }: RevokeKeyProps) => {
  const { client } = useSession()
  const revoke = async () => {
    await client.keys.revoke(entry.id)
    onRevoked()
  }
  return (
    <ConfirmDialog isOpen title={`Revoke ${entry.name}?`} confirm="Revoke key" onConfirm={revoke} onClose={onClose}>
      <p>
        Requests with <code>{entry.prefix}…</code> are refused from now on. This cannot be undone.
      </p>
    </ConfirmDialog>
  )
}
