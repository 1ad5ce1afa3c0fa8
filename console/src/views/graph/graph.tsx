import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { Empty } from '../../components/empty.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { TextFilter } from '../../components/text-filter.tsx'
import { brainQuery } from '../../data/brains.ts'
import type { Start } from '../../data/most-connected.ts'
import { graphStartQuery } from '../../data/neighbours.ts'
import { graphSeedsQuery } from '../../data/retrieval.ts'
import { plural, toAmount } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'
import { GraphView } from './graph-view.tsx'

const route = getRouteApi('/brains/$handle/graph')

const depths = [1, 2, 3] as const
const noSeeds: readonly string[] = []

const Bar = () => {
  const { handle } = route.useParams()
  const { q, seed, depth = 1 } = route.useSearch()
  const navigate = useNavigate({ from: '/brains/$handle/graph' })
  return (
    <div className="graph-head">
      <TextFilter
        key={seed}
        label={`Search ${handle} for a start`}
        value={q}
        type="search"
        placeholder="Start from a search"
        submit="Search"
        onSubmit={(text) => text !== '' && void navigate({ search: { q: text, depth } })}
      />
      {(q !== undefined || seed !== undefined) && (
        <Link to="/brains/$handle/graph" params={{ handle }} search={{}}>
          Most connected records
        </Link>
      )}
      <label className="graph-depth">
        Steps{' '}
        <select
          value={depth}
          onChange={({ target }) => void navigate({ search: (before) => ({ ...before, depth: Number(target.value) }) })}
        >
          {depths.map((steps) => (
            <option key={steps} value={steps}>
              {steps}
            </option>
          ))}
        </select>
      </label>
    </div>
  )
}

/** The graph around search results. */
const Found = ({ handle, q, depth }: { handle: string; q: string; depth: number }) => {
  const { data, error } = useQuery(graphSeedsQuery(useSession(), handle, q))
  if (error) return <FailureNotice error={error} />
  if (!data) return <Skeleton lines={6} />
  if (data.length === 0) return <p className="muted">No record was found for “{q}”.</p>
  return <GraphView handle={handle} seeds={data} depth={depth} />
}

/** The part of a Brain that its graph leaves out. */
const describeRest = ({ records, read, isAll }: Start, total: number | undefined): string => {
  const all = total ?? read
  if (records.length >= all) return 'All records of this Brain.'
  const from = isAll ? plural(all, 'record') : `the first ${toAmount(read)} of ${plural(all, 'record')}`
  const left = `${plural(all - records.length, 'record is', 'records are')} left out`
  return `The ${records.length} most connected of ${from}; ${left}. Click a record to add its neighbors, or search for another start.`
}

/** The graph of the most connected records of a Brain: all of them would be unreadable. */
const Whole = ({ handle, depth }: { handle: string; depth: number }) => {
  const session = useSession()
  const { data, error, refetch } = useQuery(graphStartQuery(session, handle))
  const { data: found } = useQuery(brainQuery(session, handle))
  if (error) return <FailureNotice error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton height={480} />
  if (data.records.length === 0)
    return <Empty title="No records yet">Records and the relations between them appear here as a graph.</Empty>
  return (
    <>
      <p className="muted graph-rest">{describeRest(data, found?.brain.counts.records)}</p>
      <GraphView handle={handle} seeds={noSeeds} start={data} depth={depth} />
    </>
  )
}

/** The records around one record, around search results, or the most connected ones. */
export const GraphPage = () => {
  const { handle } = route.useParams()
  const { q, seed, depth = 1 } = route.useSearch()
  const steps = Math.min(3, Math.max(1, depth))
  const seeds = useMemo(() => (seed === undefined ? [] : [seed]), [seed])
  return (
    <section aria-label="Graph of records" className="graph-page">
      <Bar />
      {seed !== undefined && <GraphView key={seed} handle={handle} seeds={seeds} depth={steps} />}
      {seed === undefined && q !== undefined && <Found key={q} handle={handle} q={q} depth={steps} />}
      {seed === undefined && q === undefined && <Whole key={handle} handle={handle} depth={steps} />}
    </section>
  )
}
