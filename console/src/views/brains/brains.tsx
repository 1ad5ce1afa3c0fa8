import type { Brain } from '@noema/contracts/brains.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { baseUrl } from '../../base-path.ts'
import { listBrainsCode } from '../../code/examples.ts'
import { Badge, Status } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ViewAsCode } from '../../components/code.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Empty } from '../../components/empty.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { SearchInput } from '../../components/search-input.tsx'
import { stateColumn } from '../../components/state-column.ts'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { brainsQuery } from '../../data/brains.ts'
import { toTablePages } from '../../data/paging.ts'
import { toAmount } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'
import { MakeBrainForm } from './make-brain-form.tsx'

const route = getRouteApi('/brains')

const columns: readonly Column<Brain>[] = [
  {
    key: 'handle',
    title: 'Brain',
    width: 240,
    sort: ({ handle }) => handle,
    cell: ({ handle }) => (
      <Link to="/brains/$handle" params={{ handle }}>
        {handle}
      </Link>
    ),
  },
  {
    key: 'purpose',
    title: 'Purpose',
    isWide: true,
    cell: ({ purpose }) => <span title={purpose ?? ''}>{purpose}</span>,
  },
  {
    key: 'availability',
    title: 'Availability',
    width: 110,
    cell: ({ availability }) => <Status state={availability} />,
  },
  {
    key: 'mode',
    title: 'Mode',
    width: 90,
    isWide: true,
    sort: ({ mode }) => mode,
    cell: ({ mode }) => <Badge tone={mode === 'review' ? 'accent' : 'neutral'}>{mode}</Badge>,
  },
  stateColumn,
  {
    key: 'updated',
    title: 'Settings changed',
    width: 150,
    isWide: true,
    sort: ({ updatedAt }) => updatedAt,
    cell: ({ updatedAt }) => <Time iso={updatedAt} />,
  },
]

const toId = ({ id }: Brain) => id

const matches = ({ handle, name, purpose }: Brain, text: string): boolean =>
  [handle, name, purpose].some((one) => one?.toLowerCase().includes(text))

const NewBrain = () => {
  const { isNew } = route.useSearch()
  const navigate = useNavigate()
  const close = () => void navigate({ to: '/brains', search: (search) => ({ ...search, isNew: undefined }) })
  return (
    <Dialog isOpen={isNew === true} title="Create a Brain" onClose={close} size="small">
      <p className="muted">One knowledge store: records, statements, documents, and one stream of events.</p>
      <MakeBrainForm onMade={({ handle }) => void navigate({ to: '/brains/$handle', params: { handle } })} />
    </Dialog>
  )
}

/** The organization's Brains. */
export const Brains = () => {
  const session = useSession()
  const navigate = useNavigate()
  const { q = '' } = route.useSearch()
  const query = useInfiniteQuery(brainsQuery(session))
  const brains = query.data?.pages.flatMap((page) => page.brains)
  const found = q === '' ? brains : brains?.filter((brain) => matches(brain, q.toLowerCase()))
  const create = () => void navigate({ to: '/brains', search: (search) => ({ ...search, isNew: true }) })
  return (
    <div className="page">
      <PageHeader
        title="Brains"
        actions={
          <>
            <SearchInput
              label="Find a Brain"
              value={q}
              onChange={(text) => void navigate({ to: '/brains', search: { q: text || undefined }, replace: true })}
            />
            {found && (
              <span className="muted small" role="status">
                {toAmount(found.length)} {found.length === 1 ? 'Brain' : 'Brains'}
                {query.hasNextPage && ' loaded'}
              </span>
            )}
            <Button tone="primary" icon="plus" onClick={create}>
              New Brain
            </Button>
          </>
        }
      />
      <DataTable
        label="Brains"
        columns={columns}
        rows={found}
        toId={toId}
        {...toTablePages(query)}
        empty={
          q === '' ? (
            <Empty title="No Brains yet" action={<Button onClick={create}>Create the first one</Button>}>
              A Brain is one knowledge store, with one stream of events.
            </Empty>
          ) : (
            <Empty title={`No Brain matches “${q}”`}>The search covers handles, names and purposes.</Empty>
          )
        }
      />
      <ViewAsCode example={listBrainsCode({ baseUrl })} />
      <NewBrain />
    </div>
  )
}
