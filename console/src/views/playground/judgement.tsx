import type { Evidence } from '@noema/contracts/search.ts'
import { Link, withQuery } from '../../address.tsx'
import { plural } from '../../plural.ts'
import { isNarrowed, nextLimit, noFilters, type SearchParams } from '../../search/search-params.ts'

// The parts about the results of a search that a Brain and a corpus share.

/** The number of results, announced when it changes. */
export const describeCount = (length: number, { q, limit }: Pick<SearchParams, 'q' | 'limit'>): string => {
  if (length === 0) return `Nothing found for “${q}”`
  if (length === limit) return length === 1 ? 'The best result' : `The best ${length} results`
  return plural(length, 'result')
}

type Judged = { results: readonly unknown[]; evidence: Evidence }

/** A warning if the results are weaker than a list suggests. */
export const describeEvidence = ({ results, evidence }: Judged): string => {
  if (results.length === 0 || evidence === 'strong') return ''
  return evidence === 'weak'
    ? 'The evidence is weak: these results may not answer your query.'
    : 'No result seems to answer your query. These are the closest ones.'
}

/** The way to more results, if a search found none. */
export const WiderSearch = ({ params }: { params: SearchParams }) =>
  isNarrowed(params) ? (
    <p>
      This search has filters. <Link to={withQuery(noFilters)}>Search everything</Link>
    </p>
  ) : (
    <p>Try different or fewer words.</p>
  )

/** A link to the next larger number of results, if there may be more. */
export const ShowMore = ({ length, params: { limit } }: { length: number; params: Pick<SearchParams, 'limit'> }) => {
  const more = length === limit ? nextLimit(limit) : undefined
  if (more === undefined) return null
  return (
    <p>
      <Link to={withQuery({ limit: String(more) })} className="button small">
        Show the best {more}
      </Link>
    </p>
  )
}

type Degradation = { reason: string; message: string }
type DegradedProps = { degraded: readonly Degradation[] | undefined; searchAgain: () => void }

/** The reasons why the results may be incomplete. */
export const Degraded = ({ degraded = [], searchAgain }: DegradedProps) => {
  if (degraded.length === 0) return null
  return (
    <div className="notice degraded">
      {degraded.map(({ message }) => (
        <p key={message}>{message}</p>
      ))}
      {degraded.some(({ reason }) => reason.startsWith('not_yet_')) && (
        <button type="button" className="button small" onClick={searchAgain}>
          Search again
        </button>
      )}
    </div>
  )
}
