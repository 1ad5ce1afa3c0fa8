import type { BrainRole } from '@noema/contracts/access.ts'
import type { BrainMember } from '@noema/contracts/brain-access.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Combobox } from '../../components/combobox.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { FieldProblem } from '../../components/form/problems.ts'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { FailureNotice } from '../../components/notice.tsx'
import { showToast } from '../../components/toast.ts'
import { changeAccess, putBrainMember, removeBrainMember } from '../../data/brain-access.ts'
import { removeBrainQueries } from '../../data/brain-settings.ts'
import { membersQuery } from '../../data/members.ts'
import { useSession } from '../../session/session.tsx'
import { toMemberChoices } from './restrict-dialog.tsx'
import { roleChoices } from './role-choices.ts'

type Given = { handle: string; onClose: () => void }

/** Names a member of the organization in a restricted Brain. */
export const AddMemberDialog = ({ handle, named, onClose }: Given & { named: readonly BrainMember[] }) => {
  const session = useSession()
  const queries = useQueryClient()
  const { data: members = [], error, refetch } = useQuery(membersQuery(session))
  const left = members.filter((one) => !named.some(({ userId }) => userId === one.userId))
  const form = useContractForm({
    initial: { member: undefined as string | undefined, role: 'reader' as BrainRole },
    contract: async () => (await import('@noema/contracts/brain-access.ts')).putBrainMember.body,
    toBody: ({ member, role }) => {
      if (member === undefined) throw new FieldProblem('member', 'Choose a member.')
      return { role }
    },
    submit: async ({ role }, { member = '' }) => {
      await putBrainMember(queries, session, handle, { member, role })
      onClose()
    },
  })
  return (
    <Dialog isOpen title={`Add a member to ${handle}`} onClose={onClose} size="small">
      <FailureNotice error={error} onRetry={() => void refetch()} />
      <Form form={form} submit="Add" onCancel={onClose}>
        <form.Field name="member" hasOwnError>
          {({ value, set, error: problem }) => (
            <Combobox
              label="Member"
              items={toMemberChoices(left)}
              value={value}
              onChange={set}
              error={problem}
              placeholder="Name or email"
              hint="A member of the organization. Invite others first."
            />
          )}
        </form.Field>
        <form.Radio label="Role" name="role" options={roleChoices} />
      </Form>
    </Dialog>
  )
}

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
