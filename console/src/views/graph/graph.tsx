import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { FailureNotice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { TextFilter } from '../../components/text-filter.tsx'
import { graphSeedsQuery } from '../../data/retrieval.ts'
import { useSession } from '../../session/session.tsx'
import { GraphView } from './graph-view.tsx'

const route = getRouteApi('/brains/$handle/graph')

const depths = [1, 2, 3] as const

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

/** The records around one record or around search results, never a whole Brain: its graph would be unreadable. */
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
      {seed === undefined && q === undefined && (
        <div className="empty">
          <p>
            Search for something, or open the graph of a record from its page. The graph shows its neighbors, one step
            at a time.
          </p>
        </div>
      )}
    </section>
  )
}
