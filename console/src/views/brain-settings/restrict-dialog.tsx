import '../../styles/set-up.css'
import type { BrainRole } from '@noema/contracts/access.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { IconButton } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Select } from '../../components/field.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { FailureNotice } from '../../components/notice.tsx'
import { showToast } from '../../components/toast.ts'
import { changeAccess } from '../../data/brain-access.ts'
import { type Member, membersQuery } from '../../data/members.ts'
import { useSession } from '../../session/session.tsx'
import { MemberChoice } from './member-choice.tsx'
import { roleChoices, toMemberChoices } from './member-choices.ts'

type Named = { member: string; role: BrainRole }

type NamedMembersProps = {
  members: readonly Member[]
  named: readonly Named[]
  onChange: (named: readonly Named[]) => void
}

const NamedMembers = ({ members, named, onChange }: NamedMembersProps) => {
  const choices = toMemberChoices(members)
  const left = choices.filter(({ value }) => !named.some(({ member }) => member === value))
  return (
    <div className="stack">
      {named.map(({ member, role }) => {
        const label = choices.find(({ value }) => value === member)?.name ?? member
        return (
          <div className="with-button" key={member}>
            <Select
              label={label}
              options={roleChoices}
              value={role}
              onChange={(chosen) =>
                onChange(named.map((one) => (one.member === member ? { member, role: chosen } : one)))
              }
            />
            <IconButton
              icon="close"
              label={`Do not name ${label}`}
              onClick={() => onChange(named.filter((one) => one.member !== member))}
            />
          </div>
        )
      })}
      {left.length > 0 && (
        <MemberChoice
          // A new one for each choice, so that it is empty again.
          key={named.length}
          label="Name a member"
          items={left}
          value={undefined}
          placeholder="Name or email"
          onChange={(member) => member !== undefined && onChange([...named, { member, role: 'writer' }])}
        />
      )}
    </div>
  )
}

/** Restricts a Brain to the person and to members whom they name in the same step. */
export const RestrictDialog = ({ handle, onClose }: { handle: string; onClose: () => void }) => {
  const session = useSession()
  const queries = useQueryClient()
  const { data: members = [], error, refetch } = useQuery(membersQuery(session))
  const form = useContractForm({
    initial: { members: [] as readonly Named[] },
    contract: async () => (await import('@noema/contracts/brain-access.ts')).changeBrainAccess.body,
    toBody: (values) => ({ openTo: 'members' as const, members: [...values.members] }),
    submit: async (body) => {
      await changeAccess(queries, session, handle, body)
      showToast({ tone: 'good', title: `${handle} is restricted` })
      onClose()
    },
  })
  return (
    <Dialog isOpen title={`Restrict ${handle}?`} onClose={onClose}>
      <FailureNotice error={error} onRetry={() => void refetch()} />
      <Form form={form} submit="Restrict" onCancel={onClose}>
        <p className="muted">
          You become a manager. Members whom you do not name lose access with their next request, and so do keys that
          they minted: to them the Brain no longer exists. Webhooks and triggers that they set up are paused.
        </p>
        <form.Field name="members">
          {({ value, set }) => (
            <NamedMembers
              members={members.filter(({ userId }) => userId !== session.userId)}
              named={value}
              onChange={set}
            />
          )}
        </form.Field>
      </Form>
    </Dialog>
  )
}
