import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button, IconButton } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { Menu } from '../../components/menu.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import type { TableSearch } from '../../components/table/use-table-search.tsx'
import { Time } from '../../components/time.tsx'
import { showFailure, showToast } from '../../components/toast.ts'
import { changeRole, type Ended, type Member, membersQuery, refreshMembers } from '../../data/members.ts'
import { manages, organizationQuery, type Role } from '../../data/organization.ts'
import { type Session, useSession } from '../../session/session.tsx'
import { Invitations } from './invitations.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { RemoveMember } from './remove-member.tsx'
import { RestrictedBrains } from './restricted-brains.tsx'
import { ThingList } from './thing-list.tsx'

const roleTones = { owner: 'accent', admin: 'info', member: 'neutral' } as const

/** Why a member cannot get another role or be removed; undefined if they can. */
const findReason = (member: Member, { role, owners }: { role: Role; owners: number }): string | undefined => {
  if (member.role === 'owner' && role !== 'owner') return 'Only an owner changes owners'
  return member.role === 'owner' && owners === 1 ? 'The only owner: make another one first' : undefined
}

type Acts = {
  own: Role
  owners: number
  change: (member: Member, role: Role) => void
  remove: (member: Member) => void
}

const MemberMenu = ({ member, acts: { own, owners, change, remove } }: { member: Member; acts: Acts }) => {
  const why = findReason(member, { role: own, owners })
  const turns = (['owner', 'admin', 'member'] as const).filter((role) => role !== member.role)
  return (
    <Menu
      trigger={<IconButton icon="more" label={`Actions for ${member.email}`} />}
      items={[
        ...turns.map((role) => ({
          name: `Make ${role}`,
          onSelect: () => void change(member, role),
          why: role === 'owner' && own !== 'owner' ? 'Only an owner makes owners' : why,
        })),
        'line',
        { name: 'Remove…', icon: 'trash', tone: 'danger', onSelect: () => remove(member), why },
      ]}
    />
  )
}

const toColumns = ({ userId }: Session, acts: Acts, onLeave: (member: Member) => void): readonly Column<Member>[] => [
  {
    key: 'member',
    title: 'Member',
    sort: ({ name, email }) => name || email,
    cell: ({ name, email, userId: id }) => (
      <div className="person" title={email}>
        <strong>{name || email}</strong>
        {name !== '' && <span>{email}</span>}
        {id === userId && <Badge>you</Badge>}
      </div>
    ),
  },
  {
    key: 'role',
    title: 'Role',
    width: 90,
    sort: ({ role }) => role,
    cell: ({ role }) => <Badge tone={roleTones[role]}>{role}</Badge>,
  },
  {
    key: 'joined',
    title: 'Joined',
    width: 110,
    isWide: true,
    sort: ({ joinedAt }) => joinedAt,
    cell: ({ joinedAt }) => <Time iso={joinedAt} />,
  },
  {
    key: 'acts',
    title: '',
    width: 104,
    align: 'end',
    cell: (member) =>
      member.userId === userId ? (
        <Button size="small" tone="quiet" onClick={() => onLeave(member)}>
          Leave…
        </Button>
      ) : (
        manages(acts.own) && <MemberMenu member={member} acts={acts} />
      ),
  },
]

const search: TableSearch<Member> = {
  label: 'Search members',
  what: ['member', 'members'],
  toText: ({ name, email, role }) => `${name} ${email} ${role}`,
}

/** The items that were revoked with a member, until the person dismisses the list. */
const EndedNotice = ({ of, ended, onClose }: { of: string; ended: Ended; onClose: () => void }) => {
  const [went, isPaused, goesOn] = [ended.revoked, ended.paused, ended.remaining].map((things) =>
    Object.values(things).some(({ length }) => length > 0),
  )
  return (
    <Notice tone={goesOn || isPaused ? 'warning' : 'good'} title={`${of} is no longer a member`}>
      {!went && !isPaused && !goesOn && <p>Nothing had to be revoked.</p>}
      {went && <p>Revoked or deleted permanently:</p>}
      <ThingList things={ended.revoked} />
      {isPaused && <p>Paused, because they set the address or saw the secret. Check each one:</p>}
      <ThingList things={ended.paused} />
      {goesOn && <p>These continue. The former member may know their secrets, so check each one:</p>}
      <ThingList things={ended.remaining} />
      <Button size="small" onClick={onClose}>
        Done
      </Button>
    </Notice>
  )
}

const useRoleChange = (session: Session) => {
  const queries = useQueryClient()
  return async (member: Member, role: Role) => {
    try {
      await changeRole(session, member, role)
      showToast({ tone: 'good', title: `${member.name || member.email} is ${role} now` })
    } catch (failure) {
      showFailure(failure, 'The role was not changed')
    }
    await refreshMembers(queries, session)
  }
}

/** The members and invitations of the organization. */
export const Members = () => {
  const session = useSession()
  const [isInviting, setInviting] = useState(false)
  const [leaving, setLeaving] = useState<Member>()
  const [gone, setGone] = useState<{ of: string; ended: Ended }>()
  const { data: members, error, refetch } = useQuery(membersQuery(session))
  const organization = useQuery(organizationQuery(session))
  const own = organization.data?.role ?? 'member'
  const change = useRoleChange(session)
  const owners = members?.filter(({ role }) => role === 'owner').length ?? 0
  const acts = { own, owners, change, remove: setLeaving }
  return (
    <div className="page">
      <PageHeader
        title="Members"
        lead={
          manages(own)
            ? 'Members can work in all Brains, except those that are restricted to others. The management keys of a member are revoked when the member leaves.'
            : 'You are a member. Owners and admins can invite others, change roles and remove members.'
        }
        actions={
          manages(own) && (
            <Button tone="primary" icon="plus" onClick={() => setInviting(true)}>
              Invite
            </Button>
          )
        }
      />
      <FailureNotice error={organization.error} onRetry={() => void organization.refetch()} />
      {gone && <EndedNotice {...gone} onClose={() => setGone(undefined)} />}
      <DataTable
        label="Members"
        columns={toColumns(session, acts, setLeaving)}
        rows={members}
        search={search}
        toId={({ id }) => id}
        error={error}
        onRetry={() => void refetch()}
        empty={<Empty title="No members" />}
      />
      {manages(own) && <Invitations members={members ?? []} />}
      {own === 'owner' && <RestrictedBrains />}
      {isInviting && <InviteDialog own={own} onClose={() => setInviting(false)} />}
      {leaving && (
        <RemoveMember
          member={leaving}
          why={findReason(leaving, { role: own, owners })}
          onClose={() => setLeaving(undefined)}
          onRemoved={(ended) => setGone({ of: leaving.email, ended })}
        />
      )}
    </div>
  )
}
