import type { Snapshot } from '@noema/contracts/snapshots.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { toTablePages } from '../../data/paging.ts'
import '../../styles/documents.css'
import '../../styles/overview.css'
import { Status } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { TextFilter } from '../../components/text-filter.tsx'
import { Time } from '../../components/time.tsx'
import { documentPagesQuery, snapshotsQuery } from '../../data/documents.ts'
import { useSession } from '../../session/session.tsx'
import { PlanFolder } from './plan-folder.tsx'
import { WebPagesOfSource, WebSources } from './web-pages.tsx'

const route = getRouteApi('/brains/$handle/sources')

const toColumns = (handle: string, source: string): Column<Snapshot>[] => [
  {
    key: 'snapshot',
    title: 'Snapshot',
    cell: ({ snapshot, createdAt }) => (
      <Link
        to="/brains/$handle/sources/$source/snapshots/$snapshot"
        params={{ handle, source, snapshot }}
        className="row-link"
      >
        <Time iso={createdAt} />
      </Link>
    ),
  },
  { key: 'status', title: 'Status', width: 110, cell: ({ status }) => <Status state={status} /> },
  { key: 'add', title: 'Add', width: 80, align: 'end', cell: ({ counts }) => counts.add },
  { key: 'update', title: 'Update', width: 80, align: 'end', cell: ({ counts }) => counts.update },
  { key: 'retire', title: 'Retire', width: 80, align: 'end', cell: ({ counts }) => counts.retire },
  {
    key: 'unchanged',
    title: 'Unchanged',
    width: 100,
    align: 'end',
    isWide: true,
    cell: ({ counts }) => counts.unchanged,
  },
  {
    key: 'applied',
    title: 'Applied',
    width: 120,
    isWide: true,
    cell: ({ appliedAt }) => appliedAt && <Time iso={appliedAt} />,
  },
]

/** The sources of the newest documents. A source without documents is entered by name. */
const KnownSources = ({ handle }: { handle: string }) => {
  const query = useInfiniteQuery(documentPagesQuery(useSession(), handle, undefined))
  const names = useMemo(
    () =>
      [
        ...new Set(query.data?.pages.flatMap((page) => page.documents.flatMap(({ source }) => source?.name ?? []))),
      ].sort(),
    [query.data],
  )
  if (!query.data) return <Skeleton lines={2} />
  if (names.length === 0)
    return (
      <Empty title="No documents with a source yet">
        <p>
          A source is a system or folder that documents come from. Name one above and plan its first snapshot.
          <br />
          <code>npx noema sync ./docs --brain {handle}</code> does the same from the command line.
        </p>
      </Empty>
    )
  return (
    <ul className="panel-list boxed">
      {names.map((name) => (
        <li key={name}>
          <Link to="/brains/$handle/sources" params={{ handle }} search={{ source: name }}>
            {name}
          </Link>
          <Link to="/brains/$handle/documents" params={{ handle }} search={{ source: name }} className="muted">
            its documents
          </Link>
        </li>
      ))}
    </ul>
  )
}

const OfSource = ({ handle, source }: { handle: string; source: string }) => {
  const query = useInfiniteQuery(snapshotsQuery(useSession(), handle, source))
  const snapshots = useMemo(() => query.data?.pages.flatMap((page) => page.snapshots), [query.data])
  const columns = useMemo(() => toColumns(handle, source), [handle, source])
  return (
    <>
      <WebPagesOfSource handle={handle} source={source} />
      <PlanFolder handle={handle} source={source} />
      <DataTable
        label={`Snapshots of ${source}`}
        columns={columns}
        rows={snapshots}
        toId={({ snapshot }) => snapshot}
        empty={<Empty title={`No snapshot of ${source} yet`} />}
        {...toTablePages(query)}
      />
    </>
  )
}

/** The sources of documents, and the snapshots that update them. */
export const SourcesPage = () => {
  const { handle } = route.useParams()
  const { source } = route.useSearch()
  const navigate = useNavigate({ from: '/brains/$handle/sources' })
  return (
    <section aria-label="Sources" className="documents">
      <p className="lead">
        A snapshot lists all current documents of a source. Its plan shows which ones would be added, updated and
        retired before anything is written.
      </p>
      <TextFilter
        label="Source"
        value={source}
        placeholder="Name of a source"
        submit="Open source"
        onSubmit={(text) => void navigate({ search: { source: text || undefined } })}
      >
        {source !== undefined && (
          <Button size="small" tone="quiet" onClick={() => void navigate({ search: {} })}>
            All sources
          </Button>
        )}
      </TextFilter>
      {source === undefined && <WebSources handle={handle} />}
      {source === undefined ? <KnownSources handle={handle} /> : <OfSource handle={handle} source={source} />}
    </section>
  )
}
