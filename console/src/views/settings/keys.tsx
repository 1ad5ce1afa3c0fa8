import type { ManagementKey } from '@noema/contracts/keys.ts'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { baseUrl } from '../../base-path.ts'
import { listKeysCode } from '../../code/examples.ts'
import { Badge, Status } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { RadioGroup } from '../../components/choices.tsx'
import { ViewAsCode } from '../../components/code.tsx'
import { Empty } from '../../components/empty.tsx'
import { Notice } from '../../components/notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { NewSecret } from '../../components/secret.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import type { TableSearch } from '../../components/table/use-table-search.tsx'
import { Time } from '../../components/time.tsx'
import { managementKeysQuery, refreshKeys } from '../../data/management-keys.ts'
import { type Member, membersQuery } from '../../data/members.ts'
import { manages, organizationQuery } from '../../data/organization.ts'
import { toTablePages } from '../../data/paging.ts'
import type { Things } from '../../data/things.ts'
import { type Session, useSession } from '../../session/session.tsx'
import { type Minted, MintKeyDialog } from './mint-key-dialog.tsx'
import { RevokeKey } from './revoke-key.tsx'
import { ThingList } from './thing-list.tsx'

const route = getRouteApi('/settings/keys')

const warnedMilliseconds = 14 * 86_400_000

const isEnding = ({ status, expiresAt }: ManagementKey): boolean =>
  status === 'active' && expiresAt !== null && Date.parse(expiresAt) - Date.now() < warnedMilliseconds

const When = ({ iso, otherwise }: { iso: string | null; otherwise: string }) =>
  iso === null ? <span className="muted">{otherwise}</span> : <Time iso={iso} />

type Revoking = { mayRevoke: (key: ManagementKey) => boolean; onRevoke: (key: ManagementKey) => void }

const toColumns = (members: readonly Member[], { mayRevoke, onRevoke }: Revoking): readonly Column<ManagementKey>[] => [
  { key: 'name', title: 'Name', sort: ({ name }) => name, cell: ({ name }) => <strong title={name}>{name}</strong> },
  { key: 'status', title: 'Status', width: 90, cell: ({ status }) => <Status state={status} /> },
  { key: 'prefix', title: 'Begins with', width: 110, isWide: true, cell: ({ prefix }) => <code>{prefix}…</code> },
  {
    key: 'by',
    title: 'Minted by',
    width: 170,
    isWide: true,
    cell: ({ createdBy }) =>
      members.find(({ userId }) => userId === createdBy)?.email ?? <span className="muted">a former member</span>,
  },
  {
    key: 'created',
    title: 'Created',
    width: 112,
    isWide: true,
    sort: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => <Time iso={createdAt} />,
  },
  {
    key: 'used',
    title: 'Last used',
    width: 110,
    isWide: true,
    sort: ({ lastUsedAt }) => lastUsedAt,
    cell: ({ lastUsedAt }) => <When iso={lastUsedAt} otherwise="never" />,
  },
  {
    key: 'ends',
    title: 'Ends',
    width: 120,
    isWide: true,
    sort: ({ revokedAt, expiresAt }) => revokedAt ?? expiresAt,
    cell: (key) =>
      isEnding(key) ? (
        <Badge tone="warning">
          <When iso={key.expiresAt} otherwise="" />
        </Badge>
      ) : (
        <When iso={key.revokedAt ?? key.expiresAt} otherwise="never" />
      ),
  },
  {
    key: 'acts',
    title: '',
    width: 104,
    align: 'end',
    cell: (key) =>
      mayRevoke(key) && (
        <Button size="small" tone="quiet" aria-label={`Revoke ${key.name}`} onClick={() => onRevoke(key)}>
          Revoke
        </Button>
      ),
  },
]

const search: TableSearch<ManagementKey> = {
  label: 'Search keys',
  what: ['key', 'keys'],
  toText: ({ name, prefix, status }) => `${name} ${prefix} ${status}`,
}

