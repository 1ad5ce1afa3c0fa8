import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Checkbox } from '../../components/choices.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { showToast } from '../../components/toast.ts'
import { managementKeysQuery } from '../../data/management-keys.ts'
import { type Ended, leaveOrganization, type Member, refreshMembers, removeMember } from '../../data/members.ts'
import { useSession } from '../../session/session.tsx'

/** The names of the keys that are revoked with a member. */
const useEndingKeys = ({ userId }: Member): readonly string[] => {
  const { data } = useInfiniteQuery(managementKeysQuery(useSession()))
  return (data?.pages ?? [])
    .flatMap(({ keys }) => keys)
    .filter(({ createdBy, status }) => createdBy === userId && status === 'active')
    .map(({ name }) => name)
}

type RemoveMemberProps = {
  member: Member
  /** The reason why they cannot be removed now. */
  why: string | undefined
  onClose: () => void
  onRemoved: (ended: Ended) => void
}

/** Confirms that a member is removed or leaves, and shows what will be revoked. */
export const RemoveMember = ({ member, why, onClose, onRemoved }: RemoveMemberProps) => {
  const session = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const keys = useEndingKeys(member)
  const [revokeBrainKeys, setRevoke] = useState(false)
  const isSelf = member.userId === session.userId
  const { name } = session.organization
  const leave = async () => {
    await leaveOrganization(session)
    showToast({ tone: 'good', title: `You have left ${name}` })
    await navigate({ to: '/' })
    await queries.invalidateQueries({ queryKey: ['whoami'] })
  }
  const remove = async () => {
    onRemoved(await removeMember(session, member, { revokeBrainKeys }))
    await refreshMembers(queries, session)
  }
  const title = isSelf ? `Leave ${name}?` : `Remove ${member.name || member.email}?`
  if (why !== undefined)
    return (
      <Dialog isOpen title={title} onClose={onClose} size="small">
        <p>
          {isSelf ? 'You are the only owner. Make another member an owner first, or delete the organization.' : why}
        </p>
      </Dialog>
    )
  return (
    <ConfirmDialog
      isOpen
      title={title}
      confirm={isSelf ? 'Leave' : 'Remove'}
      onConfirm={isSelf ? leave : remove}
      onClose={onClose}
    >
      <p>
        {isSelf ? 'You lose' : `${member.email} loses`} all access at the next request. Management keys that{' '}
        {isSelf ? 'you' : 'they'} minted are revoked at once, and webhooks created with them are deleted. This cannot be
        undone.
      </p>
      {keys.length > 0 && (
        <p>
          {keys.length === 1 ? 'This management key is revoked' : `These ${keys.length} management keys are revoked`}:{' '}
          <strong>{keys.slice(0, 20).join(', ')}</strong>
          {keys.length > 20 && ` and ${keys.length - 20} others`}.
        </p>
      )}
      <p>
        Brain keys, providers, connectors, triggers and schedules continue, because agents may need them. Owners get an
        email that lists them.
      </p>
      {!isSelf && (
        <Checkbox label="Also revoke the Brain keys that they minted" checked={revokeBrainKeys} onChange={setRevoke} />
      )}
    </ConfirmDialog>
  )
}
