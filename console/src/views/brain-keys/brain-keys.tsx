import '../../styles/brain-admin.css'
import type { BrainKey } from '@noema/contracts/keys.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { Badge, Status } from '../../components/badge.tsx'
import { Button, IconButton } from '../../components/button.tsx'
import { RadioGroup } from '../../components/choices.tsx'
import { Countdown } from '../../components/countdown.tsx'
import { Empty } from '../../components/empty.tsx'
import { Menu } from '../../components/menu.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import type { TableSearch } from '../../components/table/use-table-search.tsx'
import { Time } from '../../components/time.tsx'
import { brainKeysQuery, capabilityWords, isEnding } from '../../data/brain-keys.ts'
import { toTablePages } from '../../data/paging.ts'
import { Who } from '../../items/who.tsx'
import { useSession } from '../../session/session.tsx'
import { RevokeKey, RotateKey } from './key-acts.tsx'
import { MintDialog } from './mint-dialog.tsx'

const route = getRouteApi('/brains/$handle/keys')

type Act = { name: 'rotate' | 'revoke'; entry: BrainKey }

const When = ({ iso }: { iso: string | null }) =>
  iso === null ? <span className="muted">never</span> : <Time iso={iso} />

const State = ({ entry }: { entry: BrainKey }) => {
  if (isEnding(entry)) return <Status state="ending" tone="warning" />
  if (entry.replacedBy !== null) return <Status state="replaced" />
  return <Status state={entry.status} />
}

const Ends = ({ entry }: { entry: BrainKey }) => {
  const { expiresAt, revokedAt } = entry
  if (expiresAt !== null && isEnding(entry)) return <Countdown until={expiresAt} over="ended" />
  return <When iso={revokedAt ?? expiresAt} />
}

const ActMenu = ({ entry, onAct }: { entry: BrainKey; onAct: (act: Act) => void }) => {
  if (entry.status !== 'active') return null
  const why = entry.replacedBy === null ? undefined : 'It already has a new secret.'
  return (
    <Menu
      trigger={<IconButton icon="more" label={`Actions for ${entry.name}`} />}
      items={[
        { name: 'Rotate', icon: 'refresh', onSelect: () => onAct({ name: 'rotate', entry }), why },
        { name: 'Revoke', icon: 'trash', tone: 'danger', onSelect: () => onAct({ name: 'revoke', entry }) },
      ]}
    />
  )
}

const toColumns = (onAct: (act: Act) => void): readonly Column<BrainKey>[] => [
  {
    key: 'name',
    title: 'Name',
    cell: ({ name, prefix }) => (
      <span title={`${name}, ${prefix}…`}>
        <strong>{name}</strong> <code className="muted">{prefix}…</code>
      </span>
    ),
  },
  {
    key: 'capabilities',
    title: 'Capabilities',
    width: 222,
    isWide: true,
    cell: ({ capabilities }) => (
      <span className="badges">
        {capabilities.map((one) => (
          <span key={one} title={capabilityWords[one]}>
            <Badge>{one}</Badge>
          </span>
        ))}
      </span>
    ),
  },
  { key: 'state', title: 'State', width: 92, cell: (entry) => <State entry={entry} /> },
  {
    key: 'made',
    title: 'Created',
    width: 104,
    isWide: true,
    sort: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => <Time iso={createdAt} />,
  },
  { key: 'by', title: 'By', width: 160, isWide: true, cell: ({ createdBy }) => <Who id={createdBy} /> },
  {
    key: 'used',
    title: 'Last used',
    width: 104,
    isWide: true,
    sort: ({ lastUsedAt }) => lastUsedAt,
    cell: ({ lastUsedAt }) => <When iso={lastUsedAt} />,
  },
  { key: 'ends', title: 'Expires', width: 106, cell: (entry) => <Ends entry={entry} /> },
  {
    key: 'acts',
    title: '',
    width: 44,
    align: 'end',
    cell: (entry) => <ActMenu entry={entry} onAct={onAct} />,
  },
]

const search: TableSearch<BrainKey> = {
  label: 'Search keys',
  what: ['key', 'keys'],
  toText: ({ name, prefix, capabilities }) => [name, prefix, ...capabilities].join(' '),
}

const shownKeys = [
  { value: 'working', name: 'Working' },
  { value: 'all', name: 'All' },
] as const

/** The keys of a Brain: their capabilities and last use, with actions to replace and revoke them. */
export const BrainKeys = () => {
  const { handle } = route.useParams()
  const { show = 'working' } = route.useSearch()
  const navigate = route.useNavigate()
  const [isMinting, setMinting] = useState(false)
  const [act, setAct] = useState<Act>()
  const query = useInfiniteQuery(brainKeysQuery(useSession(), handle))
  const rows = useMemo(
    () => query.data?.pages.flatMap(({ keys }) => keys).filter(({ status }) => show === 'all' || status === 'active'),
    [query.data, show],
  )
  const columns = useMemo(() => toColumns(setAct), [])
  const close = () => setAct(undefined)
  const mint = (
    <Button tone="primary" icon="plus" onClick={() => setMinting(true)}>
      New key
    </Button>
  )
  return (
    <section aria-label="Keys" className="stack">
      <div className="page-bar">
        <RadioGroup
          label="Which keys"
          isLabelHidden
          isSegments
          options={shownKeys}
          value={show === 'all' ? 'all' : 'working'}
          onChange={(next) => void navigate({ search: next === 'all' ? { show: next } : {}, replace: true })}
        />
        <p className="muted">Each key gives a program access to this Brain only. Secrets are stored as hashes.</p>
        {mint}
      </div>
      <DataTable
        label="Keys"
        columns={columns}
        rows={rows}
        search={search}
        toId={({ id }) => id}
        {...toTablePages(query)}
        empty={
          <Empty title={show === 'all' ? 'No keys yet' : 'No key works'} action={mint}>
            Each agent or program uses its own key for this Brain, with the capabilities that you select.
          </Empty>
        }
      />
      {isMinting && <MintDialog handle={handle} onClose={() => setMinting(false)} />}
      {act?.name === 'rotate' && <RotateKey handle={handle} entry={act.entry} onClose={close} />}
      {act?.name === 'revoke' && <RevokeKey handle={handle} entry={act.entry} onClose={close} />}
    </section>
  )
}
