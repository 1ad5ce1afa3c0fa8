import type { BrainRole } from '@noema/contracts/access.ts'
import type { BrainMember } from '@noema/contracts/brain-access.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { FieldProblem } from '../../components/form/problems.ts'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { FailureNotice } from '../../components/notice.tsx'
import { putBrainMember } from '../../data/brain-access.ts'
import { membersQuery } from '../../data/members.ts'
import { useSession } from '../../session/session.tsx'
import { MemberChoice } from './member-choice.tsx'
import { roleChoices, toMemberChoices } from './member-choices.ts'

type AddMemberDialogProps = { handle: string; named: readonly BrainMember[]; onClose: () => void }

/** Names a member of the organization in a restricted Brain. */
export const AddMemberDialog = ({ handle, named, onClose }: AddMemberDialogProps) => {
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
            <MemberChoice
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
