import type { Snapshot } from '@noema/contracts/snapshots.ts'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import '../../styles/documents.css'
import '../../styles/record.css'
import '../../styles/records.css'
import { Status } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/choices.tsx'
import { Empty } from '../../components/empty.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { type PlanItem, type PlanOp, snapshotQuery } from '../../data/documents.ts'
import { plural, toAmount } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'

const route = getRouteApi('/brains/$handle/sources/$source/snapshots/$snapshot')

const ops = ['add', 'update', 'retire', 'unchanged', 'conflict'] as const satisfies PlanOp[]
const tones = { add: 'good', update: 'info', retire: 'danger', unchanged: 'neutral', conflict: 'warning' } as const

const toColumns = (handle: string): Column<PlanItem>[] => [
  { key: 'op', title: 'Plan', width: 110, cell: ({ op }) => <Status state={op} tone={tones[op]} /> },
  {
    key: 'id',
    title: 'Document',
    cell: ({ id, title, baseVersion }) =>
      baseVersion === null ? (
        (title ?? id)
      ) : (
        <Link to="/brains/$handle/documents/$id" params={{ handle, id }} className="row-link">
          {title ?? id}
        </Link>
      ),
  },
  { key: 'address', title: 'Id', isWide: true, cell: ({ id }) => <code>{id}</code> },
  {
    key: 'version',
    title: 'Current version',
    width: 110,
    align: 'end',
    isWide: true,
    cell: ({ baseVersion }) => baseVersion,
  },
  { key: 'other', title: 'Belongs to', width: 130, isWide: true, cell: ({ otherSource }) => otherSource },
]

type CountsProps = { snapshot: Snapshot; op: PlanOp | undefined }

/** The parts of the plan with their counts, each a filter of the list. */
const Counts = ({ snapshot, op }: CountsProps) => {
  const params = route.useParams()
  const counts = { ...snapshot.counts, conflict: snapshot.conflicts }
  return (
    <nav className="kind-tabs" aria-label="Parts of the plan">
      {[undefined, ...ops].map((one) => (
        <Link
          key={one ?? ' all'}
          to="/brains/$handle/sources/$source/snapshots/$snapshot"
          params={params}
          search={{ op: one }}
          className="kind-tab"
          activeOptions={{ exact: true, explicitUndefined: true }}
          aria-current={one === op ? 'page' : undefined}
        >
          {one === undefined ? 'All' : `${one} ${toAmount(counts[one])}`}
        </Link>
      ))}
    </nav>
  )
}

const useApplying = () => {
  const { handle, source, snapshot } = route.useParams()
  const { client, organization } = useSession()
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (body: { planRevision: number; allowRetire?: boolean }) =>
      client.brain(handle).snapshots.apply(source, snapshot, body),
    // A plan that no longer applies is reloaded, too: the refusal says so.
    onSettled: () => cache.invalidateQueries({ queryKey: [organization.id, 'brain', handle] }),
  })
}

/** Applies exactly the shown plan: the service refuses one that has changed since. */
const Apply = ({ snapshot }: { snapshot: Snapshot }) => {
  const [isAllowed, setAllowed] = useState(false)
  const applying = useApplying()
  const { served, mostRetired, needsAllowRetire } = snapshot.guard
  if (applying.data?.outcome === 'staged')
    return (
      <Notice tone="good">
        <p>
          This Brain is in review mode. The plan waits as change <code>{applying.data.change?.id}</code>.
        </p>
      </Notice>
    )
  if (snapshot.status !== 'planned') return null
  return (
    <div className="apply">
      {needsAllowRetire && (
        <Notice tone="warning" title="This would retire much of the source">
          <p>
            {snapshot.counts.retire} of its {served} served documents, more than the {mostRetired} that go without
            asking. Is the folder complete?
          </p>
          <Checkbox
            label={`Retire ${plural(snapshot.counts.retire, 'document')} anyway`}
            checked={isAllowed}
            onChange={setAllowed}
          />
        </Notice>
      )}
      {snapshot.conflicts > 0 && (
        <Notice tone="warning">
          <p>
            {plural(snapshot.conflicts, 'item has', 'items have')} an id that belongs to another source. A plan with
            conflicts cannot be applied.
          </p>
        </Notice>
      )}
      <FailureNotice error={applying.error} />
      <Button
        tone="primary"
        isBusy={applying.isPending}
        disabled={snapshot.conflicts > 0 || (needsAllowRetire && !isAllowed)}
        onClick={() =>
          applying.mutate({ planRevision: snapshot.planRevision, ...(isAllowed && { allowRetire: true }) })
        }
      >
        Apply plan
      </Button>
    </div>
  )
}

/** The plan of a snapshot for the documents of its source, before and after it is applied. */
export const SnapshotPage = () => {
  const { handle, source, snapshot: id } = route.useParams()
  const { op } = route.useSearch()
  const query = useInfiniteQuery(snapshotQuery(useSession(), handle, { source, snapshot: id, op }))
  const items = useMemo(() => query.data?.pages.flatMap((page) => page.items), [query.data])
  const columns = useMemo(() => toColumns(handle), [handle])
  const snapshot = query.data?.pages[0]?.snapshot
  if (query.error && !snapshot) return <FailureNotice error={query.error} onRetry={() => void query.refetch()} />
  if (!snapshot) return <Skeleton lines={8} />
  return (
    <section aria-label="Snapshot" className="documents">
      <div className="record-top">
        <div className="record-head">
          <h2>
            Snapshot of{' '}
            <Link to="/brains/$handle/sources" params={{ handle }} search={{ source }}>
              {source}
            </Link>
          </h2>
          <p className="about">
            <Status state={snapshot.status} />
            <span>revision {snapshot.planRevision}</span>
            <span>{snapshot.complete ? 'complete' : 'more is to come, so nothing is retired'}</span>
            <Time iso={snapshot.createdAt} />
            {snapshot.appliedAt !== null && (
              <span>
                applied <Time iso={snapshot.appliedAt} />
              </span>
            )}
          </p>
        </div>
      </div>
      <Apply snapshot={snapshot} />
      <Counts snapshot={snapshot} op={op} />
      <DataTable
        label="Plan"
        columns={columns}
        rows={items}
        toId={(item) => item.id}
        empty={<Empty title={op === undefined ? 'The plan has no items' : `Nothing to ${op}`} />}
        hasMore={query.hasNextPage}
        isLoadingMore={query.isFetchingNextPage}
        onLoadMore={query.fetchNextPage}
      />
    </section>
  )
}
