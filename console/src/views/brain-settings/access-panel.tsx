import '../../styles/settings.css'
import type { BrainRole } from '@noema/contracts/access.ts'
import type { BrainAccess, BrainMember } from '@noema/contracts/brain-access.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button, IconButton } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { later } from '../../components/later.tsx'
import { Menu } from '../../components/menu.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { showFailure, showToast } from '../../components/toast.ts'
import { accessQuery, putBrainMember } from '../../data/brain-access.ts'
import { manages, organizationQuery } from '../../data/organization.ts'
import { plural } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'
import { roleChoices } from './member-choices.ts'

// Dialogs load when they open.
const AddMemberDialog = later(async () => (await import('./add-member-dialog.tsx')).AddMemberDialog)
const OpenDialog = later(async () => (await import('./access-dialogs.tsx')).OpenDialog)
const RemoveDialog = later(async () => (await import('./access-dialogs.tsx')).RemoveDialog)
const RestrictDialog = later(async () => (await import('./restrict-dialog.tsx')).RestrictDialog)

type Asked = 'restrict' | 'add' | 'open' | BrainMember

type Acts = {
  userId: string
  isManager: boolean
  change: (member: BrainMember, role: BrainRole) => void
  remove: (member: BrainMember) => void
}

const MemberActs = ({ member, acts: { userId, isManager, change, remove } }: { member: BrainMember; acts: Acts }) => {
  if (member.userId === userId)
    return (
      <Button size="small" tone="quiet" onClick={() => remove(member)}>
        Leave…
      </Button>
    )
  if (!isManager) return null
  const turns = roleChoices.filter(({ value }) => value !== member.role)
  return (
    <Menu
      trigger={<IconButton icon="more" label={`Actions for ${member.email}`} />}
      items={[
        ...turns.map(({ value }) => ({ name: `Make ${value}`, onSelect: () => change(member, value) })),
        'line',
        { name: 'Remove…', icon: 'trash', tone: 'danger', onSelect: () => remove(member) },
      ]}
    />
  )
}

const toTone = (role: BrainRole) => roleChoices.find(({ value }) => value === role)?.tone ?? 'neutral'

const toColumns = (acts: Acts): readonly Column<BrainMember>[] => [
  {
    key: 'member',
    title: 'Member',
    sort: ({ name, email }) => name || email,
    cell: ({ name, email, userId }) => (
      <div className="person" title={email}>
        <strong>{name || email}</strong>
        {name !== '' && <span>{email}</span>}
        {userId === acts.userId && <Badge>you</Badge>}
      </div>
    ),
  },
  {
    key: 'role',
    title: 'Role',
    width: 96,
    sort: ({ role }) => role,
    cell: ({ role }) => <Badge tone={toTone(role)}>{role}</Badge>,
  },
  {
    key: 'acts',
    title: '',
    width: 112,
    align: 'end',
    cell: (member) => <MemberActs member={member} acts={acts} />,
  },
]

const useRoleChange = (handle: string) => {
  const session = useSession()
  const queries = useQueryClient()
  return async (member: BrainMember, role: BrainRole) => {
    try {
      await putBrainMember(queries, session, handle, { member: member.userId, role })
      showToast({ tone: 'good', title: `${member.name || member.email} is ${role} now` })
    } catch (failure) {
      showFailure(failure, 'The role was not changed')
      await queries.invalidateQueries(accessQuery(session, handle))
    }
  }
}

type PanelProps = { handle: string; access: BrainAccess; onAsk: (asked: Asked) => void }

const OpenPanel = ({ onAsk }: Pick<PanelProps, 'onAsk'>) => {
  const session = useSession()
  const { data } = useQuery(organizationQuery(session))
  const mayRestrict = manages(data?.role)
  return (
    <Panel
      title="Access"
      description="open to the organization"
      actions={
        mayRestrict && (
          <Button size="small" onClick={() => onAsk('restrict')}>
            Restrict…
          </Button>
        )
      }
    >
      <p className="muted">
        Every member of {session.organization.name} can read, change and manage this Brain.{' '}
        {mayRestrict
          ? 'You can restrict it to members whom you name.'
          : 'Owners and admins of the organization can restrict it to named members.'}
      </p>
    </Panel>
  )
}

const RestrictedPanel = ({ handle, access: { role, members }, onAsk }: PanelProps) => {
  const { userId } = useSession()
  const isManager = role === 'manager'
  const acts = { userId, isManager, change: useRoleChange(handle), remove: onAsk }
  return (
    <Panel
      title="Access"
      description={`restricted to ${plural(members.length, 'member')}`}
      isFlush
      actions={
        isManager && (
          <>
            <Button size="small" onClick={() => onAsk('add')}>
              Add a member
            </Button>
            <Button size="small" onClick={() => onAsk('open')}>
              Open to everyone…
            </Button>
          </>
        )
      }
    >
      <DataTable
        label="Members with access"
        columns={toColumns(acts)}
        rows={members}
        toId={(member) => member.userId}
        height={360}
        empty={<Empty title="No members" />}
      />
    </Panel>
  )
}

type DialogsProps = { handle: string; asked: Asked | undefined; members: readonly BrainMember[]; onClose: () => void }

const Dialogs = ({ handle, asked, members, onClose }: DialogsProps) => {
  if (asked === undefined) return null
  if (asked === 'restrict') return <RestrictDialog handle={handle} onClose={onClose} />
  if (asked === 'add') return <AddMemberDialog handle={handle} named={members} onClose={onClose} />
  if (asked === 'open') return <OpenDialog handle={handle} onClose={onClose} />
  return <RemoveDialog handle={handle} member={asked} onClose={onClose} />
}

/** Shows the access of a Brain: its organization, or named members. Managers change it; of an open Brain, owners and admins. */
export const AccessPanel = ({ handle }: { handle: string }) => {
  const query = accessQuery(useSession(), handle)
  const { data: access, error, refetch } = useQuery({ ...query, refetchInterval: 10_000 })
  const [asked, setAsked] = useState<Asked>()
  if (!access)
    return (
      <Panel title="Access">
        {error ? <FailureNotice error={error} onRetry={() => void refetch()} /> : <Skeleton lines={2} />}
      </Panel>
    )
  return (
    <>
      {access.openTo === 'organization' ? (
        <OpenPanel onAsk={setAsked} />
      ) : (
        <RestrictedPanel handle={handle} access={access} onAsk={setAsked} />
      )}
      <Dialogs handle={handle} asked={asked} members={access.members} onClose={() => setAsked(undefined)} />
    </>
  )
}
