import type { ManagementKey } from '@noema/contracts/keys.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Time } from '../../components/time.tsx'
import type { Things } from '../../data/things.ts'
import { useSession } from '../../session/session.tsx'

type RevokeKeyProps = { entry: ManagementKey; onClose: () => void; onRevoked: (remaining: Things) => void }

/** Asks for confirmation before a key is revoked. */
export const RevokeKey = ({ entry, onClose, onRevoked }: RevokeKeyProps) => {
  const { client } = useSession()
  const revoke = async () => {
    const { remaining } = await client.keys.revoke(entry.id)
    onRevoked(remaining)
  }
  return (
    <ConfirmDialog isOpen title={`Revoke ${entry.name}?`} confirm="Revoke key" onConfirm={revoke} onClose={onClose}>
      <p>
        Requests with <code>{entry.prefix}…</code> are refused from now on. This cannot be undone.
      </p>
      <p>
        {entry.lastUsedAt === null ? (
          'It was never used.'
        ) : (
          <>
            It was last used <Time iso={entry.lastUsedAt} />.
          </>
        )}{' '}
        Brain keys, webhooks and other items that it created continue. You get a list of them.
      </p>
    </ConfirmDialog>
  )
}
