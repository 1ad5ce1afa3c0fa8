import type { App, AppGrant } from '@noema/contracts/apps.ts'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Status } from '../../components/badge.tsx'
import { IconButton } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Empty } from '../../components/empty.tsx'
import { Menu } from '../../components/menu.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import type { TableSearch } from '../../components/table/use-table-search.tsx'
import { Time } from '../../components/time.tsx'
import { appsQuery, refreshApps } from '../../data/apps.ts'
import { type Member, membersQuery } from '../../data/members.ts'
import { toTablePages } from '../../data/paging.ts'
import { useSession } from '../../session/session.tsx'
import { NarrowGrant } from './narrow-grant.tsx'

/** A grant with its app: a row of the list. */
export type GrantOfApp = AppGrant & { app: App }

const toRows = (apps: readonly App[]): GrantOfApp[] =>
  apps.flatMap((app) => app.grants.map((grant) => ({ ...grant, app })))

type Acts = { onRevoke: (row: GrantOfApp) => void; onNarrow: (row: GrantOfApp) => void }

const ActMenu = ({ row, onRevoke, onNarrow }: Acts & { row: GrantOfApp }) => (
  <Menu
    trigger={<IconButton icon="more" label={`Actions for ${row.app.name}`} />}
    items={[
      {
        name: 'Narrow',
        onSelect: () => onNarrow(row),
        ...(row.capabilities.length > 1 ? {} : { why: 'It has one capability. Revoke it instead.' }),
      },
      { name: 'Revoke', tone: 'danger', onSelect: () => onRevoke(row) },
    ]}
  />
)

/** The app, its state and its reach. */
const grantColumns: readonly Column<GrantOfApp>[] = [
  {
    key: 'app',
    title: 'App',
    sort: ({ app }) => app.name,
    cell: ({ app }) => (
      <span title={app.clientId}>
        <strong>{app.name}</strong> <small className="muted">{app.redirectHosts.join(', ')}</small>
      </span>
    ),
  },
  { key: 'status', title: 'Status', width: 90, cell: ({ status }) => <Status state={status} /> },
  {
    key: 'where',
    title: 'Reaches',
    width: 190,
    isWide: true,
    cell: ({ brain, capabilities }) => (
      <>
        {brain === null ? 'Agents' : <code>{brain.handle}</code>}{' '}
        <small className="muted">{capabilities.join(', ')}</small>
      </>
    ),
  },
]

const timeColumns: readonly Column<GrantOfApp>[] = [
  {
    key: 'used',
    title: 'Last used',
    width: 110,
    isWide: true,
    sort: ({ lastUsedAt }) => lastUsedAt,
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? <span className="muted">never</span> : <Time iso={lastUsedAt} />),
  },
  {
    key: 'ends',
    title: 'Ends',
    width: 112,
    isWide: true,
    sort: ({ revokedAt, expiresAt }) => revokedAt ?? expiresAt,
    cell: ({ revokedAt, expiresAt }) => <Time iso={revokedAt ?? expiresAt} />,
  },
]

const findEmail = (members: readonly Member[], id: string) => members.find(({ userId }) => userId === id)?.email

const toColumns = (
  members: readonly Member[] | undefined,
  { onRevoke, onNarrow }: Acts,
): readonly Column<GrantOfApp>[] => [
  ...grantColumns,
  {
    key: 'by',
    title: 'Let in by',
    width: 170,
    isWide: true,
    cell: ({ grantedBy }) =>
      members && (findEmail(members, grantedBy) ?? <span className="muted">a former member</span>),
  },
  ...timeColumns,
  {
    key: 'acts',
    title: '',
    width: 44,
    align: 'end',
    cell: (row) => row.status === 'active' && <ActMenu row={row} onRevoke={onRevoke} onNarrow={onNarrow} />,
  },
]

const search: TableSearch<GrantOfApp> = {
  label: 'Search apps',
  what: ['connection', 'connections'],
  toText: ({ app, brain, status }) =>
    `${app.name} ${app.redirectHosts.join(' ')} ${brain?.handle ?? 'agents'} ${status}`,
}

type RevokeProps = { row: GrantOfApp; onClose: () => void; onDone: () => void }

/** Asks for confirmation before an app loses its access. */
const RevokeGrant = ({ row, onClose, onDone }: RevokeProps) => {
  const { client } = useSession()
  const revoke = async () => {
    await client.apps.grants.revoke(row.app.id, row.id)
    onDone()
  }
  return (
    <ConfirmDialog
      isOpen
      title={`Revoke ${row.app.name}?`}
      confirm="Revoke access"
      onConfirm={revoke}
      onClose={onClose}
    >
      <p>
        Its next request {row.brain === null ? 'to the agents' : `to the Brain ${row.brain.handle}`} is refused. To come
        back, it must ask for consent again.
      </p>
    </ConfirmDialog>
  )
}

/** The apps that members let in, one row for each consent. */
export const Apps = () => {
  const session = useSession()
  const queries = useQueryClient()
  const [open, setOpen] = useState<{ act: 'revoke' | 'narrow'; row: GrantOfApp }>()
  const query = useInfiniteQuery(appsQuery(session))
  const { data: members } = useQuery(membersQuery(session))
  const rows = query.data && toRows(query.data.pages.flatMap(({ apps }) => apps))
  const close = () => setOpen(undefined)
  const done = () => void refreshApps(queries, session)
  return (
    <div className="page">
      <PageHeader
        title="Apps"
        lead="Programs that members let in by pasting the address of an MCP server. An app chooses its own name: look at its host."
      />
      <DataTable
        label="Apps"
        columns={toColumns(members, {
          onRevoke: (row) => setOpen({ act: 'revoke', row }),
          onNarrow: (row) => setOpen({ act: 'narrow', row }),
        })}
        rows={rows}
        search={search}
        toId={({ id }) => id}
        {...toTablePages(query)}
        empty={
          <Empty title="No apps yet">
            Paste the address of a Brain’s MCP server into an assistant or a coding agent. It leads you to a page where
            you let it in.
          </Empty>
        }
      />
      {open?.act === 'revoke' && <RevokeGrant row={open.row} onClose={close} onDone={done} />}
      {open?.act === 'narrow' && <NarrowGrant row={open.row} onClose={close} onDone={done} />}
    </div>
  )
}
