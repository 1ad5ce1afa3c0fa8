import { useQuery, useQueryClient } from '@tanstack/react-query'
import { baseUrl } from '../../base-path.ts'
import { Badge, Status } from '../../components/badge.tsx'
import { IconButton } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { Menu } from '../../components/menu.tsx'
import { Panel } from '../../components/panel.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { showFailure, showToast } from '../../components/toast.ts'
import {
  cancelInvitation,
  type Invitation,
  invitationsQuery,
  inviteAgain,
  type Member,
  refreshMembers,
} from '../../data/members.ts'
import { useSession } from '../../session/session.tsx'

const isOver = ({ expiresAt }: Invitation): boolean => Date.parse(expiresAt) <= Date.now()

const toLink = ({ id }: Invitation): string => `${baseUrl}/accept-invitation?id=${encodeURIComponent(id)}`

type Acts = Readonly<Record<'again' | 'copy' | 'cancel', (invitation: Invitation) => void>>

const useActs = (): Acts => {
  const session = useSession()
  const queries = useQueryClient()
  const report = async (act: () => Promise<unknown>, done: string, failed: string) => {
    try {
      await act()
      showToast({ tone: 'good', title: done })
    } catch (error) {
      showFailure(error, failed)
    }
    await refreshMembers(queries, session)
  }
  return {
    again: (invitation) =>
      void report(() => inviteAgain(session, invitation), `Sent to ${invitation.email} again`, 'Not sent'),
    copy: (invitation) =>
      void report(() => navigator.clipboard.writeText(toLink(invitation)), 'Link copied', 'Not copied'),
    cancel: (invitation) =>
      void report(() => cancelInvitation(invitation.id), `${invitation.email} is no longer invited`, 'Not cancelled'),
  }
}

const toColumns = (acts: Acts, members: readonly Member[]): readonly Column<Invitation>[] => [
  { key: 'email', title: 'Email', cell: ({ email }) => <span title={email}>{email}</span> },
  { key: 'role', title: 'Role', width: 90, cell: ({ role }) => <Badge>{role}</Badge> },
  {
    key: 'state',
    title: 'State',
    width: 100,
    isWide: true,
    cell: (invitation) => <Status state={isOver(invitation) ? 'expired' : 'pending'} />,
  },
  {
    key: 'by',
    title: 'Invited by',
    width: 180,
    isWide: true,
    cell: ({ inviterId }) => members.find(({ userId }) => userId === inviterId)?.email ?? 'a former member',
  },
  { key: 'expires', title: 'Expires', width: 110, isWide: true, cell: ({ expiresAt }) => <Time iso={expiresAt} /> },
  {
    key: 'acts',
    title: '',
    width: 90,
    align: 'end',
    cell: (invitation) => (
      <Menu
        trigger={<IconButton icon="more" label={`Actions for the invitation of ${invitation.email}`} />}
        items={[
          { name: 'Send again', icon: 'send', onSelect: () => acts.again(invitation) },
          {
            name: 'Copy the link',
            icon: 'link',
            onSelect: () => acts.copy(invitation),
            why: isOver(invitation) ? 'It has expired. Send again.' : undefined,
          },
          'line',
          { name: 'Cancel', icon: 'close', tone: 'danger', onSelect: () => acts.cancel(invitation) },
        ]}
      />
    ),
  },
]

/** The open invitations. */
export const Invitations = ({ members }: { members: readonly Member[] }) => {
  const { data, error, refetch } = useQuery(invitationsQuery(useSession()))
  return (
    <Panel
      title="Invitations"
      isFlush
      description="Each invitation works once, for two days, for its email address only."
    >
      <DataTable
        label="Invitations"
        columns={toColumns(useActs(), members)}
        rows={data}
        toId={({ id }) => id}
        error={error}
        onRetry={() => void refetch()}
        height={360}
        empty={<Empty title="No open invitations">Invitations appear here until they are accepted.</Empty>}
      />
    </Panel>
  )
}
