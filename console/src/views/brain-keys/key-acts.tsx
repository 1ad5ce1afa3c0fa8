import type { BrainKey } from '@noema/contracts/keys.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Countdown } from '../../components/countdown.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { NewSecret } from '../../components/secret.tsx'
import { Time } from '../../components/time.tsx'
import { brainKeysKey } from '../../data/brain-keys.ts'
import { useSession } from '../../session/session.tsx'

type ActProps = { handle: string; entry: BrainKey; onClose: () => void }

const useKeys = (handle: string) => {
  const session = useSession()
  const queries = useQueryClient()
  return {
    keys: session.client.brain(handle).keys,
    reload: () => queries.invalidateQueries({ queryKey: brainKeysKey(session, handle) }),
  }
}

const LastUse = ({ entry }: { entry: BrainKey }) =>
  entry.lastUsedAt === null ? (
    <>It was never used.</>
  ) : (
    <>
      It was last used <Time iso={entry.lastUsedAt} />.
    </>
  )

type Rotated = { secret: string; worksUntil: string }

/** Replaces a key by one with the same capabilities, and counts down until the old secret expires. */
export const RotateKey = ({ handle, entry, onClose }: ActProps) => {
  const { keys, reload } = useKeys(handle)
  const [rotated, setRotated] = useState<Rotated>()
  // The question closes after the answer. The new secret stays open.
  const isAnswered = useRef(false)
  const rotate = async () => {
    const { secret, previous } = await keys.rotate(entry.id)
    isAnswered.current = true
    setRotated({ secret, worksUntil: previous.worksUntil })
    await reload()
  }
  if (rotated)
    return (
      <Dialog isOpen title={`${entry.name} has a new secret`} onClose={onClose} size="small">
        <p className="ending" role="timer">
          The old secret <code>{entry.prefix}…</code> expires in{' '}
          <Countdown until={rotated.worksUntil} over="no time: it has expired" />
        </p>
        <NewSecret secret={rotated.secret} onKept={onClose} />
      </Dialog>
    )
  return (
    <ConfirmDialog
      isOpen
      title={`Rotate ${entry.name}?`}
      confirm="Rotate key"
      tone="primary"
      onConfirm={rotate}
      onClose={() => isAnswered.current || onClose()}
    >
      <p>
        A new key with the same name and capabilities replaces it. Its secret is shown once. The old secret works for 60
        more seconds, so that what uses it can change over. <LastUse entry={entry} />
      </p>
    </ConfirmDialog>
  )
}

/** Revokes a key at once. */
export const RevokeKey = ({ handle, entry, onClose }: ActProps) => {
  const { keys, reload } = useKeys(handle)
  const revoke = async () => {
    await keys.revoke(entry.id)
    await reload()
  }
  return (
    <ConfirmDialog isOpen title={`Revoke ${entry.name}?`} confirm="Revoke key" onConfirm={revoke} onClose={onClose}>
      <p>
        Requests with <code>{entry.prefix}…</code> are refused from now on, and this cannot be undone.{' '}
        <LastUse entry={entry} /> Its writes stay. Its webhooks are paused until someone sends their address again.
      </p>
    </ConfirmDialog>
  )
}