/** The items of a revoked key that continue. */
const RemainingNotice = ({ name, things, onClose }: { name: string; things: Things; onClose: () => void }) => (
  <Notice tone="warning" title={`${name} is revoked; its items continue`}>
    <ThingList things={things} />
    <Button size="small" onClick={onClose}>
      Done
    </Button>
  </Notice>
)

const hasAny = (things: Things): boolean => Object.values(things).some(({ length }) => length > 0)

/** Members revoke the keys that they created, owners and admins revoke any key. */
const useMayRevoke = (session: Session) => {
  const { data } = useQuery(organizationQuery(session))
  return ({ status, createdBy }: ManagementKey): boolean =>
    status === 'active' && (manages(data?.role) || createdBy === session.userId)
}

type Open = 'mint' | ManagementKey

/** The dialogs over the list, and the notices above it. */
const useKeyActs = (session: Session) => {
  const queries = useQueryClient()
  const [open, setOpen] = useState<Open>()
  const [minted, setMinted] = useState<Minted>()
  const [revoked, setRevoked] = useState<{ name: string; things: Things }>()
  const close = () => setOpen(undefined)
  const finish = () => void refreshKeys(queries, session)
  const notices = (
    <>
      {minted && (
        <Panel title={`New key: ${minted.name}`}>
          <NewSecret secret={minted.secret} onKept={() => setMinted(undefined)} />
        </Panel>
      )}
      {revoked && <RemainingNotice {...revoked} onClose={() => setRevoked(undefined)} />}
    </>
  )
  const take = (key: Minted) => {
    setMinted(key)
    finish()
  }
  const showRevoked = (name: string) => (things: Things) => {
    if (hasAny(things)) setRevoked({ name, things })
    finish()
  }
  const asked = (
    <>
      {open === 'mint' && <MintKeyDialog onClose={close} onMinted={take} />}
      {open !== undefined && open !== 'mint' && (
        <RevokeKey entry={open} onClose={close} onRevoked={showRevoked(open.name)} />
      )}
    </>
  )
  return { notices, asked, mint: () => setOpen('mint'), revoke: setOpen }
}

const shownNames = [
  { value: 'active', name: 'Active' },
  { value: 'all', name: 'All' },
] as const

/** The organization's management keys. */
export const Keys = () => {
  const session = useSession()
  const navigate = useNavigate()
  const { show = 'active' } = route.useSearch()
  const acts = useKeyActs(session)
  const query = useInfiniteQuery(managementKeysQuery(session))
  const { data: members } = useQuery(membersQuery(session))
  const mayRevoke = useMayRevoke(session)
  const all = query.data?.pages.flatMap(({ keys }) => keys)
  const rows = show === 'all' ? all : all?.filter(({ status }) => status === 'active')
  return (
    <div className="page">
      <PageHeader
        title="Management keys"
        lead="A management key has every capability in every Brain. It is revoked when the member who minted it leaves."
        actions={
          <Button tone="primary" icon="plus" onClick={acts.mint}>
            New key
          </Button>
        }
      />
      {acts.notices}
      <RadioGroup
        label="Which keys"
        isLabelHidden
        isSegments
        options={shownNames}
        value={show}
        onChange={(next) => void navigate({ to: '/settings/keys', search: next === 'all' ? { show: 'all' } : {} })}
      />
      <DataTable
        label="Management keys"
        columns={toColumns(members ?? [], { mayRevoke, onRevoke: acts.revoke })}
        rows={rows}
        search={search}
        toId={({ id }) => id}
        {...toTablePages(query)}
        empty={
          <Empty title="No active keys" action={<Button onClick={acts.mint}>Mint the first one</Button>}>
            Programs call the service with a key. The console needs none: you are signed in.
          </Empty>
        }
      />
      <ViewAsCode example={listKeysCode({ baseUrl, organizationId: session.organization.id })} />
      {acts.asked}
    </div>
  )
}
