import type { BrainMember } from '@noema/contracts/brain-access.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { showToast } from '../../components/toast.ts'
import { changeAccess, removeBrainMember } from '../../data/brain-access.ts'
import { removeBrainQueries } from '../../data/brain-settings.ts'
import { useSession } from '../../session/session.tsx'

type Given = { handle: string; onClose: () => void }

/** Opens a restricted Brain to its organization. */
export const OpenDialog = ({ handle, onClose }: Given) => {
  const session = useSession()
  const queries = useQueryClient()
  return (
    <ConfirmDialog
      isOpen
      title={`Open ${handle} to everyone?`}
      confirm="Open"
      onConfirm={() => changeAccess(queries, session, handle, { openTo: 'organization' })}
      onClose={onClose}
    >
      <p>
        Every member of {session.organization.name} can read, change and manage this Brain at once. The list of members
        and their roles is deleted.
      </p>
    </ConfirmDialog>
  )
}

/** Takes a member out of a restricted Brain, or lets the person leave it. */
export const RemoveDialog = ({ handle, member, onClose }: Given & { member: BrainMember }) => {
  const session = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const isSelf = member.userId === session.userId
  const remove = async () => {
    await removeBrainMember(queries, session, handle, member.userId)
    if (!isSelf) return
    showToast({ tone: 'good', title: `You have left ${handle}` })
    await navigate({ to: '/brains' })
    removeBrainQueries(queries, session, handle)
    await queries.invalidateQueries({ queryKey: [session.organization.id, 'brains'] })
  }
  return (
    <ConfirmDialog
      isOpen
      title={isSelf ? `Leave ${handle}?` : `Remove ${member.name || member.email}?`}
      confirm={isSelf ? 'Leave' : 'Remove'}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>
        {isSelf ? 'You lose' : `${member.email} loses`} access to {handle} with the next request, and so do keys that{' '}
        {isSelf ? 'you' : 'they'} minted. Webhooks and triggers that {isSelf ? 'you' : 'they'} set up are paused.
        {isSelf && ' Only a manager can add you again.'}
      </p>
    </ConfirmDialog>
  )
}
